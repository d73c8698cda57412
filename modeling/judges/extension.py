"""What judge models add to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import JobKind, JobWords, LogEntries, RowPanel
from annotation.figures.services import build_job_kind
from modeling.judges import panels, running
from modeling.judges import services as judges_services
from modeling.judges.figures import FIGURES

EXTENSION = Extension(
    key="modeling.judges",
    jobs=(
        JobKind(
            key=judges_services.JUDGE,
            run=running.run_job,
            task=running.task_of,
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
