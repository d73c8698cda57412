"""Baselines on the papers' own questions score what the papers report."""

import json

import pytest

from metrics import asqa
from metrics.inputs.asqa import read_references
from modeling import registry
from modeling.base import BaselineQuestion

pytestmark = pytest.mark.realdata


def test_the_question_eight_times_scores_as_in_table_3_of_asqa(realdata):
    path = realdata / "asqa" / "ASQA.dev.json"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    records = json.loads(path.read_text())["dev"]
    questions = [BaselineQuestion(name, row["ambiguous_question"]) for name, row in records.items()]

    baseline = registry.build_baseline("question-x8")
    predictions = {p.id: p.long_answer for p in baseline.predict(questions)}
    result = asqa.score_predictions(read_references(path), predictions)

    figures = {figure.name: round(result.value(figure), 1) for figure in result.figures}
    assert (len(predictions), figures["length"], figures["str_em"]) == (948, 71.6, 1.2)
