"""Wrong answers and paraphrases among those to check: each belongs to another question (Q3)."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.golds import COPIES, FINISHED, Gold, Host, NoGolds, Values
from annotation.models import Question
from annotation.queries.golds import Shown as GoldShown
from annotation.sheets.choosing import Chosen
from annotation.stages.golds import ChoiceGolds
from metrics.text import answer_key
from qampari.models import Candidate, Evidence, ListQuestion
from qampari.paraphrase_rows import Paraphrase, Verification
from qampari.sheets import AnswerShown, Shown, page_of
from qampari.verdicts import DOUBTFUL, UNCLEAR

_TRIES = 20


class WrongAnswers(ChoiceGolds):
    """An answer of another question, with its own evidence, in place of one to check."""

    sources: Sequence[str] = (COPIES, FINISHED)

    def wrong(self, hosts: Sequence[Host], *, draw: Random) -> Mapping[int, Gold]:
        """Return a wrong answer for each host whose type has one. Three queries."""
        project = Question.objects.filter(pk=hosts[0].question).values("project")
        kinds = dict(
            ListQuestion.objects.filter(question__project__in=project).values_list(
                "question_id", "kind"
            )
        )
        pools: dict[str, list[Candidate]] = {}
        own: dict[int, set[str]] = {}
        rows = Candidate.objects.filter(question__project__in=project).order_by("pk")
        for row in rows.iterator(2_000):
            pools.setdefault(kinds[row.question_id], []).append(row)
            own.setdefault(row.question_id, set()).update(_names(row))
        chosen = {}
        for host in hosts:
            other = _other(pools.get(kinds[host.question], []), host, own, draw)
            if other is not None:
                chosen[host] = other
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
            )
            for host, row in chosen.items()
        }

    def judge(self, response: Chosen, expected: Values) -> bool | None:
        """Return whether the verdict is right; “cannot understand” is not judged."""
        if response.verdict == UNCLEAR:
            return None
        return super().judge(response, expected)


def _names(row: Candidate) -> set[str]:
    return {answer_key(form) for form in (row.text, *row.forms)}


def _other(
    pool: Sequence[Candidate], host: Host, own: Mapping[int, set[str]], draw: Random
) -> Candidate | None:
    """Return an answer that is none of the question's own, None if none was found."""
    for _ in range(_TRIES if pool else 0):
        row = draw.choice(pool)
        if row.question_id != host.question and not _names(row) & own.get(host.question, set()):
            return row
    return None


def wrong_answer(shown: GoldShown) -> AnswerShown:
    """Return the answer of a gold item as it is shown."""
    content: Mapping[str, Any] = shown.content
    return AnswerShown(
        int(shown.unit),
        content["text"],
        tuple(form for form in content["forms"] if form != content["text"]),
        tuple(Shown(text, page_of(url)) for text, url in content["evidence"]),
    )


class WrongParaphrases(NoGolds):
    """The paraphrase of another question in place of one to verify."""

    sources: Sequence[str] = (COPIES,)

    def wrong(self, hosts: Sequence[Host], *, draw: Random) -> Mapping[int, Gold]:
        """Return the paraphrase of another question for each host, if there is one. One query."""
        project = Question.objects.filter(pk=hosts[0].question).values("project")
        rows = Paraphrase.objects.filter(question__project__in=project, submission__isnull=False)
        pool = list(rows.order_by("pk"))
        drawn = {}
        for host in hosts:
            others = [row for row in pool if row.question_id != host.question]
            if others:
                drawn[host.task] = _in_place_of(host, draw.choice(others))
        return drawn

    def judge(self, response: Chosen, expected: Values) -> bool | None:
        """Return whether the response refuses the paraphrase, for whatever reason."""
        return bool(response.verdict != expected["not"])


def _in_place_of(host: Host, row: Paraphrase) -> Gold:
    return Gold(
        question=host.question,
        unit=host.unit,
        content={"text": row.text},
        expected={"not": Verification.Verdict.SAME},
        origin=row.question_id,
        barred=(row.author_id,),
    )
