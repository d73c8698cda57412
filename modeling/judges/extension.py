"""What judge models add to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import JobKind, JobWords, LogEntries, RowPanel
from annotation.figures.services import build_job_kind
from annotation.jobs.services import RunningJob
from modeling.judges import panels
from modeling.judges import services as judges_services
from modeling.judges.figures import FIGURES

# The Celery task that runs such jobs: that of workers with models.
_TASK = "modeling.tasks.run_job"


def _run(work: RunningJob) -> None:
    # Loaded by the worker alone: most commands talk with no model.
    from modeling.judges.running import run_job

    run_job(work)


EXTENSION = Extension(
    key="modeling.judges",
    jobs=(
        JobKind(
            key=judges_services.JUDGE,
            run=_run,
            task=lambda options: _TASK,
            retry=judges_services.start_again,
            words=JobWords(
                title="Judgments of a model",
                failed="The model did not judge everything",
                stop="Stop, and keep what it has judged",
                counts=(
                    ("judged", "judged"),
                    ("refused", "refused"),
                    ("unreadable", "unreadable"),
                    ("unanswered", "without a reply"),
                    ("known", "known from before"),
                ),
            ),
        ),
        build_job_kind(FIGURES),
    ),
    job_done=(judges_services.end_run,),
    row_panels=(
        RowPanel("modeling/judges/_study.html", panels.build_study_panel, page="study"),
        RowPanel("modeling/judges/_results.html", panels.build_results_panel, page="study-results"),
    ),
    log=(
        LogEntries(
            {
                "judge_added": (
                    "{who} added the model {model} as a judge of [{title}], and allowed that its "
                    "items are sent to it."
                ),
                "judge_allowed": "{who} allowed that items of [{title}] are sent to {model}.",
                "judge_disallowed": (
                    "{who} no longer allows that items of [{title}] are sent to {model}."
                ),
                "judge_removed": "{who} removed the judge model {model} from [{title}].",
            },
        ),
    ),
)
