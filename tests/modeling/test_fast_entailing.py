"""Entailment in eight bits: near the reference, by the name of a class, or refused."""

import json

import pytest
from django.core.management import CommandError, call_command

from modeling import engines, weights
from modeling.engines import agreement, entailing
from modeling.engines.premises import cut_premise
from qampari.making.entailment import EntailmentJudge
from tests.modeling.nli import NAMES, build_model

pytestmark = pytest.mark.xdist_group("models")
PREMISES = [
    "Tower Bridge over the Thames opened in 1894; its engineers were Barry and Jones.",
    "The Thames Tunnel was opened to walkers in 1843 and to trains in 1869.",
    "A ferry crossed the river before there was a bridge; a ship sank there in January 1928.",
    "Who built the tunnel? Marc Brunel and his son Isambard Kingdom Brunel built it.",
]
STATEMENTS = ["Tower Bridge opened in 1894.", "The tunnel is deep.", "Brunel built the tunnel."]
LONG = "A ferry crossed the river. " * 60 + PREMISES[0]
PAIRS = [(premise, statement) for statement in STATEMENTS for premise in [*PREMISES, LONG]]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Where models and what is made of them are kept, so that each is converted once."""
    return tmp_path_factory.mktemp("entailment")


@pytest.fixture
def build(kept):
    """Return the folder of a model, which is built when it is first wanted."""

    def build(family="roberta", names=NAMES):
        folder = kept / "-".join((family, *names))
        return folder if folder.exists() else build_model(folder, family, names)

    return build


@pytest.fixture
def convert(kept, settings, capsys):
    """Convert a model; return the reference's engine, the fast one, and what the command said."""
    settings.AMBIT_DATA = kept

    def convert(folder):
        call_command("convert_model", "entailment", name=str(folder))
        plain = weights.get_weights("entailment", str(folder), may_be_fast=False)
        fast = weights.get_weights("entailment", str(folder))
        assert (plain.fast is None, fast.fast is None) == (True, False)
        said = capsys.readouterr().out
        return engines.load_entailer(plain), engines.load_entailer(fast), said

    yield convert
    engines.unload_engines()


@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("roberta", NAMES),
        ("roberta", ("contradiction", "neutral", "ENTAILMENT")),
        ("deberta-v2", ("neutral", "entailment", "contradiction")),
    ],
)
def test_scores_are_near_the_reference_by_the_name_of_the_class(convert, build, family, names):
    plain, fast, said = convert(build(family, names))
    assert isinstance(plain, entailing.entailer)
    assert not isinstance(fast, entailing.entailer)
    expected = plain.score_entailments(PAIRS)
    assert fast.score_entailments(PAIRS) == pytest.approx(expected, abs=0.02)
    assert max(expected) - min(expected) > 0.05  # else any number would be near
    first = weights.get_weights("entailment", str(build(family)), may_be_fast=False)
    ordered = entailing.entailer(first).score_entailments(PAIRS)
    assert ordered == pytest.approx(expected, abs=1e-6)
    assert "Scores of 48 pairs of sentences differ by 0.0" in said


def test_a_premise_is_cut_at_its_front(convert, build):
    plain, fast, _ = convert(build())
    cut = cut_premise(fast.tokenizer, LONG, STATEMENTS[0])
    assert LONG.endswith(cut)
    assert PREMISES[0] in cut
    assert cut == cut_premise(plain.tokenizer, LONG, STATEMENTS[0])
    pairs = [(f"Nobody knows. {LONG}", STATEMENTS[0])]
    assert fast.score_entailments(pairs) == fast.score_entailments([(LONG, STATEMENTS[0])])
    assert fast.score_entailments([]) == []


def test_verdicts_of_the_two_engines_are_kept_apart(convert, build, settings, tmp_path):
    folder = build()
    settings.MODELS = {"entailment": str(folder)}
    convert(folder)
    fast = EntailmentJudge().version
    settings.MODELS_ENGINE = "reference"
    plain = EntailmentJudge().version
    settings.MODELS_ENGINE, settings.AMBIT_DATA = "fast", tmp_path  # where none is converted
    assert EntailmentJudge().version == EntailmentJudge(str(folder)).version == plain != fast


def test_a_model_that_eight_bits_change_stays_in_full_precision(convert, tmp_path, settings):
    folder = build_model(tmp_path / "model", width=400.0)
    with pytest.raises(CommandError, match=r"are up to 0\.\d+ away from its own") as refused:
        convert(folder)
    assert refused.value.returncode == 2
    assert weights.get_weights("entailment", str(folder)).fast is None
    assert not list((settings.AMBIT_DATA / "models" / "fast").glob("*.part"))


def test_what_cannot_be_converted_is_explained(convert, tmp_path):
    from transformers import LongformerConfig, LongformerForSequenceClassification

    folder = build_model(tmp_path / "model")
    config = LongformerConfig(
        vocab_size=700, hidden_size=32, num_hidden_layers=1, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=130, attention_window=16,
        id2label=dict(enumerate(NAMES)), num_labels=3,
    )  # fmt: skip
    LongformerForSequenceClassification(config).save_pretrained(folder)
    with pytest.raises(CommandError, match=r"longformer, that .* RoBERTa, .* and DeBERTa can be"):
        convert(folder)
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "yes", "1": "no", "2": "maybe"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(CommandError, match="which of its classes is entailment"):
        convert(folder)


def test_the_pairs_of_the_check_are_windows_of_up_to_three_sentences():
    pairs = agreement._pairs()
    assert len(pairs) == len(set(pairs)) == 48
    assert {window.count(". ") + 1 for window, _ in pairs} == {1, 2, 3}
