"""How long each of the three steps takes (N6): Kwiatkowski et al. (2019), section 3.2."""

from collections.abc import Mapping, Sequence
from statistics import median

from annotation.figures.panel import Chart, Column, Panel
from annotation.figures.registry import Request
from evaluation.reports.papers.values import figure_with_interval
from metrics.score import Evaluation, Figure, ratio_or_zero
from natural_questions.annotation import STEPS
from natural_questions.figures import AnnotatedQuestion
from natural_questions.panels import read_items

WHOLE = "whole"
LABELS = {
    "question": "Is it a good question?",
    "long": "Long answer",
    "short": "Short answer",
    WHOLE: "All steps",
}


def build_times_panel(request: Request) -> Panel:
    """Return the active time of each step."""
    return tabulate_times(request.once(read_items))


def tabulate_times(rows: Sequence[AnnotatedQuestion]) -> Panel:
    """Return the time that people took for each step that they came to, and for all of them."""
    timed = [times for row in rows if (times := list_step_times(row)) and times[WHOLE]]
    evaluation = evaluate_step_times(timed)
    return Panel(
        columns=(
            Column("step", "Step"),
            Column("annotations", "Annotations", "count"),
            Column("mean", "Mean time", "seconds"),
            Column("median", "Median time", "seconds"),
        ),
        rows=[
            (
                LABELS[step],
                len(every),
                figure_with_interval(evaluation, "mean", step),
                median(every),
            )
            for step in (*STEPS, WHOLE)
            if (every := [seconds for times in timed for seconds in times[step]])
        ],
        n=sum(len(times[WHOLE]) for times in timed),
        counted="annotation",
        definition=(
            "The active time of annotations made here: pauses are left out, and a step to which "
            "somebody went back counts whole. A step that an annotation did not come to is not in "
            "its row. The paper gives a mean of 80 seconds for all steps together."
        ),
        needs="1 annotation made here",
        chart=Chart("bars", x="step", y="mean"),
    )


def list_step_times(row: AnnotatedQuestion) -> Mapping[str, list[float]]:
    """Return the seconds of each step of each annotation that was timed, by step and in all."""
    timed = [each.seconds for each in row.annotations if each.seconds]
    steps = {step: [times[step] for times in timed if step in times] for step in STEPS}
    return {**steps, WHOLE: [float(sum(times.values())) for times in timed]}


def evaluate_step_times(timed: Sequence[Mapping[str, Sequence[float]]]) -> Evaluation | None:
    """Return the mean seconds of each step; resampled by question."""
    if not timed:
        return None
    columns: dict[str, list[float]] = {}
    for step in (*STEPS, WHOLE):
        columns[step] = [float(sum(times[step])) for times in timed]
        columns[f"{step}_annotations"] = [float(len(times[step])) for times in timed]
    return Evaluation(
        task="nq-times",
        ids=[str(place) for place in range(len(timed))],
        columns=columns,
        figures=[
            Figure(step, (step, f"{step}_annotations"), ratio_or_zero) for step in (*STEPS, WHOLE)
        ],
    )
