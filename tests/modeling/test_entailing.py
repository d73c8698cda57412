"""Models of entailment: the class by its name, premises cut at their front."""

import json
import shutil

import pytest

from modeling import engines, weights
from modeling.base import MissingModel
from modeling.engines.premises import cut_premise

pytestmark = pytest.mark.xdist_group("models")
PREMISE = "Tower Bridge over the Thames opened in 1894; its engineers were Barry and Jones."
PAIRS = [
    (PREMISE, "Tower Bridge opened in 1894."),
    ("The Thames Tunnel was opened to walkers in 1843.", "The tunnel is deep."),
    (f"{'A ferry crossed the river. ' * 40}{PREMISE}", "Tower Bridge opened in 1894."),
]


@pytest.fixture
def build_model(tmp_path, tiny_model):
    """Save a tiny model with classes of these names, whose heads are in the order of `heads`."""

    def build(names, heads):
        import torch
        import transformers

        folder = tmp_path / "-".join(names)
        model = transformers.BertForSequenceClassification.from_pretrained(
            tiny_model("encoder"), num_labels=3, ignore_mismatched_sizes=True
        )
        with torch.no_grad():
            size = (3, model.classifier.in_features)
            drawn = torch.randn(size, generator=torch.Generator().manual_seed(3))
            model.classifier.weight.copy_(drawn[heads])
            model.classifier.bias.zero_()
        model.config.id2label = dict(enumerate(names))
        model.config.label2id = {name: number for number, name in enumerate(names)}
        shutil.copytree(tiny_model("encoder"), folder)
        model.save_pretrained(folder)
        return folder

    return build


def load(settings, folder):
    settings.MODELS = {"entailment": str(folder)}
    engines.unload_engines()
    return engines.load_entailer(weights.get_weights("entailment"))


def test_the_class_is_found_by_its_name(build_model, settings):
    first = load(settings, build_model(["entailment", "neutral", "contradiction"], [0, 1, 2]))
    last = load(settings, build_model(["contradiction", "neutral", "ENTAILMENT"], [2, 1, 0]))
    scores = first.score_entailments(PAIRS)
    assert last.score_entailments(PAIRS) == pytest.approx(scores, abs=1e-6)
    assert len({round(score, 6) for score in scores}) == 3
    assert all(0 < score < 1 for score in scores)


def test_a_premise_is_cut_at_its_front(build_model, settings):
    """The claim, and what stands just before it, are always read."""
    engine = load(settings, build_model(["entailment", "neutral", "contradiction"], [0, 1, 2]))
    long = "A ferry crossed the river. " * 60 + PREMISE
    cut = cut_premise(engine.tokenizer, long, PAIRS[0][1])
    assert long.endswith(cut)
    assert PREMISE in cut
    assert 0 < len(cut) < len(long)
    (row,) = engine.tokenizer.encode([cut], 512, [PAIRS[0][1]])
    whole = len(row.ids)
    assert (
        engine.tokenizer.readable_tokens(512) - 2 <= whole <= engine.tokenizer.readable_tokens(512)
    )
    assert cut_premise(engine.tokenizer, PREMISE, PAIRS[0][1]) == PREMISE
    changed = f"Nobody knows. {long}"
    assert engine.score_entailments([(changed, PAIRS[0][1])]) == pytest.approx(
        engine.score_entailments([(long, PAIRS[0][1])])
    )


@pytest.mark.parametrize(
    "names", [["LABEL_0", "LABEL_1", "LABEL_2"], ["no", "not_entailment", "x"]]
)
def test_a_model_without_such_a_class_is_refused(build_model, settings, names):
    with pytest.raises(MissingModel, match="does not say which of its classes is entailment"):
        load(settings, build_model(names, [0, 1, 2]))


def test_its_version_changes_with_its_weights(build_model, settings):
    versions = set()
    for heads in ([0, 1, 2], [1, 0, 2]):
        folder = build_model(["entailment", f"a{heads[0]}", "b"], heads)
        assert json.loads((folder / "config.json").read_text())["id2label"]["0"] == "entailment"
        settings.MODELS = {"entailment": str(folder)}
        versions.add(weights.get_weights("entailment").version)
    assert len(versions) == 2
