"""Compute the figures of a study."""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.db.models import Max

import metrics
from annotation.figures.stored import FigurePlace, Parts, Progress
from annotation.jobs.services import JobProblem
from evaluation.consensus import panel
from evaluation.results import automatic
from evaluation.scores.automatic import Scores, score_answers
from evaluation.studies.judgment_values import ItemJudgment
from evaluation.studies.models import Judgment, Study
from evaluation.studies.queries import list_counted_judgments


def read_state(place: FigurePlace) -> str:
    """Return the newest judgment of the study by id, 0 without any; those after it came later."""
    judgments = Judgment.objects.filter(item__study=place.subject)
    return str(judgments.aggregate(pk=Max("pk"))["pk"] or 0)


def compute_results(place: FigurePlace, now: dt.datetime, progress: Progress) -> Parts:
    """Compute every figure of a study, and from how many judgments.

    Raises JobProblem where the study has been deleted.
    """
    study = Study.objects.select_related("project").filter(pk=place.subject).first()
    if study is None:
        raise JobProblem("The study no longer exists.")
    rows = list_counted_judgments(study)
    progress.total = len(rows)
    answers = list(automatic.read_answers(study))
    reader, read = automatic.read_disambig_f1(study)
    consensus = panel.read_agreed_verdicts(study)
    scores = score_answers(answers) | ({"qa_f1": read} if read else {})
    figures = compute_study_figures(study, rows, scores, consensus)
    asked = any(answer.pairs for answer in answers)
    figures["correlations"]["disambig_f1"] = _on_disambig_f1(reader, asked=asked)
    progress.step(len(rows))
    return {"": {"figures": figures, "judgments": len(rows)}}


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


def compute_study_figures(
    study: Study, rows: Sequence[ItemJudgment], scores: Scores, consensus: Mapping[int, str]
) -> dict[str, Any]:
    """Return the figures of judgments and of automatic scores, and what they were made from."""
    from evaluation.results.counts import (  # numpy, only where figures are computed
        compute_figures,
        summarise_figures,
    )

    computed = compute_figures(
        rows,
        criteria=study.criteria,
        seed=study.seed,
        automatic=automatic.average_by_system(scores),
        consensus=consensus,
    )
    computed["summary"] = summarise_figures(computed)
    data = orjson.dumps([rows, scores, sorted(consensus.items())], option=orjson.OPT_SORT_KEYS)
    computed["answers"] = automatic.list_judged_answers(rows, scores)
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
