"""Our words against the official tokeniser's output for every AmbigNQ dev prompt and prediction."""

import json

import pytest

from metrics.text import tokenise_words


@pytest.fixture
def load(realdata):
    """Read one JSON file of the real data."""
    return lambda name: json.loads((realdata / name).read_text(encoding="utf-8"))


def test_every_question_is_cut_as_the_official_tokeniser_cuts_it(load):
    expected = load("reference/ambignq/tokenized.json")
    predictions = load("reference/ambignq/predictions.json")
    prompts = {record["id"]: record["question"] for record in load("ambignq/dev_light.json")}
    cases = set()
    for key, cut in expected.items():
        cases.add((prompts[key], cut["prompt"]))
        questions = [pair["question"] for pair in predictions[key]]
        cases.update(zip(questions, cut["gen"], strict=True))
    assert len(cases) > 5_000
    wrong = {
        text: " ".join(tokenise_words(text))
        for text, cut in cases
        if " ".join(tokenise_words(text)) != cut
    }
    share = 1 - len(wrong) / len(cases)
    assert not wrong, f"{share:.4%} equal; first differences: {list(wrong.items())[:5]}"


def test_no_question_of_ambignq_breaks_the_tokeniser(load):
    words = 0
    for name in ("ambignq/train_light.json", "ambignq/dev_light.json"):
        for record in load(name):
            for annotation in record["annotations"]:
                for pair in annotation.get("qaPairs", []):
                    cut = tokenise_words(pair["question"])
                    assert cut, pair["question"]
                    words += len(cut)
    assert words > 100_000
