"""Wrong answers and paraphrases among those to check: each belongs to another question (Q3)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from accounts import prepared_statements
from annotation.golds.queries import TaskContent as GoldShown
from annotation.models import GoldItem, Question, Split, Task
from annotation.stages.choice_golds import ChoiceGolds
from annotation.stages.gold_items import COPIES, FINISHED, Gold, Host, NoGolds
from metrics.text import answer_key
from qampari.made_from import MAKING, MadeFrom, read_made_from
from qampari.models import Candidate, Evidence, ListQuestion
from qampari.paraphrase_rows import Paraphrase, Verification
from qampari.services.paraphrases import VERIFY, unit_of
from qampari.sheets import AnswerShown, show_evidence
from qampari.statements import UNSUGGESTED
from qampari.verdicts import DOUBTFUL


class WrongAnswers(ChoiceGolds):
    """An answer of another question, with its own evidence, in place of one to check.

    No answer is taken twice, so that nobody meets it again, and those of questions that are not
    handed out now come first. Of questions that were made from a graph, answers to the same
    relation about something else come before those: they are wrong and look right.
    """

    sources: Sequence[str] = (COPIES, FINISHED)
    first_rate = 10  # the paper's (Q3)

    def make_wrong_copies(self, hosts: Sequence[Host], *, draw: Random) -> Mapping[int, Gold]:
        """Return a wrong answer for each host for which one is left. Six queries."""
        project = Question.objects.filter(pk=hosts[0].question).values("project")
        rows = ListQuestion.objects.filter(question__project__in=project)
        kinds = dict(rows.values_list("question_id", "kind"))
        pools: dict[str, list[Candidate]] = {}
        own: dict[int, set[str]] = {}
        known = Candidate.objects.filter(question__project__in=project).order_by("pk")
        for row in known.iterator(2_000):
            pools.setdefault(kinds[row.question_id], []).append(row)
            own.setdefault(row.question_id, set()).update(_names(row.text, row.forms))
        open_ = self._open(project)
        for pool in pools.values():
            draw.shuffle(pool)
            pool.sort(key=lambda row: row.question_id in open_)
        taken, made = self._taken(project), self._read_made(project)
        chosen = {}
        for host in hosts:
            asked = made.get(host.question)
            barred = own.get(host.question, set()) | taken | (asked.unproven if asked else set())
            pool = pools.get(kinds[host.question], [])
            near = {
                pk for pk, other in made.items() if asked and other.relations == asked.relations
            }
            other = _other(pool, host, barred, near) or _other(pool, host, barred)
            if other is not None:
                chosen[host] = other
                taken |= _names(other.text, other.forms)
        evidence: dict[int, list[tuple[str, str]]] = {}
        proofs = Evidence.objects.filter(candidate__in=[row.pk for row in chosen.values()])
        for pk, text, url in proofs.order_by("position").values_list("candidate", "text", "url"):
            evidence.setdefault(pk, []).append((text, url))
        return {
            host.task: Gold(
                question=host.question,
                unit=host.unit,
                content={
                    "text": row.text,
                    "forms": row.forms,
                    "evidence": evidence.get(row.pk, []),
                },
                expected={"verdict": DOUBTFUL},
                origin=row.question_id,
                origin_unit=str(row.position),
            )
            for host, row in chosen.items()
        }

    def count_unsuggested(self, project: int, split: str, system: str) -> int:
        """Return on how many answers and copies a system has no verdict, though it has some on
        others under the same question. One query.
        """
        values = {"project": project, "split": split, "system": system, "stage": self.stage}
        [(missing,)] = prepared_statements.fetch_rows(UNSUGGESTED, values)
        return int(missing)

    def _read_made(self, project: QuerySet[Question, Any]) -> dict[int, MadeFrom]:
        """Return what the questions that were made from a graph are about."""
        rows = Question.objects.filter(project__in=project, context__has_key=MAKING)
        contexts = rows.values_list("pk", f"context__{MAKING}")
        found = ((pk, read_made_from(said)) for pk, said in contexts)
        return {pk: made for pk, made in found if made}

    def _open(self, project: QuerySet[Question, Any]) -> set[int]:
        """Return the questions whose answers people may still get."""
        rows = Task.objects.filter(
            policy__stage=self.stage, question__project__in=project, gold=False, seats__gt=0
        )
        return set(rows.values_list("question_id", flat=True).distinct())

    def _taken(self, project: QuerySet[Question, Any]) -> set[str]:
        """Return the names of the wrong answers that are gold items already."""
        rows = GoldItem.objects.filter(
            plan__stage=self.stage, plan__project__in=project, kind=GoldItem.Kind.COPY
        )
        contents = rows.values_list("content", flat=True)
        return {name for row in contents for name in _names(row["text"], row["forms"])}


def _names(text: str, forms: Sequence[str]) -> set[str]:
    return {answer_key(form) for form in (text, *forms)}


def _other(
    pool: list[Candidate], host: Host, barred: set[str], among: Collection[int] | None = None
) -> Candidate | None:
    """Take the first answer of another question that has none of these names out of a pool.

    among: the questions that it may be of, None for any.
    """
    for at, row in enumerate(pool):
        fits = row.question_id != host.question and (among is None or row.question_id in among)
        if fits and not _names(row.text, row.forms) & barred:
            return pool.pop(at)
    return None


def wrong_answer(shown: GoldShown) -> AnswerShown:
    """Return the answer of a gold item as it is shown."""
    content: Mapping[str, Any] = shown.content
    return AnswerShown(
        int(shown.unit),
        content["text"],
        tuple(form for form in content["forms"] if form != content["text"]),
        show_evidence(content["evidence"]),
    )


class WrongParaphrases(NoGolds):
    """A question with the paraphrase of another one.

    Both are among those that nobody verifies: whoever verified the question, too, would know it
    again, and so would who met the paraphrase again.
    """

    sources: Sequence[str] = (COPIES,)

    def make_wrong_copies(self, hosts: Sequence[Host], *, draw: Random) -> Mapping[int, Gold]:
        """Return an item for each host, as long as there are questions for it. Two queries."""
        project = Question.objects.filter(pk=hosts[0].question).values("project")
        verified = Paraphrase.objects.filter(question=OuterRef("question"), drawn=True)
        rows = Paraphrase.objects.filter(
            ~Exists(verified), question__project__in=project, submission__isnull=False
        )
        spare = list(rows.select_related("question").order_by("pk"))
        had = set(
            GoldItem.objects.filter(
                task__question__in=[row.question_id for row in spare], plan__stage=VERIFY
            ).values_list("task__question", "origin")
        )
        shown, taken = {pair[0] for pair in had}, {pair[1] for pair in had}
        own = [row for row in spare if row.question_id not in shown]
        texts = [row for row in spare if row.question_id not in taken]
        draw.shuffle(own)
        draw.shuffle(texts)
        pairs = list(_paired(own, texts))
        drawn: dict[int, Gold] = {}
        for split in Split.values:
            there = [pair for pair in pairs if pair[0].question.split == split]
            asked = [host.task for host in hosts if host.split == split]
            drawn |= {task: _with_text_of(*pair) for task, pair in zip(asked, there, strict=False)}
        return drawn


def _paired(
    own: Sequence[Paraphrase], texts: Sequence[Paraphrase]
) -> Iterator[tuple[Paraphrase, Paraphrase]]:
    """Give each question once, with the paraphrase of another one that is given once, too."""
    left, shown = list(texts), set()
    for row in own:
        if row.question_id in shown:
            continue
        other = next((each for each in left if each.question_id != row.question_id), None)
        if other is None:
            continue
        shown.add(row.question_id)
        left = [each for each in left if each.question_id != other.question_id]
        yield row, other


def _with_text_of(row: Paraphrase, other: Paraphrase) -> Gold:
    return Gold(
        question=row.question_id,
        unit=unit_of(row),
        content={"text": other.text},
        expected={"not": Verification.Verdict.SAME},
        origin=other.question_id,
        origin_unit=unit_of(other),
        barred=(row.author_id, other.author_id),
    )
