"""Bring in judgments that were made elsewhere, as a closed study."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.contexts.inputs import inputs_of
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.models import Project, Question
from evaluation.judgments import judgment_files
from evaluation.judgments.imported_judgments import (
    BadRow,
    BadRows,
    Design,
    ImportedJudgment,
    digest_of,
)
from evaluation.studies import results_job
from evaluation.studies.models import Item, Judgment, Study
from evaluation.systems.models import System
from evaluation.systems.policies import check_can_import_outputs
from evaluation.systems.services import one_line

MOST_RATERS = 25
_BATCH = 500


@dataclass(frozen=True)
class JudgmentImport:
    """What an import made. systems: the names of those that are new.

    again: these judgments were in the study already, and nothing was made.
    """

    study: int
    title: str
    judgments: int
    questions: int
    judges: int
    systems: list[str]
    again: bool = False


@dataclass(frozen=True)
class _UnsavedItem:
    """An item before it is saved: its systems as the first judgment of it had them, and more."""

    question: int
    left: str
    right: str
    repeats: int | None


def import_judgments(
    *,
    project: Project,
    file: BinaryIO,
    title: str = "",
    by: User | None,
    now: dt.datetime,
    on_read: Callable[[int], None] = lambda number: None,
    on_store: Callable[[JudgmentImport], None] = lambda imported: None,
) -> tuple[Study, JudgmentImport]:
    """Make a closed study of a file in the kit's columns, or of an export of `judgments`.

    Where an earlier import brought the same judgments, in whatever layout, its study is returned
    and nothing is changed; of two at the same moment, one makes the study. Questions are matched
    by their external ids. Systems that the project does not have are made, without answers. title:
    "" takes the one in the file. A job then computes the results, unless a command does the import:
    there is nobody to ask for it. Staff only (`by=None`: a command on the
    server). Raises WrongFormat if the file cannot be read, BadRows if any row of it cannot be
    taken, Conflict without a title; none of them changes anything. `on_read` is called with how
    many rows were read, `on_store` in the transaction that stores everything.
    """
    if by is not None:
        check_can_import_outputs(by, project)
    design, rows = judgment_files.read_judgments(file, on_read)
    title = title_of(design, title)
    with transaction.atomic():
        study, imported = _store(project, design, rows, title, by, now)
        on_store(imported)
    return study, imported


def title_of(design: Design, title: str) -> str:
    """Return the title that was given, else the one in the file. Raises Conflict without either."""
    title = one_line(title, 120, "title") or design.title
    if not title:
        raise Conflict("Give the study a title.")
    return title


def _store(
    project: Project,
    design: Design,
    rows: Sequence[ImportedJudgment],
    title: str,
    by: User | None,
    now: dt.datetime,
) -> tuple[Study, JudgmentImport]:
    judges = _judges(rows)
    digest = digest_of(design, rows)
    if same := _imported_before(project, digest):
        return same, _imported(same, rows, judges, systems=[], again=True)
    questions = _questions(project, {row.question for row in rows})
    plan, places = _plan(rows, questions, named=bool(design.title))
    _check(rows, questions, judges, plan, places)
    systems, new = _systems(project, design, rows, by, now)
    study = _planned(project, design, title, plan, places, questions, systems, by, now)
    study.judgments_digest = digest
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError:
        same = _imported_before(project, digest)  # by an import that was faster
        if same is None:
            raise
        return same, _imported(same, rows, judges, systems=[], again=True)
    study.systems.set(systems.values())
    _write(study, rows, plan, places, judges, systems, now)
    imported = _imported(study, rows, judges, systems=new)
    audit.record_action(
        "judgments_imported",
        study,
        by=by,
        now=now,
        project=project,
        title=title,
        judgments=imported.judgments,
        systems=new,
    )
    if by is not None:
        results_job.start_results_job(study=study, by=by, now=now)
    return study, imported


def _imported_before(project: Project, digest: str) -> Study | None:
    return Study.objects.filter(project=project, judgments_digest=digest).first()


def _imported(
    study: Study,
    rows: Sequence[ImportedJudgment],
    judges: Sequence[str],
    *,
    systems: list[str],
    again: bool = False,
) -> JudgmentImport:
    return JudgmentImport(
        study=study.pk,
        title=study.title,
        judgments=len(rows),
        questions=len({row.question for row in rows}),
        judges=len(set(judges)),
        systems=systems,
        again=again,
    )


@dataclass(frozen=True)
class _StudyQuestion:
    pk: int
    split: str
    disambiguations: int


def _questions(project: Project, ids: Iterable[str]) -> dict[str, _StudyQuestion]:
    rows = Question.objects.filter(project=project, external_id__in=list(ids))
    return {
        row.external_id: _StudyQuestion(
            row.pk, row.split, len(inputs_of("", row.context or {}, {}).disambiguations)
        )
        for row in rows.only("external_id", "split", "context")
    }


def _judges(rows: Sequence[ImportedJudgment]) -> list[str]:
    """Return who judged each row: whom the file names, or “Rater k” for the k-th of an item."""
    seen: Counter[tuple[str, frozenset[str]]] = Counter()
    names = []
    for row in rows:
        seen[row.question, row.systems] += 1
        names.append(row.judge or f"Rater {seen[row.question, row.systems]}")
    return names


def _plan(
    rows: Sequence[ImportedJudgment], questions: Mapping[str, _StudyQuestion], *, named: bool
) -> tuple[dict[int, _UnsavedItem], list[int]]:
    """Return the items by position, and the position of each row's item.

    The file's positions stay where each names one item (`named`: they have to); otherwise items are
    numbered anew. An item that is only repeated, because no judgment of it counts, is an item, too.
    """
    keys = [(row.question, row.systems) for row in rows]
    pairs = [row.pair for row in rows]
    links = set(zip(pairs, keys, strict=True))
    kept = named or (None not in pairs and len(links) == len(set(pairs)) == len(set(keys)))
    numbers = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    places = [
        pair if kept and pair is not None else numbers[key]
        for pair, key in zip(pairs, keys, strict=True)
    ]
    plan: dict[int, _UnsavedItem] = {}
    for row, place in zip(rows, places, strict=True):
        asked = questions.get(row.question)
        question = asked.pk if asked else 0
        plan.setdefault(place, _UnsavedItem(question, row.left, row.right, row.repeats))
    for item in list(plan.values()):
        if item.repeats is not None:
            plan.setdefault(item.repeats, _UnsavedItem(item.question, item.left, item.right, None))
    return plan, places


def _check(
    rows: Sequence[ImportedJudgment],
    questions: Mapping[str, _StudyQuestion],
    judges: Sequence[str],
    plan: Mapping[int, _UnsavedItem],
    places: Sequence[int],
) -> None:
    """Raise BadRows where a row does not fit the project, or another row."""
    bad: list[tuple[int, BadRow]] = []
    first: dict[tuple[int, str], int] = {}
    judged: Counter[int] = Counter()
    for row, judge, place in zip(rows, judges, places, strict=True):
        judged[place] += 1
        before = first.setdefault((place, judge), row.number)
        problem = (
            _unlike(row, questions.get(row.question))
            or _misplaced(row, place, plan, questions[row.question].pk)
            or _too_often(judge, before, row.number, judged[place])
        )
        if problem:
            bad.append((row.number, problem))
    if bad:
        raise BadRows(bad, len(rows))


def _unlike(row: ImportedJudgment, asked: _StudyQuestion | None) -> BadRow | None:
    if asked is None:
        return BadRow("key", row.question, "is not the id of a question in this project")
    given = {len(row.response[side]) for side in ("left", "right")} - {0}
    if asked.disambiguations and given - {asked.disambiguations}:
        return BadRow(
            "numQA", max(given), f"is not {asked.disambiguations}, the number of disambiguations"
        )
    return None


def _misplaced(
    row: ImportedJudgment, place: int, plan: Mapping[int, _UnsavedItem], question: int
) -> BadRow | None:
    item = plan[place]
    same = {item.left, item.right} == {row.left, row.right} and item.repeats == row.repeats
    if not same or item.question != question:
        return BadRow("item", place, "is another question or pair of systems in an earlier row")
    original = plan[place if row.repeats is None else row.repeats]
    again = original.repeats is None and original.question == item.question
    if not again or {original.left, original.right} != {item.left, item.right}:
        return BadRow("repeats", row.repeats, "is not an item with the same question and systems")
    return None


def _too_often(judge: str, before: int, number: int, judged: int) -> BadRow | None:
    if before != number:
        return BadRow("rater", judge, f"has judged the same pair in row {before:,}")
    if judged > MOST_RATERS:
        return BadRow("rater", judge, f"is one more than the maximum of {MOST_RATERS} on a pair")
    return None


def _systems(
    project: Project,
    design: Design,
    rows: Sequence[ImportedJudgment],
    by: User | None,
    now: dt.datetime,
) -> tuple[dict[str, System], list[str]]:
    """Return the systems of the file by the names it uses; those that are missing are made."""
    known = {str(system): system for system in project.systems.order_by("pk")}
    named = dict.fromkeys(
        [*design.systems, *(name for row in rows for name in sorted(row.systems))]
    )
    new = []
    for label in sorted(named.keys() - known.keys()):  # the order in which every import waits
        name, version, kind = design.systems.get(label, (label, "", System.Kind.MODEL.value))
        if len(name) > 80:
            raise Conflict(f"The name of the system “{name}” is longer than 80 characters.")
        defaults = {"kind": kind, "created_by": by, "created_at": now}
        known[label], made = System.objects.get_or_create(
            project=project, name=name, version=version, defaults=defaults
        )
        if made:
            new.append(label)
    return {name: known[name] for name in named}, new


def _planned(
    project: Project,
    design: Design,
    title: str,
    plan: Mapping[int, _UnsavedItem],
    places: Sequence[int],
    questions: Mapping[str, _StudyQuestion],
    systems: Mapping[str, System],
    by: User | None,
    now: dt.datetime,
) -> Study:
    splits = {asked.pk: asked.split for asked in questions.values()}
    repeats = sum(item.repeats is not None for item in plan.values())
    if design.reference and design.reference not in systems:
        raise Conflict(f"The study’s reference “{design.reference}” is not one of its systems.")
    return Study(
        project=project,
        title=title,
        state=Study.State.CLOSED,
        split=splits[plan[min(plan)].question],
        size=len({item.question for item in plan.values()}),
        seed=design.seed,
        stratified=design.stratified,
        pairing=design.pairing,
        reference=systems.get(design.reference),
        raters=max(Counter(places).values()),
        repeats=min(100, round(100 * repeats / max(1, len(plan) - repeats))),
        criteria=list(design.criteria),
        steps=design.steps,
        accuracy=design.accuracy,
        shown=design.shown,
        created_by=by,
        created_at=now,
        started_at=now,
        closed_at=now,
    )


def _write(
    study: Study,
    rows: Sequence[ImportedJudgment],
    plan: Mapping[int, _UnsavedItem],
    places: Sequence[int],
    judges: Sequence[str],
    systems: Mapping[str, System],
    now: dt.datetime,
) -> None:
    items: dict[int, Item] = {}
    for again in (False, True):  # what is repeated comes first
        made: list[tuple[int, Any]] = [
            (
                place,
                Item(
                    study=study,
                    position=place,
                    question_id=planned.question,
                    first=systems[planned.left],
                    second=systems[planned.right] if planned.right else None,
                    repeats=items[planned.repeats] if planned.repeats is not None else None,
                ),
            )
            for place, planned in sorted(plan.items())
            if (planned.repeats is not None) == again
        ]
        Item.objects.bulk_create((item for _, item in made), batch_size=_BATCH)
        items |= dict(made)
    Judgment.objects.bulk_create(
        (
            Judgment(
                item=items[place],
                judge_name=judge,
                swapped=plan[place].left != row.left,
                response=row.response,
                created_at=now,
            )
            for row, place, judge in zip(rows, places, judges, strict=True)
        ),
        batch_size=_BATCH,
    )
