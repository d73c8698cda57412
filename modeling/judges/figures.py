"""The figures of a study's judge models: computed by a job, apart from those of people.

Shares, points and positions are computed as those of people are (`evaluation.results.counts`), from
the model's verdicts alone, in both orders. With people a verdict is compared in the order in which
the person saw the answers.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.extensions.parts import JobWords
from annotation.figures.stored import ComputedFigures, FigureKind, FigurePlace, Parts, Progress
from annotation.jobs.services import JobProblem
from evaluation.consensus import panel
from evaluation.models import Judgment, Study
from evaluation.studies.judgment_values import ItemJudgment
from evaluation.studies.queries import list_counted_judgments
from modeling.judges import queries

FIGURES = FigureKind(
    key="judge_figures",
    unit="judgments",
    words=JobWords(
        title="Figures of judge models",
        failed="The figures of judge models could not be computed",
        stop="Stop",
    ),
    compute="modeling.judges.figures.compute_judge_figures",
    state="modeling.judges.figures.read_state",
    subject="study",
)
Units = dict[Any, tuple[str, list[Any]]]


def place_figures(study: Study) -> FigurePlace:
    """Return where the figures of a study's judge models are stored."""
    return FigurePlace(FIGURES, study.project, subject=study.pk)


def find_figures(study: Study) -> ComputedFigures:
    """Return the stored figures of a study's judge models."""
    return ComputedFigures.find(place_figures(study))


def read_state(place: FigurePlace) -> str:
    """Return what changes with every judgment of people and of models."""
    people = Judgment.objects.filter(item__study=place.subject).order_by("-pk")
    newest = people.values_list("pk", flat=True).first()
    count, judges, at = queries.read_newest(place.subject)
    return f"{newest or 0} {people.count()} {count} {judges} {at.isoformat() if at else ''}"


def compute_judge_figures(place: FigurePlace, now: dt.datetime, progress: Progress) -> Parts:
    """Compute what people say of a study, and beside it, of each model alone, what it says.

    Raises JobProblem where the study has been deleted.
    """
    study = Study.objects.select_related("project").filter(pk=place.subject).first()
    if study is None:
        raise JobProblem("The study no longer exists.")
    people = list_counted_judgments(study)
    found = queries.list_progress(study)
    progress.total = len(people) + sum(row.judged for row in found)
    consensus = panel.read_agreed_verdicts(study)
    shown = _summarise(study, people, consensus)
    progress.step(len(people))
    judges = []
    for row in found:
        values = [value for _, value in queries.read_judgments(row.judge)]
        judges.append(_describe(row) | _compare(study, people, values))
        progress.step(len(values))
    return {"": {"people": shown | {"judgments": len(people)}, "judges": judges}}


def _describe(row: queries.JudgeProgress) -> dict[str, Any]:
    """Return what a judge model is, how much it has judged, and what that cost."""
    judge = row.judge
    return {
        "judge": judge.pk,
        "model": judge.model,
        "host": judge.host,
        "prompt": judge.prompt,
        "asked": row.asked,
        "judged": row.judged,
        "refused": row.refused,
        "unreadable": row.unreadable,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "cost": None if row.cost is None else float(row.cost),
        "own": list(row.own),
        "own_items": queries.count_items_of(judge, row.own),
    }


def _summarise(
    study: Study, rows: Sequence[ItemJudgment], consensus: Mapping[int, str]
) -> dict[str, Any]:
    """Return what some judges say of the systems, without agreement: accuracy, points, verdicts."""
    from evaluation.results.counts import compute_figures  # numpy, only where figures are computed

    computed = compute_figures(rows, criteria=study.criteria, seed=study.seed, consensus=consensus)
    kept = ("key", "label", "points", "matrix", "position")
    return {
        "systems": computed["systems"],
        "acc": computed["acc"],
        "acc_agreement": computed["acc_agreement"],
        "criteria": [
            {name: row[name] for name in kept}
            | {"agreement": row["agreement"], "flips": _mirror(row["consistency"])}
            for row in computed["criteria"]
            if row["points"]
        ],
        "experts": computed["experts"],
    }


def _mirror(same: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the share of items whose preference changes with the order, from the others'."""
    if same is None or same["value"] is None:
        return None
    low, high = same["low"], same["high"]
    return {
        **same,
        "value": 100 - same["value"],
        "low": None if high is None else 100 - high,
        "high": None if low is None else 100 - low,
    }


def _compare(
    study: Study, people: Sequence[ItemJudgment], values: Sequence[ItemJudgment]
) -> dict[str, Any]:
    """Return what a model says of the systems, and how far people agree with it."""
    from evaluation.results.values import Maker, measure_agreement  # numpy

    said = _summarise(study, values, {})
    said.pop("acc_agreement")  # of the model with itself
    for row in said["criteria"]:
        row.pop("agreement")
    make = Maker(seed=study.seed, resamples=1000)
    scales = {"acc": "nominal", "verdict": "nominal"}
    agreement = [
        {"key": key, **measure_agreement(units, scales.get(key, "ordinal"), make)}  # type: ignore[arg-type]
        for key, units in _pair_ratings(study, people, values).items()
        if units
    ]
    return said | {"agreement": agreement, "people": len(_meet(people, values))}


def _meet(
    people: Sequence[ItemJudgment], values: Sequence[ItemJudgment]
) -> list[tuple[ItemJudgment, ItemJudgment]]:
    """Return each judgment of a person, not of a repeat, with the model's in the same order."""
    seen = {(value.pair, value.left, value.right): value for value in values}
    found = [(each, seen.get((each.pair, each.left, each.right))) for each in people]
    return [(each, value) for each, value in found if value is not None and not each.repeat]


def _pair_ratings(
    study: Study, people: Sequence[ItemJudgment], values: Sequence[ItemJudgment]
) -> dict[str, Units]:
    """Return for each thing asked what a person and the model said of the same."""
    keys = [criterion["key"] for criterion in study.criteria]
    units: dict[str, Units] = {key: {} for key in ("acc", *keys, "verdict")}
    for number, (person, model) in enumerate(_meet(people, values)):
        for side in ("left_found", "right_found"):
            marks = zip(getattr(person, side), getattr(model, side), strict=False)
            for place, both in enumerate(marks):
                units["acc"][number, side, place] = (person.question, list(both))
        for key in keys:
            if key in person.choices and key in model.choices:
                # Towards the system whose name comes first: a fixed direction.
                way = -1 if person.left < person.right else 1
                both_chose = [way * person.choices[key], way * model.choices[key]]
                units[key][number] = (person.question, both_chose)
        if person.verdict and model.verdict:
            units["verdict"][number] = (person.question, [person.verdict, model.verdict])
    return units
