"""Run a baseline over questions of a project: as a job, or at once for a command.

Questions are answered in the order of their ids, a few at a time, each batch in one transaction
with its counts. The batches of a job can be answered by several workers (`sharing`).
"""

import datetime as dt
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project, Question
from evaluation.systems.policies import check_can_import_outputs
from modeling import pace, registry
from modeling.base import VERDICTS, Baseline, CopiesAnswers, MissingModel, Prediction
from modeling.examples import ReadExamples
from modeling.for_models import get_for_models
from modeling.retrieval import build_searcher, loads_weights
from modeling.services import sharing
from modeling.services.storing import Outputs, RunReport, Store
from modeling.services.suggesting import Suggestions

PREDICT = "predict"
SUGGEST = "suggest"
STORES: Mapping[str, type[Outputs] | type[Suggestions]] = {
    PREDICT: Outputs,
    SUGGEST: Suggestions,
}
BATCH = 32
BATCH_HEAVY = 4  # at most; the first has one question, and each as many as were quick before
SLOW = 10.0  # seconds for a batch of a heavy baseline, from which the next one is smaller
_TASK = "modeling.tasks.run_job"

Answered = Sequence[tuple[Question, Prediction]]


@dataclass(frozen=True)
class Choice:
    """Which baseline answers which questions.

    split: "" for all; options: those of the baseline; missing: only questions for which this
    version has stored nothing yet.
    """

    baseline: str
    split: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    missing: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as the options of a job."""
        return asdict(self)


class Run:
    """A baseline, ready to answer the chosen questions of a project.

    Raises MissingModel where it cannot run here, Conflict where it gives nothing to store.
    """

    def __init__(self, project: Project, kind: str, choice: Choice) -> None:
        from modeling.corpus import corpus_for  # loads the search engine

        self.project, self.choice = project, choice
        self.for_models = get_for_models(project)
        self.entry = registry.get_baseline(choice.baseline)
        if self.for_models.lacks_pages(self.entry):
            raise Conflict(
                f"“{self.entry.label}” answers questions on pages of their own, and the questions "
                "of this project have none."
            )
        corpus = None
        if self.for_models.needs_corpus(self.entry):
            corpus = corpus_for(project.snapshot, self.entry.label)
        self.baseline: Baseline = registry.build_baseline(
            self.entry.key,
            corpus,
            choice.options,
            read_examples_of(project),
            own_pages=self.for_models.own_pages,
        )
        make = STORES[kind]
        if not make.list_taken(self.for_models) & self.baseline.gives:
            raise Conflict(f"“{self.entry.label}” gives no answers, so there is nothing to store.")
        self._copied = _find_copied_split(self.baseline, make)
        if self._copied and self._copied == choice.split:
            raise Conflict(
                f"“{self.entry.label}” would copy answers of {choice.split} to other questions of "
                "it, and tell by that which are finished. Set train to another split."
            )
        every = self.entry.with_options(choice.options)
        searched = corpus and build_searcher(corpus, every, self.entry.label)
        # Some baselines take a model only where an option says so.
        self.heavy = self.entry.heavy or loads_weights(every)
        self._next = 1  # questions in the next batch, where it is heavy
        self.store: Store = make(project, self.entry, self.baseline, searched, choice.options)

    def select_questions(self) -> QuerySet[Question]:
        """Return the questions that it answers, from the first one on."""
        rows = Question.objects.filter(project=self.project)
        rows = rows.exclude(state=Question.State.EXCLUDED)
        if self.choice.split:
            rows = rows.filter(split=self.choice.split)
        if self._copied:
            rows = rows.exclude(split=self._copied)
        return self.store.exclude_stored(rows) if self.choice.missing else rows

    @property
    def batch(self) -> int:
        """How many questions are answered and stored at a time."""
        return self._next if self.heavy else BATCH

    def answer_all(
        self,
        report: RunReport,
        *,
        by: User | None,
        now: Callable[[], dt.datetime],
        on_save: Callable[[int], None] = lambda last: None,
        on_answers: Callable[[Answered], None] = lambda answered: None,
        on_tokens: pace.Listener = lambda tokens: None,
    ) -> None:
        """Answer all questions, and count in the report.

        `on_save` is called in the transaction of each batch, with its last id, `on_answers` after
        it with the predictions, and `on_tokens` while a model writes. Raises MissingModel where the
        baseline stops; what it answered until then is stored.
        """
        for questions in self._batches():
            answered, problem = self.predict_answers(questions, on_tokens)
            if answered:
                with transaction.atomic():
                    self.store.write_predictions(answered, report, by=by, now=now())
                    on_save(answered[-1][0].pk)
                on_answers(answered)
            if problem is not None:
                raise problem

    def predict_answers(
        self, questions: Sequence[Question], on_tokens: pace.Listener = lambda tokens: None
    ) -> tuple[list[tuple[Question, Prediction]], MissingModel | None]:
        """Return the predictions, and why the baseline stopped before the end, if it did.

        The last ones failed for the same reason then, so they are left for another run.
        """
        began = time.monotonic()
        with pace.heard_by(on_tokens):
            answered = self._answers(questions)
        # What is slow is stored, and seen, after each question.
        slow = time.monotonic() - began > SLOW
        self._next = max(self._next // 2, 1) if slow else min(2 * self._next, BATCH_HEAVY)
        return answered

    def _answers(
        self, questions: Sequence[Question]
    ) -> tuple[list[tuple[Question, Prediction]], MissingModel | None]:
        known = self.for_models.build_inputs(questions, references=self.store.references)
        if (to_check := self.for_models.to_check) and VERDICTS in self.baseline.gives:
            candidates = to_check.read(questions)
            known = [
                replace(asked, candidates=candidates.get(question.pk, ()))
                for question, asked in zip(questions, known, strict=True)
            ]
        answered = []
        try:
            for pair in zip(questions, self.baseline.predict(known), strict=True):
                answered.append(pair)
        except MissingModel as problem:
            while answered and answered[-1][1].problem:
                answered.pop()
            return answered, problem
        return answered, None

    def _batches(self) -> Iterator[list[Question]]:
        after = 0
        while rows := list(
            self.select_questions().filter(pk__gt=after).order_by("pk")[: self.batch]
        ):
            yield rows
            after = rows[-1].pk


def _find_copied_split(baseline: Baseline, store: type[Outputs] | type[Suggestions]) -> str:
    """Return the split whose answers would become suggestions, "" if none would.

    On that split they would tell gold items: a finished question whose page has no other one has
    none, and those beside it show its answer.
    """
    if store.references or not isinstance(baseline, CopiesAnswers):
        return ""
    return baseline.copied_split


def read_examples_of(project: Project) -> ReadExamples:
    """Return what gives the questions of a split of the project with what is accepted for them."""
    return lambda split: list(get_for_models(project).read_examples(project, split))


# --- at once -------------------------------------------------------------------------------


def record_run(*, run: Run, report: RunReport, now: dt.datetime) -> None:
    """Write the audit row of a run that had no job (the command)."""
    counts = {key: value for key, value in report.as_json().items() if key != "errors"}
    audit.record_action(
        "baseline_run", run.project, by=None, now=now, project=run.project,
        system=f"{run.store.name} {run.store.version}", split=run.choice.split, **counts,
    )  # fmt: skip


# --- as a job ------------------------------------------------------------------------------


def start_prediction_job(*, project: Project, choice: Choice, by: User, now: dt.datetime) -> Job:
    """Make the job that stores what a baseline answers, or return the same one under way.

    Staff only. Raises MissingModel where the baseline cannot run, Conflict where no question of
    the split needs it.
    """
    return _start(project, PREDICT, choice, by, now)


def start_suggestion_job(*, project: Project, choice: Choice, by: User, now: dt.datetime) -> Job:
    """Make the job that stores what a baseline suggests to people; else as `predict`."""
    return _start(project, SUGGEST, choice, by, now)


@transaction.atomic
def _start(project: Project, kind: str, choice: Choice, by: User, now: dt.datetime) -> Job:
    check_can_import_outputs(by, project)
    run = Run(project, kind, choice)
    if not run.select_questions().exists():
        raise Conflict(no_question(choice))
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two clicks, one job
    open_ones = Job.objects.filter(project=project, kind=kind, state__in=jobs_services.UNFINISHED)
    for job in open_ones.order_by("pk"):
        if choice_of(job) == choice:
            return job
    return jobs_services.create_job(
        project=project,
        kind=kind,
        options=choice.as_json() | {"heavy": run.heavy, "system": run.store.name},
        file_name=f"{run.entry.label}, {choice.split or 'all splits'}",
        unit="questions",
        by=by,
        now=now,
    )


def no_question(choice: Choice) -> str:
    """Return the sentence for a choice that holds no question."""
    where = f"on {choice.split}" if choice.split else "in this project"
    if choice.missing:
        return f"Every question {where} has something of this version already, or there is none."
    return f"There is no question {where}."


def choice_of(job: Job) -> Choice:
    """Return what a job was asked to do."""
    return Choice(**{name: job.options[name] for name in Choice.__dataclass_fields__})


def run_job(work: jobs_services.RunningJob) -> None:
    """Run a job from where it stopped, until it is done here and by the workers that join."""
    sharing.forget_ended()
    with sharing.at_work(work.job.pk):
        try:
            _share(work, begin=True)
        except _CannotRun as problem:
            # The first time another worker is given the chance.
            if sharing.note_absence(job=work.job, reason=str(problem)):
                raise jobs_services.JobPassedOn from None
            raise jobs_services.JobProblem(str(problem)) from None
        except (MissingModel, Conflict) as problem:
            raise jobs_services.JobProblem(str(problem)) from None


def join_job(*, job_id: int, clock: Callable[[], dt.datetime]) -> None:
    """Help with a job that another worker runs, if it can be run here.

    Where it cannot, or the model stops here, the job's page says so and the others go on.
    """
    job = jobs_services.under_way(job_id)
    if job is None:
        return
    with sharing.at_work(job_id) as already:
        if already:
            return
        try:
            _share(jobs_services.RunningJob(job, clock), begin=False)
        except (jobs_services.JobLost, jobs_services.JobCancelled):
            return
        except (MissingModel, Conflict, jobs_services.JobProblem) as problem:
            sharing.note_absence(job=job, reason=str(problem))
        else:
            jobs_services.end_job(job=job, state=Job.State.DONE, now=clock())


class _CannotRun(MissingModel):
    """This worker lacks something that a run needs."""


def _share(work: jobs_services.RunningJob, *, begin: bool) -> None:
    try:
        run = Run(work.job.project, work.job.kind, choice_of(work.job))
    except MissingModel as problem:
        raise _CannotRun(str(problem)) from None
    _check_version(work, run, begin=begin)
    share = sharing.Share(work, run)
    with jobs_services.keep_heartbeat(work, also=share.write_heartbeat):
        share.answer_batches()


def _check_version(work: jobs_services.RunningJob, run: Run, *, begin: bool) -> None:
    """Note the version with which a job begins; stop a worker that would go on with another."""
    options = work.job.options
    if begin and "version" not in options:
        start = {"version": run.store.version, "after": 0}
        work.save(total=run.select_questions().count(), options=options | start)
    elif options["version"] != run.store.version:
        raise jobs_services.JobProblem(
            f"It began with version {options['version']}, and this worker has version "
            f"{run.store.version}. Start it again; what was stored is kept."
        )


def task_of(options: Mapping[str, Any]) -> str:
    return _TASK if options.get("heavy") else jobs_services.RUN_JOB


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    try:
        return _start(job.project, job.kind, choice_of(job), by, now)
    except MissingModel as problem:
        raise Conflict(str(problem)) from None
