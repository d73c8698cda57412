"""The job that scores the predictions of a team, as systems of the project are scored."""

from dataclasses import asdict

from django.db import OperationalError, transaction

from annotation.jobs import services as jobs_services
from annotation.uploads.storage import StorageDown
from evaluation.benchmark.comparing import list_shown_kinds, renew_comparisons, round_figures
from evaluation.benchmark.models import HIDDEN, Benchmark, BenchmarkEntry
from evaluation.benchmark.policies import LEAST_HIDDEN
from evaluation.benchmark.predictions import read_predictions
from evaluation.benchmark.submitting import STOPPED, fail_entry
from evaluation.imports.files import open_uploaded_file
from evaluation.scores.measuring import Scale
from evaluation.scores.values import SystemMeasures
from evaluation.systems import output_files

FAULT = "The predictions could not be scored because of a fault in the program."
NOTHING = "Nothing of these predictions can be scored. Send the parts that the figures need."
State = BenchmarkEntry.State


def run_scoring(work: jobs_services.RunningJob) -> None:
    """Score the entry of the job; where that fails, the entry says why and does not count."""
    entry = BenchmarkEntry.objects.select_related("team__benchmark__project").get(
        pk=work.job.options["entry"]
    )
    if entry.state != State.WAITING:
        return  # its worker was lost after everything was stored
    try:
        _score(work, entry)
    except (OperationalError, StorageDown, jobs_services.JobLost):
        raise  # it is run again, or another worker runs it
    except jobs_services.JobProblem as problem:
        fail_entry(entry, str(problem).removesuffix(" Nothing was imported."))
        raise
    except Exception as error:
        fail_entry(entry, STOPPED if isinstance(error, jobs_services.JobCancelled) else FAULT)
        raise


def _score(work: jobs_services.RunningJob, entry: BenchmarkEntry) -> None:
    benchmark = entry.team.benchmark
    scale = Scale(benchmark.project, HIDDEN)
    work.save(done=0, total=len(scale.questions))
    with open_uploaded_file(work) as file:
        own = output_files.find_file(benchmark.project)
        outputs = read_predictions(file, scale.questions, own)
        columns, options = scale.scorer.measure_outputs(outputs, scale.scorer.read_more([]))
        made = SystemMeasures(len(outputs), len(scale.questions), columns, options)
        scores = made.score_figures(list_shown_kinds(scale.scoring))
        # A figure over a handful of questions would tell of single ones.
        figures = round_figures({name: s for name, s in scores.items() if s.n >= LEAST_HIDDEN})
    if not any(scale.scoring.kinds[name].scale for name in figures):
        raise jobs_services.JobProblem(NOTHING)
    with transaction.atomic():
        Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
        BenchmarkEntry.objects.filter(pk=entry.pk, state=State.WAITING).update(
            state=State.SCORED,
            figures=figures,
            measures=asdict(made),
            scale=scale.digest,
            scored_at=work.clock(),
        )
        renew_comparisons(benchmark)
        work.save(done=len(outputs), result={"questions": len(outputs)})
