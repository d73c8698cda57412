"""Bring in the pairs of a set-up file of ASQA's kit, as a study that people judge (S32)."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from django.db import transaction

from accounts.models import User
from annotation.contexts.inputs import inputs_of
from annotation.core.refusals import Conflict
from annotation.models import Project, Question
from evaluation.judgments import setup_files
from evaluation.judgments.imported_judgments import BadRow, BadRows
from evaluation.judgments.setup_files import PairRow
from evaluation.studies import services as studies_services
from evaluation.studies.design import PlannedItem
from evaluation.systems.models import Output, System
from evaluation.systems.policies import check_can_import_outputs
from evaluation.systems.services import one_line, system_of

MOST_RATERS = 25
_BATCH = 500


@dataclass(frozen=True)
class SetupImport:
    """What an import made. systems: the names of those that are new; answers: how many are."""

    study: int
    title: str
    pairs: int
    questions: int
    answers: int
    systems: list[str]


def import_setup(
    *,
    project: Project,
    file: BinaryIO,
    title: str,
    raters: int = 1,
    by: User | None,
    now: dt.datetime,
    on_read: Callable[[int], None] = lambda number: None,
    on_store: Callable[[SetupImport], None] = lambda imported: None,
) -> SetupImport:
    """Make a running study of the pairs in a file, in its order, each judged by `raters` people.

    Questions are matched by their external ids; systems and answers that are missing are added. No
    text that is here changes. The criteria are those of a new study, sides are drawn. Staff only
    (`by=None`: a command on the server). Raises WrongFormat, BadRows where any row cannot be taken,
    Conflict without a title; none of them changes anything.
    """
    if by is not None:
        check_can_import_outputs(by, project)
    title = check_setup(title, raters)
    rows = setup_files.read_pairs(file, on_read)
    with transaction.atomic():
        imported = _store(project, rows, title, raters, by, now)
        on_store(imported)
    return imported


def check_setup(title: str, raters: int) -> str:
    """Return the title on one line. Raises Conflict without one, or for too many raters."""
    title = one_line(title, 120, "title")
    if not title:
        raise Conflict("Give the study a title.")
    if not 1 <= raters <= MOST_RATERS:
        raise Conflict(f"From 1 to {MOST_RATERS} people can judge a pair.")
    return title


def _store(
    project: Project,
    rows: Sequence[PairRow],
    title: str,
    raters: int,
    by: User | None,
    now: dt.datetime,
) -> SetupImport:
    ids = {row.question for row in rows}
    found = Question.objects.filter(project=project, external_id__in=ids)
    questions = {question.external_id: question for question in found}
    names = sorted({model for row in rows for model in row.models})
    before = set(project.systems.filter(name__in=names, version="").values_list("name", flat=True))
    kinds = dict(project.systems.filter(name__in=names, version="").values_list("name", "kind"))
    systems = {
        name: system_of(project, name, "", kinds.get(name, System.Kind.MODEL), None, by, now)
        for name in names  # sorted: the order in which every import waits
    }
    texts = _check_rows(rows, questions, systems)
    there = _stored_texts(systems, questions)
    new = [key for key in texts if key not in there]
    Output.objects.bulk_create(
        (Output(system_id=system, question_id=pk, text=texts[system, pk]) for system, pk in new),
        batch_size=_BATCH,
    )
    chosen = list(questions.values())
    study = studies_services.start_given_study(
        project=project,
        title=title,
        split=chosen[0].split,
        systems=list(systems.values()),
        plan=[_planned(row, questions, systems) for row in rows],
        raters=raters,
        accuracy=all(_has_disambiguations(question) for question in chosen),
        by=by,
        now=now,
    )
    return SetupImport(
        study=study.pk,
        title=title,
        pairs=len(rows),
        questions=len(chosen),
        answers=len(new),
        systems=[name for name in names if name not in before],
    )


def _planned(
    row: PairRow, questions: Mapping[str, Question], systems: Mapping[str, System]
) -> PlannedItem:
    # Whichever the file names first: sides are drawn for each two systems.
    first, second = (systems[model].pk for model in sorted(row.models))
    return PlannedItem(questions[row.question].pk, first, second)


def _has_disambiguations(question: Question) -> bool:
    return bool(inputs_of("", question.context or {}, {}).disambiguations)


def _stored_texts(
    systems: Mapping[str, System], questions: Mapping[str, Question]
) -> dict[tuple[int, int], str]:
    rows = Output.objects.filter(
        system__in=[system.pk for system in systems.values()],
        question__in=[question.pk for question in questions.values()],
    )
    return {
        (system, pk): text for system, pk, text in rows.values_list("system", "question", "text")
    }


def _check_rows(
    rows: Sequence[PairRow], questions: Mapping[str, Question], systems: Mapping[str, System]
) -> dict[tuple[int, int], str]:
    """Return the texts by system and question. Raises BadRows where a row does not fit."""
    stored = _stored_texts(systems, questions)
    texts: dict[tuple[int, int], str] = {}
    seen: dict[tuple[str, frozenset[str]], int] = {}
    bad: list[tuple[int, BadRow]] = []
    split = next((questions[row.question].split for row in rows if row.question in questions), "")
    for row in rows:
        question = questions.get(row.question)
        before = seen.setdefault((row.question, row.models), row.number)
        if question is None:
            bad.append((row.number, BadRow("key", row.question, "is no question of this project")))
        elif question.state == Question.State.EXCLUDED:
            bad.append((row.number, BadRow("key", row.question, "is a question that is excluded")))
        elif question.split != split:
            bad.append((row.number, BadRow("key", row.question, f"is not in the split {split}")))
        elif before != row.number:
            bad.append((row.number, BadRow("", None, f"The pair is in row {before:,} already.")))
        else:
            for side, (model, text) in enumerate(row.answers, start=1):
                key = systems[model].pk, question.pk
                if stored.get(key, text) != text or texts.setdefault(key, text) != text:
                    other = "differs from the answer that this model has to the question"
                    bad.append((row.number, BadRow(f"answer {side}", text, other)))
    if bad:
        raise BadRows(bad, len(rows))
    return texts
