"""Tuning on dev: how likely an answer has to be, for what a baseline answers in a project."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict
from annotation.models import Project
from metrics.ambigqa import score_predictions
from modeling import engines, inputs, registry, weights
from modeling.base import BadOption, Prediction
from modeling.baselines.bart import CUTOFF
from modeling.baselines.spans import THRESHOLD
from modeling.for_models import get_for_models
from modeling.services.running import read_examples_of
from modeling.training.answer_forms import build_reference
from modeling.training.building import list_systems
from modeling.training.labelled import Barriers
from modeling.training.likelihood_filters import (
    BOUNDS,
    CLASSES,
    Filter,
    RankedAnswers,
    cross_fit,
    mean_gain,
    tune_filter,
)
from modeling.training.values import Labelled

FEWEST: Final = 20  # questions, from which something can be chosen
_AT_ONCE: Final = 64
_USUAL: Final = Filter(THRESHOLD)  # what the baselines do without these options
_USUAL_CUTOFF: Final = Filter(CUTOFF, 0, 1)
# What is tuned of a baseline, by its key: the role whose likelihoods they are.
TUNED: Final[Mapping[str, str]] = {
    "thresholding": "reader",
    "thresholding-qd": "reader",
    "disambig-first": "ambiguity",
}


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What was chosen, and what it gains; all figures from 0 to 1, means over the questions.

    options: those of the baseline; tuned: on the questions it was chosen on; usual: with the usual
    options; untied: where each fold was scored by what the others chose, None without folds;
    majority: of the more frequent class, None where there are none.
    """

    system: str
    split: str
    metric: str
    options: Mapping[str, str]
    questions: int
    tuned: float
    usual: float
    untied: float | None
    majority: float | None

    def as_json(self) -> dict[str, Any]:
        """Return it as the command prints it."""
        return asdict(self)


def tune_baseline(
    *, project: Project, system: str, split: str, options: Mapping[str, str], folds: int
) -> Tuned:
    """Choose the options of a baseline by the questions of a split (AmbigQA, section 5).

    What is held out, and work of people who did not allow it, is not used, as in training. folds: 0
    for none. Raises MissingModel where the baseline cannot run, and Conflict where there are too
    few questions, or only one class.
    """
    if system not in TUNED:
        raise BadOption(f"Nothing of “{system[:40]}” is tuned. Choose one of {', '.join(TUNED)}.")
    if any(name in options for name in ("threshold", "least", "most", "cutoff")):
        raise BadOption("Leave out threshold, least, most and cutoff: they are what is chosen.")
    classifies = TUNED[system] == "ambiguity"
    measure = _measure_classes if classifies else _measure_spans
    measured = measure(project, system, _read_questions(project, system, split), options)
    bounds, usual = (CLASSES, _USUAL_CUTOFF) if classifies else (BOUNDS, _USUAL)
    chosen, tuned = tune_filter(measured, bounds)
    return Tuned(
        system=system,
        split=split,
        metric="right classes" if classifies else "F1-answer",
        options=_name_options(chosen, classifies=classifies),
        questions=len(measured),
        tuned=tuned,
        usual=mean_gain(measured, usual),
        untied=cross_fit(measured, folds, bounds) if folds else None,
        majority=_find_majority(measured) if classifies else None,
    )


def _read_questions(project: Project, system: str, split: str) -> list[Labelled]:
    barriers = Barriers(project=project, split=split, systems=list_systems(TUNED[system]))
    with snapshot():
        found = [row for row in barriers.read_labelled() if not row.left_out and row.annotations]
    if len(found) < FEWEST:
        raise Conflict(
            f"{split} has {len(found)} questions with an accepted answer that may be used, and "
            f"{FEWEST} are the fewest from which something is chosen."
        )
    return found


def _measure_spans(
    project: Project, system: str, found: Sequence[Labelled], options: Mapping[str, str]
) -> list[RankedAnswers]:
    """Return each question with its spans, and F1-answer of the first 0, 1, … of them."""
    predictions = _predict_everything(project, found, options)
    lists = [[answer.text for answer in prediction.answers] for prediction in predictions]
    references = [build_reference(row) for row in found]
    most = max(map(len, lists), default=0)
    gains = [
        score_predictions(
            references,
            {row.asked.id: texts[:count] for row, texts in zip(found, lists, strict=True)},
        ).columns["f1_answer"]
        for count in range(most + 1)
    ]
    return [
        RankedAnswers(
            row.asked.id,
            [answer.score for answer in prediction.answers],
            [column[place] for column in gains],
        )
        for place, (row, prediction) in enumerate(zip(found, predictions, strict=True))
    ]


def _predict_everything(
    project: Project, found: Sequence[Labelled], options: Mapping[str, str]
) -> list[Prediction]:
    """Return every span that the reader finds, whatever its likelihood."""
    from modeling.corpus import corpus_for  # loads the search engine

    entry = registry.get_baseline("thresholding")
    for_models = get_for_models(project)
    corpus = corpus_for(project.snapshot, entry.label) if for_models.needs_corpus(entry) else None
    baseline = registry.build_baseline(
        entry.key, corpus, {**options, "threshold": "0"}, read_examples_of(project)
    )
    asked = [replace(row.asked, disambiguations=(), knowledge=()) for row in found]
    return list(baseline.predict(asked))


def _measure_classes(
    project: Project, system: str, found: Sequence[Labelled], options: Mapping[str, str]
) -> list[RankedAnswers]:
    """Return each question with its likelihood of several answers, and whether it is right."""
    if unknown := [name for name in options if name != "ambiguity"]:
        raise BadOption(f"“{unknown[0][:40]}” has no part in it. What can be set: ambiguity.")
    classifier = engines.load_classifier(
        weights.get_weights("ambiguity", options.get("ambiguity", ""))
    )
    items = []
    for start in range(0, len(found), _AT_ONCE):
        some = found[start : start + _AT_ONCE]
        texts = [inputs.disambig_first(row.asked.question) for row in some]
        for row, likelihood in zip(some, classifier.predict_likelihoods(texts), strict=True):
            several = any(len(annotation) > 1 for annotation in row.annotations)
            items.append(
                RankedAnswers(row.asked.id, [likelihood], [float(not several), float(several)])
            )
    return items


def _name_options(chosen: Filter, *, classifies: bool) -> dict[str, str]:
    """Return the options that make a baseline do what was chosen."""
    threshold = f"{chosen.threshold:.9f}".rstrip("0").rstrip(".") or "0"
    if classifies:
        return {"cutoff": threshold}
    bounds = {"least": chosen.least, "most": chosen.most}
    return {"threshold": threshold} | {name: str(value) for name, value in bounds.items() if value}


def _find_majority(items: Sequence[RankedAnswers]) -> float:
    several = sum(item.gains[1] for item in items) / len(items)
    return max(several, 1 - several)
