"""Training sets of AmbigNQ's whole train split: each question is used or left out for a reason."""

import json

import pytest
from django.utils import timezone

from annotation.imports.services import import_questions
from modeling.training.building import ExampleChoice
from modeling.training.recipes import RECIPES
from modeling.training.sets import start_training_set

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]
QUESTIONS = 10_036


@pytest.fixture
def imported(realdata, project):
    path = realdata / "ambignq" / "train_light.json"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    with path.open("rb") as file:
        options = {"format": "ambignq", "split": "train", "finished": True, "by": None}
        tally = import_questions(project=project, file=file, **options, now=timezone.now())
    assert tally.created == QUESTIONS
    return project


def test_all_of_ambignq_becomes_examples_or_a_reason(imported, realdata):
    lines = {}
    for role in ("ambiguity", "disambig-first"):
        choice = ExampleChoice(system="disambig-first", role=role)
        made = start_training_set(
            project=imported, choice=choice, layout="", by=None, now=timezone.now()
        )
        lines[role] = [
            json.loads(line) for line in b"".join(made.blocks()).splitlines() if line.strip()
        ]
        described = made.describe()
        assert described["counts"]["questions"] == QUESTIONS
        assert described["counts"]["used"] + sum(described["left_out"].values()) == QUESTIONS

    several = [line["id"] for line in lines["ambiguity"] if line["target"] == "several answers"]
    assert len(lines["ambiguity"]) == QUESTIONS
    assert sorted(several) == sorted(map(str, find_several(realdata)))
    most = RECIPES["disambig-first"].tokens_out
    assert all(len(line["target"].split()) < most for line in lines["disambig-first"])


def find_several(realdata):
    """Return the ids of the questions to which somebody gave several answers, by the file."""
    records = json.loads((realdata / "ambignq" / "train_light.json").read_bytes())
    return [
        record["id"]
        for record in records
        if any(
            len(annotation.get("qaPairs", ())) > 1
            for annotation in record["annotations"]
            if annotation["type"] == "multipleQAs"
        )
    ]
