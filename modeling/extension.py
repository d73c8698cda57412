"""What models add to the rooms of annotation."""

from typing import Any

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
    ProjectPanel,
    Tab,
)
from annotation.figures.registry import Entry, ReportPanels
from annotation.models import Project
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from modeling.services import indexing, running
from modeling.training import jobs as training_jobs


def _run_panel(project: Project) -> dict[str, Any]:
    return {"suggests": protocols.protocol_of(project).has_feature(Feature.SUGGESTIONS)}


EXTENSION = Extension(
    key="modeling",
    jobs=(
        JobKind(
            key=running.PREDICT,
            run=running.run_job,
            task=running.task_of,
            retry=running.start_again,
            words=JobWords(
                title="Answers of a baseline",
                failed="The baseline did not finish",
                stop="Stop, and keep what is stored",
                counts=(
                    ("created", "new"),
                    ("changed", "changed"),
                    ("unchanged", "unchanged"),
                    ("kept", "kept because a study uses them"),
                    ("rejected", "without an answer"),
                ),
                refused="without an answer",
            ),
        ),
        JobKind(
            key=running.SUGGEST,
            run=running.run_job,
            task=running.task_of,
            retry=running.start_again,
            words=JobWords(
                title="Suggestions of a baseline",
                failed="The baseline did not finish",
                stop="Stop, and keep what is stored",
                counts=(
                    ("created", "questions with new suggestions"),
                    ("unchanged", "had them before"),
                    ("rejected", "without any, or without some"),
                ),
                refused="without any suggestion, or without some",
            ),
        ),
        JobKind(
            key=training_jobs.TRAINING,
            run=training_jobs.run_job,
            task=training_jobs.task_of,
            retry=training_jobs.start_again,
            words=JobWords(
                title="Training",
                failed="The training did not finish",
                stop="Stop, and continue another time",
            ),
        ),
        JobKind(
            key=training_jobs.ESTIMATE,
            run=training_jobs.run_estimate_job,
            task=training_jobs.task_of,
            retry=training_jobs.start_again,
            logged=False,
            words=JobWords(
                title="Estimate of a training",
                failed="This training cannot begin like this",
                stop="Stop",
            ),
        ),
        JobKind(
            key=indexing.VECTORS,
            run=indexing.run_job,
            task=indexing.task_of,
            retry=indexing.start_again,
            words=JobWords(
                title="Vectors of passages",
                failed="The vectors were not finished",
                stop="Stop, and continue another time",
            ),
        ),
    ),
    tabs=(
        Tab(
            "suggestions",
            "Suggestions",
            "suggestion-report",
            "quality",
            108,
            needs=Feature.SUGGESTIONS,
        ),
    ),
    report_panels=(
        ReportPanels(
            "project",
            (
                Entry(
                    *("uptake", "Uptake of suggestions", "modeling.report.build_panel", ("split",)),
                    needs=Feature.SUGGESTIONS,
                ),
            ),
        ),
    ),
    panels=(ProjectPanel("modeling/_run.html", _run_panel, page="systems"),),
    log=(
        LogEntries(
            {
                "baseline_run": (
                    "{who} ran the baseline [{system}]: {created} new, {changed} changed."
                ),
                "weights_trained": (
                    "{who} trained the weights {name} for {role} from {examples} examples."
                ),
                "training_set_taken": (
                    "{who} downloaded [a training set] for {role}, {layout}{of_split}."
                ),
            },
            pages={"baseline_run": "system-list", "training_set_taken": "training-set"},
        ),
    ),
)
