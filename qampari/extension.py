"""What QAMPARI adds to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
    ProjectPanel,
)
from annotation.jobs.services import RunningJob
from qampari import reserve
from qampari.entries import REPORT_PANELS
from qampari.making import jobs
from qampari.making.editing import proposals
from qampari.making.editing.services import copy_relations
from qampari.making.views import making_panel
from qampari.views import extended_set_panel


def _make(work: RunningJob) -> None:
    # Loaded by the worker alone: most commands need none of it.
    from qampari.making.jobs import run_job

    run_job(work)


def _propose(work: RunningJob) -> None:
    from qampari.making.editing.proposals import run_job

    run_job(work)


EXTENSION = Extension(
    key="qampari",
    jobs=(
        JobKind(
            key=jobs.MAKING,
            run=_make,
            task=jobs.task_of,
            retry=jobs.start_again,
            words=JobWords(
                title="Questions from a graph",
                failed="No questions were made",
                stop="Stop, and keep what was judged",
                counts=(("created", "new"), ("unchanged", "unchanged"), ("rejected", "rejected")),
            ),
        ),
        JobKind(
            key=jobs.TRY,
            run=_make,
            task=jobs.task_of,
            retry=jobs.start_again,
            logged=False,
            words=JobWords(
                title="A try at questions from a graph",
                failed="No questions can be made like this",
                stop="Stop, and keep what was judged",
            ),
        ),
        JobKind(
            key=jobs.SAMPLE,
            run=_make,
            task=jobs.task_of,
            retry=jobs.start_again,
            logged=False,
            words=JobWords(
                title="A sample of questions from a graph",
                failed="No questions can be made like this",
                stop="Stop, and keep what was judged",
            ),
        ),
        JobKind(
            key=proposals.PROPOSE,
            run=_propose,
            task=proposals.task_of,
            retry=proposals.start_again,
            words=JobWords(
                title="Wordings from a model",
                failed="The model did not word everything",
                stop="Stop, and keep what was proposed",
                counts=(("proposed", "proposed"), ("failed", "without a usable reply")),
            ),
        ),
    ),
    report_panels=REPORT_PANELS,
    set_up_copies=(copy_relations,),
    followers=(reserve.FOLLOWER,),
    panels=(
        ProjectPanel("qampari/_making.html", making_panel),
        ProjectPanel("qampari/_extended_set.html", extended_set_panel),
    ),
    log=(
        LogEntries(
            {
                "extended_set_opened": "{who} put {opened} questions into [the extended set].",
                "made_question_good": "{who} found a [made question] good: “{question}”.",
                "made_question_left_out": "{who} left out a [made question]: “{question}”.",
                "made_question_wording": (
                    "{who} found a [made question] worded badly: “{question}”."
                ),
                "relation_added": "{who} added [the relation {relation}] to ask about.",
                "relation_changed": "{who} changed [the relation {relation}]: {changes}.",
                "relation_restored": (
                    "{who} went back to [the relation {relation}] as it comes with Ambit."
                ),
                "relation_removed": "{who} removed [the relation {relation}].",
            },
            pages={"questionreview": "make-questions", "maderelation": "made-relations"},
        ),
    ),
)
