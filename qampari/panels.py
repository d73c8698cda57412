"""QAMPARI's tables and figures from the data of a project, and its paraphrases, as panels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from django.db.models import QuerySet

from annotation.exports.rows import fetch_rows
from annotation.figures.panel import Cell, Column, Panel, Person, share_with_interval
from annotation.figures.registry import Request
from annotation.models import Project, Question
from evaluation.models import Output, System
from evaluation.reports.papers import reading
from qampari import checkers, figures, paraphrases, score_panels
from qampari.figures import GoldQuestion
from qampari.gold_answers import read_accepted_lists
from qampari.paraphrases import Author
from qampari.score_panels import SystemPredictions, join_titles, list_answers
from qampari.statements import ADDED_ANSWERS

EXTEND = "qampari-extend"


# --- what is read ---------------------------------------------------------------------------------


def read_accepted_questions(request: Request) -> list[GoldQuestion]:
    """Return the questions whose answers are accepted, with these. Four queries."""
    questions = Question.objects.filter(
        project=request.project, state=Question.State.ACCEPTED
    ).order_by("pk")
    if split := reading.chosen_split(request):
        questions = questions.filter(split=split)
    rows = list(questions.only("external_id", "text", "split", "state", "context"))
    added = _added(request.project)
    none = (None, False)
    golds = []
    for row in read_accepted_lists(rows):
        texts, suggested = added.get(row.question.pk, none)
        golds.append(row.as_gold(texts, suggested=suggested))
    return golds


def _added(project: Project) -> Mapping[int, tuple[list[str] | None, bool]]:
    """Return what people added to each question of the extended set, and whether they were shown
    suggestions. One query.
    """
    rows = fetch_rows(ADDED_ANSWERS, {"project": project.pk, "stage": EXTEND})
    return {
        question: ([row["text"] for submitted in _json(every) for row in submitted or ()], shown)
        for question, every, shown in rows
    }


def _json(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def read_system_answers(request: Request) -> list[SystemPredictions]:
    """Return what systems answered, by split, without passages. One query."""
    return [
        SystemPredictions(
            name,
            part,
            answers={
                key: answers
                for key, (text, given) in rows.items()
                if (answers := list_answers(text, given))
            },
        )
        for (name, part), rows in _by_system(_outputs(request), "answers").items()
    ]


def read_system_passages(request: Request) -> list[SystemPredictions]:
    """Return the passages that systems found, by split. One query."""
    outputs = _outputs(request).filter(details__has_key="passages")
    return [
        SystemPredictions(
            name,
            part,
            passages={key: join_titles(texts, titles) for key, (_, texts, titles) in rows.items()},
        )
        for (name, part), rows in _by_system(outputs, "passages", "titles").items()
    ]


def _outputs(request: Request) -> QuerySet[Output]:
    outputs = Output.objects.filter(system__project=request.project)
    if split := reading.chosen_split(request):
        outputs = outputs.filter(question__split=split)
    return outputs.order_by("system_id", "question_id")


def _by_system(
    outputs: QuerySet[Output], *wanted: str
) -> dict[tuple[str, str], dict[str, tuple[Any, ...]]]:
    """Return text and some lists of the details of outputs by question, by system and split.

    Details are large where they hold passages; no more of them is read than is wanted.
    """
    names = ("system__name", "system__version", "question__split", "question__external_id")
    found: dict[tuple[str, str], dict[str, tuple[Any, ...]]] = {}
    lists = (f"details__{each}" for each in wanted)
    for name, version, part, key, text, *listed in outputs.values_list(*names, "text", *lists):
        system = str(System(name=name, version=version))
        given = (tuple(each or ()) for each in listed)
        found.setdefault((system, part), {})[key] = (text, *given)
    return found


def read_paraphrase_authors(request: Request) -> list[Author]:
    """Return how the paraphrases of each person went. One query."""
    return paraphrases.by_person(request.project, request.filters.split or "")


# --- the panels -----------------------------------------------------------------------------------


def counts_panel(request: Request) -> Panel:
    """Return table 2 (Q29)."""
    return figures.build_counts_panel(request.once(read_accepted_questions))


def binned_panel(request: Request) -> Panel:
    """Return figure 3a (Q30)."""
    return figures.build_bins_panel(request.once(read_accepted_questions))


def added_panel(request: Request) -> Panel:
    """Return figure 3b (Q30)."""
    return figures.build_added_panel(request.once(read_accepted_questions))


def retrieved_panel(request: Request) -> Panel:
    """Return table 3 (Q31)."""
    return score_panels.build_retrieval_panel(
        request.once(read_accepted_questions), request.once(read_system_passages)
    )


def scores_panel(request: Request) -> Panel:
    """Return tables 4 and 9 (Q31, Q32)."""
    return score_panels.build_scores_panel(
        request.once(read_accepted_questions), request.once(read_system_answers)
    )


def kinds_panel(request: Request) -> Panel:
    """Return table 7 (Q32)."""
    return score_panels.build_kinds_panel(
        request.once(read_accepted_questions), request.once(read_system_answers)
    )


def extended_panel(request: Request) -> Panel:
    """Return table 8 (Q32)."""
    return score_panels.build_extended_panel(
        request.once(read_accepted_questions), request.once(read_system_answers)
    )


def checkers_panel(request: Request) -> Panel:
    """Return how often staff overruled each person who checks answers (Q4)."""
    return checkers.build_checkers_panel(
        checkers.read_checkers(request.project, request.filters.split or "")
    )


def paraphrases_panel(request: Request) -> Panel:
    """Return how the paraphrases of each person went (Q6)."""
    return of_authors(request.once(read_paraphrase_authors))


def of_authors(authors: Iterable[Author]) -> Panel:
    """Return a row for each person: how many they wrote, and what was first said of those drawn."""
    authors = sorted(authors)
    rows: list[Sequence[Cell]] = [
        [
            Person(row.person),
            *(row.written, row.drawn, row.verified),
            *(
                share_with_interval(part, row.verified)
                for part in (row.same, row.changed, row.unnatural)
            ),
        ]
        for row in authors
    ]
    same, verified = sum(row.same for row in authors), sum(row.verified for row in authors)
    return Panel(
        columns=(
            Column("person", "Person"),
            Column("written", "Written", "count"),
            Column("drawn", "To verify", "count"),
            Column("verified", "Verified", "count"),
            Column("same", "Same meaning", "share"),
            Column("changed", "Meaning changed", "share"),
            Column("unnatural", "Not natural", "share"),
        ),
        rows=rows,
        n=sum(row.written for row in authors),
        counted="paraphrase",
        definition=(
            "One of every two paraphrases of each person is drawn and verified by someone else. "
            "The shares are of those verified, by what was first said of each."
        ),
        needs="1 paraphrase",
        summary=f"{100 * same / verified:.0f} % of those verified have the same meaning."
        if verified
        else "",
    )
