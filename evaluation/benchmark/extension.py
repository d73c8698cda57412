"""What public pages add to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import JobKind, JobWords, LogEntries, Tab
from evaluation.benchmark import releases, scoring, services, submitting

EXTENSION = Extension(
    key="evaluation.benchmark",
    tabs=(Tab("benchmark", "Public page", "benchmark-edit", "setup", 205),),
    forget=(services.forget_person,),
    jobs=(
        JobKind(
            key=releases.RELEASE,
            run=releases.run_release,
            words=JobWords(
                title="Release for the public page",
                failed="The release was not put on the page",
                stop="Stop the release",
                counts=(("questions", "questions"),),
            ),
        ),
        JobKind(
            key=submitting.SCORE,
            run=scoring.run_scoring,
            logged=False,
            words=JobWords(
                title="Scores of predictions",
                failed="The predictions were not scored",
                stop="Stop scoring",
                counts=(("questions", "questions"),),
            ),
        ),
    ),
    log=(
        LogEntries(
            {
                "benchmark_changed": "{who} changed what [the public page] says.",
                "benchmark_released": (
                    "{who} put a release on [the public page]: {questions} questions, {format}."
                ),
                "benchmark_opened": "{who} opened [the public page] to everybody.",
                "benchmark_closed": "{who} closed [the public page].",
                "benchmark_invited": "{who} invited {email} into the team {team} of [the page].",
                "benchmark_joined": "{who} joined the team {team} of [the public page].",
                "benchmark_seat_ended": "{who} ended a seat in the team {team} of [the page].",
                "benchmark_entry_sent": "{who} of {team} sent predictions to [the public page].",
                "benchmark_entry_shown": "{who} of {team} changed who sees an [entry].",
                "benchmark_entry_withdrawn": "{who} of {team} withdrew an [entry].",
            },
            pages={
                "benchmark": "benchmark-edit",
                "teamseat": "benchmark-edit",
                "benchmarkentry": "benchmark-edit",
            },
        ),
    ),
)
