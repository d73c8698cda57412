"""Compute the figures of a study and store them, in a job or the command."""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction
from django.db.models import Max

import metrics
from annotation.core.consistent_view import snapshot
from annotation.jobs import services as jobs_services
from evaluation.consensus import panel
from evaluation.results import automatic
from evaluation.results.models import Results
from evaluation.scores.automatic import Scores, score_answers
from evaluation.studies.judgment_values import ItemJudgment
from evaluation.studies.models import Judgment, Study
from evaluation.studies.queries import list_counted_judgments


def compute(*, study: Study, now: dt.datetime) -> Results:
    """Compute every figure of a study, all from one state of its data; nothing is stored."""
    with snapshot():
        rows = list_counted_judgments(study)
        answers = list(automatic.answers_of(study))
        reader, read = automatic.read(study)
        consensus = panel.read_agreed_verdicts(study)
        newest = Judgment.objects.filter(item__study=study).aggregate(pk=Max("pk"))["pk"]
    scores = score_answers(answers) | ({"qa_f1": read} if read else {})
    figures = figures_of(study, rows, scores, consensus)
    asked = any(answer.pairs for answer in answers)
    figures["correlations"]["disambig_f1"] = _on_disambig_f1(reader, asked=asked)
    return Results(
        study=study,
        figures=figures,
        judgments=len(rows),
        last_judgment=newest or 0,
        computed_at=now,
    )


def _on_disambig_f1(reader: str, *, asked: bool) -> str:
    """Return where Disambig-F1 is from, or why there is none."""
    if reader:
        return f"Disambig-F1 is from what the reader “{reader}” answered."
    if not asked:
        return (
            "Disambig-F1 needs disambiguated questions, and those of this study have none that a "
            "system answered."
        )
    return (
        "Disambig-F1 is missing: no reader has answered questions from these answers. Score the "
        "systems with a reader, then compute the results again."
    )


def figures_of(
    study: Study, rows: Sequence[ItemJudgment], scores: Scores, consensus: Mapping[int, str]
) -> dict[str, Any]:
    """Return the figures of judgments and of automatic scores, and what they were made from."""
    from evaluation.results.counts import figures, summary  # numpy, only where figures are computed

    computed = figures(
        rows,
        criteria=study.criteria,
        seed=study.seed,
        automatic=automatic.by_system(scores),
        consensus=consensus,
    )
    computed["summary"] = summary(computed)
    data = orjson.dumps([rows, scores, sorted(consensus.items())], option=orjson.OPT_SORT_KEYS)
    computed["answers"] = automatic.with_accuracy(rows, scores)
    computed["data_sha256"] = hashlib.sha256(data).hexdigest()
    computed["signature"] = "|".join(
        [
            "study",
            f"interval:bootstrap-expanded-percentile-{computed['level']:g}",
            "over:questions",
            f"resamples:{computed['resamples']}",
            f"seed:{computed['seed']}",
            f"data:{computed['data_sha256'][:16]}",
            f"v:{metrics.VERSION}",
        ]
    )
    return computed


def store(computed: Results) -> None:
    """Store the figures in place of earlier ones; a slow job does not replace newer figures."""
    mine = {
        name: getattr(computed, name)
        for name in ("figures", "judgments", "last_judgment", "computed_at")
    }
    row = Results.objects.filter(study_id=computed.study_id)
    if not row.filter(computed_at__lte=computed.computed_at).update(**mine):
        Results.objects.bulk_create([computed], ignore_conflicts=True)


def run_job(work: jobs_services.RunningJob) -> None:
    """Run the job, always from the start."""
    study = Study.objects.select_related("project").filter(pk=work.job.options["study"]).first()
    if study is None:
        raise jobs_services.JobProblem("The study no longer exists.")
    with jobs_services.keep_heartbeat(work):
        computed = compute(study=study, now=work.clock())
    with transaction.atomic():
        work.save(done=computed.judgments, total=computed.judgments)
        store(computed)
