"""What the automatic metrics say of the answers that a study asks about, one by one."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

from django.db.models import QuerySet

from annotation.models import Question
from evaluation.scores.automatic import Scores, SystemAnswer, attach_references, references_of
from evaluation.scores.reading import answers_by_output
from evaluation.scores.references import pairs_of
from evaluation.studies.judgment_values import ItemJudgment
from evaluation.studies.models import Study
from evaluation.systems.models import Output
from metrics import asqa


def average_by_system(scores: Scores) -> dict[str, dict[str, float]]:
    """Return the mean of each metric over the answers of each system, and DR of the two it has.

    DR of a system is √(Disambig-F1 · ROUGE-L) over the answers that have both (S48).
    """
    means = {
        metric: {name: fmean(values.values()) for name, values in systems.items()}
        for metric, systems in scores.items()
    }
    read, close = scores.get("qa_f1", {}), scores.get("rouge_l", {})
    both = {name: read[name].keys() & close[name].keys() for name in read.keys() & close.keys()}
    dr = {
        name: math.sqrt(
            fmean(read[name][question] for question in questions)
            * fmean(close[name][question] for question in questions)
        )
        for name, questions in both.items()
        if questions
    }
    return means | ({"dr": dr} if dr else {})


def list_judged_answers(rows: Iterable[ItemJudgment], scores: Scores) -> list[dict[str, Any]]:
    """Return for each answer that people judged its ACC in percent, and its automatic scores."""
    shares: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        for system, marks in ((row.left, row.left_found), (row.right, row.right_found)):
            if system and marks and not row.repeat:
                shares[row.question, system].append(100 * sum(marks) / len(marks))
    return [
        {"question": question, "system": system, "acc": fmean(values)}
        | {
            metric: systems[system][question]
            for metric, systems in scores.items()
            if question in systems.get(system, {})
        }
        for (question, system), values in sorted(shares.items())
    ]


def read_answers(study: Study) -> Iterator[SystemAnswer]:
    """Yield the answers that the study asks about, question by question."""
    questions, outputs = _asked_about(study)
    # Not all details: a baseline can have found hundreds of passages.
    given = outputs.filter(details__has_key="knowledge_of").order_by()
    knowledge = dict(given.values_list("pk", "details__knowledge_of"))
    yield from attach_references(questions, outputs, references_of(questions), knowledge)


def read_disambig_f1(study: Study) -> tuple[str, dict[str, dict[str, float]]]:
    """Return Disambig-F1 in percent, by system and question, of the answers that the study asks
    about, and the reader it is from: the one that has read most of them. "" and nothing without.
    """
    questions, outputs = _asked_about(study)
    rows = list(outputs)
    reader, answers = answers_by_output(rows, questions)
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.pk in answers:
            question = questions[row.question_id]
            value = asqa.disambig_f1(list(pairs_of(question).values()), answers[row.pk])
            found[str(row.system)][question.external_id] = value
    return reader, dict(found)


def _asked_about(study: Study) -> tuple[dict[int, Question], QuerySet[Output]]:
    questions = Question.objects.filter(study_items__study=study).distinct().in_bulk()
    outputs = Output.objects.filter(question__in=questions, system__studies=study)
    rows = outputs.select_related("system").defer("details")
    return questions, rows.order_by("question_id", "system_id")
