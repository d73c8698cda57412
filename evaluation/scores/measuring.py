"""Measure the answers of systems on a split; what was measured is stored, and made once.

Measured values are stored figures (ADR 25) of a system on a split. They count while nothing that
they are made from has changed: texts, details, what a reader answered, references, this program.
"""

import datetime as dt
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson
from django.conf import settings

import metrics
from annotation.figures import counts as stored_counts
from annotation.models import Project, Question, StoredFigures
from evaluation.scores.automatic import attach_references, references_of, score_answers
from evaluation.scores.reading import answers_by_output
from evaluation.scores.references import pairs_of, read_gold_references
from evaluation.scores.values import DEPTHS, Details, SystemMeasures, SystemScores
from evaluation.systems.models import Output, System
from evaluation.systems.stored_scores import place_of
from metrics import ambigqa, asqa, retrieval, sentences
from metrics.score import Evaluation

Columns = dict[str, dict[str, float]]


class Scale:
    """What the answers to a split are measured against; read once for all systems."""

    def __init__(self, project: Project, split: str) -> None:
        self.project, self.split = project, split
        rows = Question.objects.filter(project=project, split=split)
        self.questions = rows.exclude(state=Question.State.EXCLUDED).in_bulk()
        self.golds = dict(read_gold_references(project, split, self.questions))
        self.references = references_of(self.questions)
        facts = [
            [(row.external_id, row.prompt, row.context) for row in self.questions.values()],
            sorted(self.golds.items()),
            sorted(self.references.items()),
            [settings.VERSION, metrics.VERSION, sentences.choose_splitter().name],
        ]
        self.digest = _digest(facts)

    def measure_system(self, system: System) -> tuple[SystemMeasures, StoredFigures | None]:
        """Return what is stored of a system, or measure it and return what can be stored.

        Three queries.
        """
        rows = Output.objects.filter(system=system, question__in=self.questions)
        outputs = list(rows.select_related("system").order_by("question_id"))
        reader, by_output = answers_by_output(outputs, self.questions)
        read = {row.question_id: by_output[row.pk] for row in outputs if row.pk in by_output}
        state = _digest(
            [
                self.digest,
                [(row.question_id, row.text, row.details, row.author_id) for row in outputs],
                [reader, sorted(read.items())],
            ]
        )
        place = place_of(system, self.split)
        stored = StoredFigures.objects.filter(**place, data_state=state).first()
        if stored is not None:
            return SystemMeasures(**stored.figures), None
        started = time.perf_counter()
        made = self._measured(outputs, reader, read)
        return made, StoredFigures(
            **place,
            figures=asdict(made),
            data_state=state,
            seconds=time.perf_counter() - started,
        )

    def _measured(
        self, outputs: Sequence[Output], reader: str, read: Mapping[int, Sequence[str]]
    ) -> SystemMeasures:
        columns: Columns = {}
        for name, systems in score_answers(
            attach_references(self.questions, outputs, self.references)
        ).items():
            columns[name] = next(iter(systems.values()))
        details = {
            self.questions[row.question_id].external_id: Details.from_stored(row.details)
            for row in outputs
            if row.details
        }
        options: dict[str, Mapping[str, str]] = {
            "rouge_l": {"sentences": sentences.choose_splitter().name}
        }
        for evaluation in (*_answers(details, self.golds), *_passages(details, self.golds)):
            _add(evaluation, columns, options)
        if found := self._read(read):
            columns["qa_f1"], options["qa_f1"] = found, {"reader": reader}
        return SystemMeasures(len(outputs), len(self.questions), columns, options)

    def _read(self, read: Mapping[int, Sequence[str]]) -> dict[str, float]:
        """Return Disambig-F1 of each question whose answer a reader has read."""
        found = {}
        for pk, answers in read.items():
            question = self.questions[pk]
            pairs = list(pairs_of(question).values())
            found[question.external_id] = asqa.disambig_f1(pairs, answers)
        return found

    def store_measures(self, system: System, *, now: dt.datetime) -> bool:
        """Measure a system and store it, unless nothing has changed; return whether it has."""
        _, row = self.measure_system(system)
        if row is not None:
            row.counted_at = now
            stored_counts.store_figures(row)
        return row is not None


def measure_systems(
    project: Project, split: str, systems: Sequence[System]
) -> Iterator[tuple[System, SystemMeasures]]:
    """Give what the answers of these systems measure, stored or measured now."""
    scale = Scale(project, split)
    for system in systems:
        yield system, scale.measure_system(system)[0]


def score_systems(project: Project, split: str, systems: Sequence[System]) -> list[SystemScores]:
    """Return the figures of these systems on a split, each with its 95 % interval.

    All are percentages but the length, which is in words.
    """
    return [
        SystemScores(system, row.answers, row.questions, row.score_figures())
        for system, row in measure_systems(project, split, systems)
    ]


def _digest(facts: Any) -> str:
    data = orjson.dumps(facts, option=orjson.OPT_NON_STR_KEYS, default=list)
    return hashlib.sha256(data).hexdigest()


def _add(evaluation: Evaluation, columns: Columns, options: dict[str, Mapping[str, str]]) -> None:
    """Add the columns of an evaluation, in percent, over the questions that count for each."""
    for figure in evaluation.figures:
        name = figure.name.removesuffix(".all")
        if name not in _WANTED:
            continue
        places = evaluation.members(figure)
        values = evaluation.columns[figure.columns[0]]
        columns[name] = {evaluation.ids[place]: 100 * values[place] for place in places}
        options[name] = {**evaluation.options, **dict(figure.options)}


_WANTED = {"f1_answer", "f1_edit", *(f"arecall.{depth}" for depth in DEPTHS)}


def _answers(
    details: Mapping[str, Details], right: Mapping[str, ambigqa.Reference]
) -> Iterator[Evaluation]:
    """Give the scores of short answers, and of pairs, where the system gave any."""
    references = [right[name] for name in details if name in right]
    pairs = any(row.pairs for row in details.values())
    if not references or not (pairs or any(row.answers for row in details.values())):
        return
    predictions: dict[str, ambigqa.Prediction] = {
        row.id: _predicted(details[row.id], row.question if pairs else "") for row in references
    }
    yield ambigqa.score_predictions(references, predictions)


def _predicted(details: Details, prompt: str) -> ambigqa.Prediction:
    """Return what was predicted: pairs if there is a prompt, which is the question of an answer
    that came without one; else answers. Of a pair, only one form of its answer counts.
    """
    if not prompt:
        return details.answers
    pairs = details.pairs or [(prompt, answer) for answer in details.answers]
    return [ambigqa.PredictedPair(question, answer) for question, answer in pairs]


def _passages(
    details: Mapping[str, Details], right: Mapping[str, ambigqa.Reference]
) -> Iterator[Evaluation]:
    """Give the recall of the passages, where the system found any."""
    if not any(row.passages for row in details.values()):
        return
    references = {
        name: retrieval.Reference(answers=_distinct(right[name]))
        for name in details
        if name in right
    }
    if not references:
        return
    found = {
        name: [retrieval.TitledPassage("", text) for text in details[name].passages]
        for name in references
    }
    yield retrieval.score_predictions(references, found, depths=DEPTHS)


def _distinct(reference: ambigqa.Reference) -> tuple[tuple[str, ...], ...]:
    """Return the gold answers of all annotations, each with its forms, once."""
    return tuple(dict.fromkeys(forms for row in reference.annotations for forms in row.gold))
