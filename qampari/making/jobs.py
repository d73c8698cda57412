"""Making questions as jobs: a try that shows some, a sample of what a run adds, and the run.

A run is killed at any point and called again with the same result: verdicts are rows that are
written with the job's progress, and everything else follows from graph, pages, choice and seed.
Questions come in at the end, by the import, so that undoing it undoes the run.
"""

import datetime as dt
import io
import json
from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core.refusals import Conflict
from annotation.imports.services import import_questions
from annotation.imports.sorting import ImportCounts
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project, Question
from annotation.uploads.storage import StorageDown
from metrics.text import answer_key
from modeling.base import MissingModel
from qampari.making.choices import BadChoice, MakingChoice, read_choice, write_choice
from qampari.making.entailment import ROLE, EntailmentJudge
from qampari.making.judging import EvidenceJudge, WordsJudge
from qampari.making.left_out import REASON_WORDS
from qampari.making.made_records import RecordWriter
from qampari.making.pages import SnapshotPages, check_tables_can_be_read
from qampari.making.reviews import read_reviewed
from qampari.making.run import MakingRun
from qampari.making.samples import draw_sample
from qampari.making.stored_verdicts import StoredVerdicts
from qampari.models import SampledQuestion
from wikipedia.models import Snapshot
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.folders import list_graphs, open_graph
from wikipedia.wikidata.graph import Graph

MAKING: Final = "make"
TRY: Final = "make-try"
SAMPLE: Final = "make-sample"
JUDGES: Final = {"words": "Their words, without a model", ROLE: "A model of entailment"}
PROTOCOL: Final = "qampari"
_MODELS_TASK: Final = "modeling.tasks.run_job"
_QUERIES_AT_ONCE: Final = 20  # between two rows of progress
_TRIED: Final = 3  # queries of each relation that a try looks for evidence of
_SHOWN_QUESTIONS, _SHOWN_ANSWERS = 10, 3


@transaction.atomic
def start_making_job(
    *,
    project: Project,
    graph: str,
    choice: MakingChoice,
    judge: str,
    try_only: bool = False,
    sample_only: bool = False,
    by: User,
    now: dt.datetime,
) -> Job:
    """Make the job that makes questions, or returns the one under way that does the same.

    try_only: look for evidence of a few things alone, and add nothing; sample_only: do all that a
    run does, and add nothing. Staff only. Raises Conflict where the project has no lists, or no
    Wikipedia; BadChoice for a judge that does not exist; GraphProblem where there is no such graph.
    """
    check_can_import(by, project)
    snapshot = check_can_be_made(project)
    if choice.tables:
        check_tables_can_be_read(snapshot)
    if judge not in JUDGES:
        raise BadChoice(f"There is no judge “{judge[:40]}”. Choose {' or '.join(JUDGES)}.")
    open_graph(graph).close()
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two clicks, one job
    kind = TRY if try_only else SAMPLE if sample_only else MAKING
    options = {"graph": graph, "judge": judge, "choice": write_choice(choice)}
    for job in Job.objects.filter(project=project, state__in=jobs_services.UNFINISHED):
        if job.kind == kind == MAKING and job.options != options:
            raise Conflict("Questions are being made in this project. Wait until it has ended.")
        if (job.kind, job.options) == (kind, options):
            return job
    return jobs_services.create_job(
        project=project,
        kind=kind,
        options=options,
        file_name=f"From the graph “{graph}”",
        unit="queries",
        by=by,
        now=now,
    )


def check_can_be_made(project: Project) -> Snapshot:
    """Return the snapshot in which evidence is looked for. Raises Conflict where there is none."""
    if project.protocol != PROTOCOL:
        raise Conflict("Questions with many answers are made for projects of lists alone.")
    if project.snapshot is None:
        raise Conflict(f"{project.title} has no Wikipedia snapshot to find evidence in.")
    return project.snapshot


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    """Start a job like one that failed; verdicts that it has are not asked for again."""
    return start_making_job(
        project=job.project,
        graph=job.options["graph"],
        choice=read_choice(job.options["choice"]),
        judge=job.options["judge"],
        try_only=job.kind == TRY,
        sample_only=job.kind == SAMPLE,
        by=by,
        now=now,
    )


def task_of(options: Mapping[str, Any]) -> str:
    """Return the Celery task that runs such a job: that of workers with models, for a model."""
    return _MODELS_TASK if options["judge"] == ROLE else jobs_services.RUN_JOB


def run_job(work: jobs_services.RunningJob) -> None:
    """Make questions, and add them to the project or show some."""
    options = work.job.options
    if options["graph"] not in list_graphs():
        raise jobs_services.JobPassedOn
    try:
        with jobs_services.keep_heartbeat(work), open_graph(options["graph"]) as graph:
            _make(work, graph)
    except (Conflict, GraphProblem, MissingModel) as problem:
        raise jobs_services.JobProblem(str(problem)) from None
    except (ProviderUnavailable, StorageDown) as problem:
        raise jobs_services.JobProblem(f"{problem} Try again later.") from None


def _make(work: jobs_services.RunningJob, graph: Graph) -> None:
    project, options = work.job.project, work.job.options
    snapshot, choice = check_can_be_made(project), read_choice(options["choice"])
    judge: EvidenceJudge = EntailmentJudge() if options["judge"] == ROLE else WordsJudge()
    kept = StoredVerdicts(project, snapshot.name, judge)

    def save_progress(seen: int) -> None:
        if seen % _QUERIES_AT_ONCE == 0:
            with transaction.atomic():
                kept.flush()
                work.save(done=seen)

    others = Question.objects.filter(project=project).exclude(job=work.job)
    run = MakingRun(
        graph,
        SnapshotPages(snapshot),
        judge,
        choice,
        known=set(map(answer_key, others.values_list("text", flat=True))),
        reviewed=read_reviewed(project),
        kept=kept,
        report=save_progress,
    )
    made = run.make(most_judged=_TRIED if work.job.kind == TRY else None)
    about = graph.about
    writer = RecordWriter(
        graph,
        made,
        language=about["language"],
        snapshot=snapshot.name,
        judge=f"{judge.key} {judge.version}",
        source={"seed": choice.seed, "graph": about["hash"], "language": about["language"]},
    )
    records = list(writer.write_records())
    with transaction.atomic():
        kept.flush()
        work.save(done=made.counts["found"].get("simple", 0))
    work.write_log_line(describe_counts(made.counts))
    if work.job.kind == MAKING:
        _import(work, records, made.counts)
    else:
        sampled = draw_sample(made, records, work.job, choice.seed)
        shown = {"sample": _choose_sample(records), "left_out": _list_left_out(made.counts)}
        with transaction.atomic():
            SampledQuestion.objects.filter(job=work.job).delete()  # of an attempt that was lost
            SampledQuestion.objects.bulk_create(sampled)
            work.save(result={"counts": made.counts, "shown": shown, "verdicts": kept.about})


def _import(
    work: jobs_services.RunningJob, records: list[dict[str, Any]], counts: dict[str, Any]
) -> None:
    before = dict(work.job.result)  # what an earlier attempt has stored
    stored = before.pop("stored", 0)
    before.pop("counts", None)
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    tally = import_questions(
        project=work.job.project,
        file=io.BytesIO("".join(lines).encode()),
        format=PROTOCOL,
        split=None,
        by=None,  # it was checked when the job was made
        now=work.job.started_at or work.clock(),
        job=work.job,
        start_at=stored,
        tally=ImportCounts(**before) if before else None,
        on_save=lambda number, tally: work.save(
            result=tally.as_json() | {"counts": counts, "stored": number}
        ),
        on_step=work.write_heartbeat,
    )
    work.save(result=tally.as_json() | {"counts": counts})


def describe_counts(counts: Mapping[str, Any]) -> str:
    """Return in a sentence how many queries there were, and why some were left out."""
    found, left_out = counts["found"], counts["left_out"]
    why = ", ".join(f"{n:,} ({REASON_WORDS[name]})" for name, n in left_out.items())
    kept = sum(n for name, n in found.items() if name.endswith("_kept"))
    return (
        f"{found.get('simple', 0):,} simple queries, {counts['triples']:,} facts and "
        f"{counts['sentences']:,} sentences"
        + (
            f", {found['lists_read']:,} of {found['lists']:,} lists"
            if "lists_read" in found
            else ""
        )
        + f"; {kept:,} queries kept, "
        f"{sum(counts['drawn'].values()):,} drawn" + (f"; left out: {why}." if why else ".")
    )


def _list_left_out(counts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "reason": REASON_WORDS[reason],
            "count": number,
            "texts": counts["examples"].get(reason, []),
        }
        for reason, number in counts["left_out"].items()
    ]


def _choose_sample(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "question": record["question_text"],
            "count": len(record["answer_list"]),
            "answers": [
                {
                    "text": answer["answer_text"],
                    "proof": answer["proof"][0]["proof_text"],
                    "page": answer["proof"][0]["evidence"]["path"].replace("_", " "),
                    "score": answer["proof"][0]["evidence"]["score"],
                }
                for answer in record["answer_list"][:_SHOWN_ANSWERS]
            ],
        }
        for record in records[:_SHOWN_QUESTIONS]
    ]
