"""QAMPARI's tables and figures from the data of a project, and its paraphrases, as panels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from annotation.exports.rows import fetch_rows
from annotation.figures.panel import Cell, Column, Panel, Person, share_with_interval
from annotation.figures.registry import Request
from annotation.models import Project, Question
from evaluation.models import Output
from evaluation.reports.papers import reading
from evaluation.scores.values import Details
from metrics.qampari import QampariAnswer
from metrics.text import answer_key
from qampari import figures, paraphrases, records, score_panels
from qampari.figures import GoldQuestion
from qampari.paraphrases import Author
from qampari.score_panels import SystemPredictions, parts_of
from qampari.statements import ADDED_ANSWERS
from qampari.verdicts import JudgedCandidate, accepted_of, read_judged_answers

EXTEND = "qampari-extend"


# --- what is read ---------------------------------------------------------------------------------


def read_accepted_questions(request: Request) -> list[GoldQuestion]:
    """Return the questions whose answers are accepted, with these. Five queries."""
    questions = Question.objects.filter(
        project=request.project, state=Question.State.ACCEPTED
    ).order_by("pk")
    if split := reading.chosen_split(request):
        questions = questions.filter(split=split)
    rows = list(questions.only("external_id", "text", "split", "context"))
    texts = paraphrases.read_accepted_texts(row.pk for row in rows)
    added = _added(request.project)
    said = read_judged_answers(row.pk for row in rows)
    return [
        _listed(row, texts.get(row.pk, ""), added.get(row.pk), said.get(row.pk)) for row in rows
    ]


def _listed(
    question: Question,
    paraphrase: str,
    added: Sequence[str] | None,
    said: Sequence[JudgedCandidate] | None,
) -> GoldQuestion:
    record = records.of_context(question.external_id, question.text, question.context)
    if said is not None:
        kept = accepted_of(said)
        answers = [row for place, row in enumerate(record.answers) if place in kept]
        record = replace(record, answers=tuple(answers))
    known = {answer_key(form) for answer in record.answers for form in answer.forms}
    new = {answer_key(text): text for text in reversed(added or ())}
    return GoldQuestion(
        id=question.external_id,
        kind=_kind(question.external_id),
        split=question.split,
        text=paraphrase or question.prompt,
        answers=tuple(QampariAnswer(answer.text, answer.forms) for answer in record.answers),
        generated=question.prompt if paraphrase else "",
        added=None
        if added is None
        else tuple(
            QampariAnswer(text, ()) for key, text in new.items() if key and key not in known
        ),
        evidence=tuple(tuple(proof.text for proof in row.proofs) for row in record.answers),
    )


def _kind(qid: str) -> str:
    parts = qid.split("__")
    return parts[1] if len(parts) > 1 else ""


def _added(project: Project) -> Mapping[int, list[str]]:
    """Return what people added to each question of the extended set. One query."""
    rows = fetch_rows(ADDED_ANSWERS, {"project": project.pk, "stage": EXTEND})
    return {
        question: [row["text"] for submitted in _json(every) for row in submitted or ()]
        for question, every in rows
    }


def _json(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def read_system_answers(request: Request) -> list[SystemPredictions]:
    """Return what systems answered, by split. One query.

    The answers of a text that came without a list are on lines of their own, or have number signs
    between them.
    """
    outputs = Output.objects.filter(system__project=request.project)
    if split := reading.chosen_split(request):
        outputs = outputs.filter(question__split=split)
    found: dict[tuple[str, str], SystemPredictions] = {}
    for row in outputs.select_related("system", "question").order_by("system_id", "question_id"):
        name, part = str(row.system), row.question.split
        system = found.setdefault((name, part), SystemPredictions(name, part, {}, {}))
        details = Details.from_stored(row.details)
        name = row.question.external_id
        _put(system.answers, name, details.answers or parts_of(row.text))
        _put(system.passages, name, details.passages)
    return list(found.values())


def _put(answers: Mapping[str, Sequence[str]], name: str, texts: Sequence[str]) -> None:
    assert isinstance(answers, dict)
    if texts:
        answers[name] = texts


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
        request.once(read_accepted_questions), request.once(read_system_answers)
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
