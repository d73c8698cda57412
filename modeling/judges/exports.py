"""The export of what judge models said, apart from what people said."""

from collections.abc import Iterator
from typing import Any

import orjson

from annotation.exports.format import JSON_LINES, Format
from annotation.exports.selection import Selection
from annotation.models import Project
from evaluation.judgments.exports import studies_of
from evaluation.models import System
from modeling.judges.models import JudgeModel, ModelJudgment
from modeling.judges.queries import read_value, wrote_answers

SCHEMA_VERSION = 1


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield what each judge model said, in the order of studies and items. Only in a snapshot."""
    judges = JudgeModel.objects.filter(study__project=project).select_related("study__project")
    if selection.study is not None:
        judges = judges.filter(study=selection.study)
    for judge in judges.order_by("study", "pk"):
        rows = ModelJudgment.objects.filter(judge=judge).order_by("item__position", "swapped")
        related = rows.select_related("item__question", "item__first", "item__second")
        for row in related.iterator(chunk_size=500):
            yield orjson.dumps(_describe(judge, row))


def count_records(project: Project) -> int:
    """Return how many judgments of models there are."""
    return ModelJudgment.objects.filter(judge__study__project=project).count()


def _describe(judge: JudgeModel, row: ModelJudgment) -> dict[str, Any]:
    value = read_value(judge, row)
    shown: list[System | None] = [row.item.first, row.item.second]
    own = [str(system) for system in shown if system and wrote_answers(judge, system)]
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "model-judgment",
        "study": judge.study_id,
        "item": row.item.position,
        "id": value.question,
        "left": value.left,
        "right": value.right or None,
        "outcome": row.outcome,
        "found": {"left": list(value.left_found), "right": list(value.right_found)},
        "choices": dict(value.choices),
        "verdict": value.verdict,
        "reason": value.reason,
        "problem": row.problem,
        "wrote": own,
        "model": judge.model,
        "endpoint": judge.host,
        "prompt": judge.prompt,
        "prompt_sha256": row.digest,
        "known": row.cached,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "cost": None if row.cost is None else str(row.cost.normalize()),
        "judged_at": row.created_at,
    }


MODEL_JUDGMENTS = Format(
    key="model-judgments",
    label="Judgments of models",
    hint="What judge models of studies said, apart from what people said",
    content_type=JSON_LINES,
    records=export_records,
    count=count_records,
    studies=studies_of,
)
