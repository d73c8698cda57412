"""Score the answers of systems on a split: as a job, or at once for a command.

A reader first answers the questions that Disambig-F1 asks of each text, a few texts at a time, each
batch in one transaction with its count; then each system is measured; then the report is renewed. A
job that was killed passes over what is read and measured already.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.figures.queries import place_report
from annotation.figures.registry import find_report
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project, Question
from evaluation.reports.entries import SYSTEMS
from evaluation.scores import reading
from evaluation.scores.measuring import Scale
from evaluation.scores.reading import AnswerReader, NoReader, digest_of, questions_of
from evaluation.scores.registry import takes_readers
from evaluation.systems.models import Output, ReaderAnswers
from evaluation.systems.policies import check_can_import_outputs

SCORE = "score"
NO_USE = "The answers of this project’s systems are scored without a reader. Leave it out."
BATCH = 8  # texts; a reader on a processor needs a second for each
Progress = Callable[[int, int], None]


@dataclass
class ScoringRun:
    """Scores the systems of a project on a split. reader: "" for none.

    Raises NoReader where the reader cannot run here or is of no use, Conflict where there is
    nothing to score.
    """

    project: Project
    split: str
    reader: str = ""
    counts: dict[str, int] = field(default_factory=lambda: {"read": 0, "unchanged": 0, "scored": 0})

    def __post_init__(self) -> None:
        if self.reader and not takes_readers(self.project):
            raise NoReader(NO_USE)
        rows = self.project.systems.filter(outputs__question__split=self.split).distinct()
        self.systems = list(rows)
        if not self.systems:
            raise Conflict(f"No system has answered a question of {self.split}.")

    def score_systems(
        self,
        *,
        now: Callable[[], dt.datetime],
        on_save: Progress = lambda done, total: None,
        note: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Read and measure. `on_save` is called in the transaction of each batch, `note` with what
        was done.
        """
        outputs = self._outputs().count() if self.reader else 0
        total, done = outputs + len(self.systems), 0
        on_save(done, total)
        if self.reader:
            reader = reading.get_reader_offer(self.reader).open()
            for batch in self._batches():
                done += len(batch)
                made = self._read(reader, batch, now=now)
                with transaction.atomic():
                    store_reader_answers(made)
                    on_save(done, total)
            read, before = self.counts["read"], self.counts["unchanged"]
            note(f"Texts that {reader.name} has read: {read:,}; read before: {before:,}.")
        scale = Scale(self.project, self.split)
        for system in self.systems:
            done += 1
            with transaction.atomic():
                new = scale.store_measures(system, now=now())
                self.counts["scored"] += 1
                on_save(done, total)
                note(f"{system}: {'measured' if new else 'nothing has changed'}.")

    def _outputs(self) -> Any:
        rows = Output.objects.filter(system__in=self.systems, question__split=self.split)
        return rows.exclude(question__state=Question.State.EXCLUDED)

    def _batches(self) -> Iterator[list[Output]]:
        after = 0
        rows = self._outputs().select_related("question", "reader_answers").defer("details")
        while batch := list(rows.filter(pk__gt=after).order_by("pk")[:BATCH]):
            yield batch
            after = batch[-1].pk

    def _read(
        self, reader: AnswerReader, batch: Sequence[Output], *, now: Callable[[], dt.datetime]
    ) -> list[ReaderAnswers]:
        """Return what the reader answers to the outputs that it has not read, and count them."""
        asked = {row.pk: questions_of(row.question) for row in batch}
        due = [row for row in batch if asked[row.pk] and not _is_read(row, asked[row.pk], reader)]
        answers = iter(
            reader.read_answers([(text, row.text) for row in due for text in asked[row.pk]])
        )
        made = [
            ReaderAnswers(
                output=row,
                reader=reader.name,
                answers=[clean_answer(next(answers)) for _ in asked[row.pk]],
                digest=digest_of(row.text, asked[row.pk]),
                read_at=now(),
            )
            for row in due
        ]
        self.counts["read"] += len(made)
        self.counts["unchanged"] += sum(bool(asked[row.pk]) for row in batch) - len(made)
        return made


def _is_read(output: Output, questions: Sequence[str], reader: AnswerReader) -> bool:
    answers = getattr(output, "reader_answers", None)
    return (
        answers is not None
        and answers.reader == reader.name
        and answers.digest == digest_of(output.text, questions)
    )


def clean_answer(answer: str) -> str:
    """Return an answer that can be stored."""
    return answer.replace("\0", "\ufffd")


def store_reader_answers(rows: Sequence[ReaderAnswers]) -> None:
    """Store what readers answered, in place of earlier answers to the same outputs."""
    ReaderAnswers.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["output"],
        update_fields=["reader", "answers", "digest", "read_at"],
    )


def log_reader_answers(scoring: ScoringRun, *, by: User | None, now: dt.datetime) -> None:
    """Write the audit row of answers that a reader gave, if it gave any."""
    if scoring.counts["read"]:
        audit.record_action(
            "reader_answers_stored", scoring.project, by=by, now=now, project=scoring.project,
            reader=scoring.reader, split=scoring.split, texts=scoring.counts["read"],
        )  # fmt: skip


# --- as a job ------------------------------------------------------------------------------


@transaction.atomic
def start_scoring_job(
    *, project: Project, split: str, reader: str = "", by: User, now: dt.datetime
) -> Job:
    """Make the job that scores the systems of a split, or return the one under way.

    Staff only. Raises NoReader for a reader that there is not or that cannot run here, Conflict
    where no system has answered a question of the split.
    """
    check_can_import_outputs(by, project)
    ScoringRun(project, split, reader)
    options = {"split": split, "reader": reader}
    if reader:
        reading.get_reader_offer(reader).open()
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two clicks, one job
    open_ones = Job.objects.filter(project=project, kind=SCORE, state__in=jobs_services.UNFINISHED)
    if job := open_ones.filter(options=options).order_by("pk").first():
        return job
    title = f"Scores on {split}" + (
        f", with {reading.get_reader_offer(reader).label}" if reader else ""
    )
    return jobs_services.create_job(
        project=project, kind=SCORE, options=options, file_name=title, unit="steps", by=by, now=now
    )


def run_job(work: jobs_services.RunningJob) -> None:
    """Run the job; what is read and measured already is passed over."""
    options, project = work.job.options, work.job.project

    def save(done: int, total: int) -> None:
        work.save(done=done, total=total, result=dict(scoring.counts))

    try:
        scoring = ScoringRun(project, options["split"], options["reader"])
        with jobs_services.keep_heartbeat(work):
            scoring.score_systems(now=work.clock, on_save=save, note=work.write_log_line)
            with transaction.atomic():
                log_reader_answers(scoring, by=work.job.created_by, now=work.clock())
                work.save()
            refresh_systems_report(project, options["split"], now=work.clock())
            work.write_log_line("The report of systems is computed.")
    except (NoReader, Conflict) as problem:
        raise jobs_services.JobProblem(str(problem)) from None


def refresh_systems_report(project: Project, split: str, *, now: dt.datetime) -> None:
    """Compute the report of systems on a split from what was measured."""
    report = find_report(project, SYSTEMS)
    if report is not None:
        filters = Filters(split=split)
        computed = figures_services.compute_figures(place_report(project, report, filters), now=now)
        figures_services.store_computed(computed)


def task_of(options: Mapping[str, Any]) -> str:
    try:
        return (
            reading.get_reader_offer(options["reader"]).task
            if options["reader"]
            else jobs_services.RUN_JOB
        )
    except NoReader:
        return jobs_services.RUN_JOB  # which says so


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    try:
        return start_scoring_job(project=job.project, by=by, now=now, **job.options)
    except NoReader as problem:
        raise Conflict(str(problem)) from None
