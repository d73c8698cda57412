"""The fast engines read what the reference reads, and say nearly the same."""

import json
import re
import shutil

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from modeling import engines, pace, weights
from modeling.base import ArticlePassage, MissingModel
from modeling.engines.base import Limits
from modeling.engines.fast import adds_in_32_bits, open_graph
from tests.modeling import tiny
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL

pytestmark = pytest.mark.xdist_group("models")

TEXTS = [
    "Who built the tunnel?",
    "When did the Thames Tunnel open to walkers, and when did the first trains run through it?",
    "",
    "Tower Bridge",
    "Who built the tunnel?",
    "bridge " * 400,
]
QUESTION = "When did the Thames Tunnel open?"
PASSAGES = [
    TUNNEL,
    TRAINS,
    BRIDGE,
    ArticlePassage("1", "", ""),
    ArticlePassage("2", "Long", "river " * 300),
]
LIMITS = Limits(40, 12)


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """Where converted models are kept, so that each is converted once."""
    return tmp_path_factory.mktemp("converted")


@pytest.fixture(autouse=True)
def _kept(whole, settings):
    settings.AMBIT_DATA = whole


@pytest.fixture
def both(tiny_model):
    """From a kind of tiny model and its role to the reference's weights and the converted ones."""

    def of(kind, role):
        folder = str(tiny_model(kind))
        call_command("convert_model", role, name=folder)
        fast = weights.get_weights(role, folder)
        plain = weights.get_weights(role, folder, may_be_fast=False)
        assert fast.fast is not None
        assert plain.fast is None
        return plain, fast

    yield of
    engines.unload_engines()


@pytest.mark.parametrize(("kind", "beams"), [("bart", 1), ("bart", 3), ("t5", 1), ("t5", 3)])
def test_a_generator_writes_the_same(both, whole, kind, beams, monkeypatch, settings):
    """In full precision: what differs in eight bits is rounding only."""
    settings.AMBIT_DATA = whole / "float32"
    monkeypatch.setattr("modeling.engines.converting.NUMBERS", "float32")
    plain, fast = both(kind, "qd")
    for tokens in (5, 12):
        limits = Limits(40, tokens, beams)
        expected = engines.load_generator(plain).generate(TEXTS, limits)
        written = engines.load_generator(fast).generate(TEXTS, limits)
        assert written[2].text == ""  # CTranslate2 leaves out texts without words
        same = sum(own == other for own, other in zip(written, expected, strict=True))
        assert same >= (5 if beams == 1 else 4)  # beams are not ended by quite the same rule
        assert len({own.text for own in written}) > 2
    assert engines.load_generator(fast).generate([], limits) == []


FUSED = [TEXTS[:4], TEXTS[1:2], [], TEXTS[3:]]


@pytest.mark.parametrize("kind", ["bart", "t5"])
def test_a_decoder_that_reads_several_texts_writes_the_same(
    both, whole, monkeypatch, settings, kind
):
    """In full precision: passages of any length, none, and tokens that are not all allowed."""
    settings.AMBIT_DATA = whole / "float32"
    monkeypatch.setattr("modeling.engines.converting.NUMBERS", "float32")
    plain, fast = both(kind, "fid")
    expected, written = engines.load_fused_generator(plain), engines.load_fused_generator(fast)
    for limits in (Limits(40, 5), Limits(30, 12)):
        assert written.generate(FUSED, limits) == expected.generate(FUSED, limits)
    assert len({own.text for own in written.generate(FUSED, Limits(30, 12))}) > 2
    one, two = written.plain_tokens("bridge"), written.plain_tokens("tunnel")
    assert one == expected.plain_tokens("bridge")

    def allowed(before):
        here = [token for token in before if token in (*one, *two)]
        paths = ([*one, *two, written.end], [*two, *one, written.end])
        return [path[len(here)] for path in paths if path[: len(here)] == here < path]

    chosen = written.generate(FUSED, LIMITS, allowed)
    assert chosen == expected.generate(FUSED, LIMITS, allowed)
    texts = {own.text.replace(" ", "") for own in chosen}  # not every tokeniser has one there
    assert texts <= {"bridgetunnel", "tunnelbridge"}
    assert written.generate([["x"]], Limits(30, 5), lambda before: [])[0].text == ""
    with pytest.raises(ValueError, match="without beams"):
        written.generate(FUSED, Limits(30, 5, 2))


def test_what_reads_several_texts_says_each_token_it_writes(both, whole, monkeypatch, settings):
    settings.AMBIT_DATA = whole / "float32"
    monkeypatch.setattr("modeling.engines.converting.NUMBERS", "float32")
    _, fast = both("t5", "jpr")
    heard = []
    with pace.heard_by(heard.append):
        (written,) = engines.load_fused_generator(fast).generate([TEXTS[:2]], Limits(30, 6))
    assert heard == [1] * written.tokens_out


def test_what_reads_several_texts_is_tried_in_eight_bits(tiny_model, tmp_path, settings, capsys):
    """The widely drawn weights of a tiny model are changed by any rounding, plain ones are not."""
    settings.AMBIT_DATA = tmp_path
    folder = str(tiny.build_plain("plain-t5", tmp_path / "plain"))
    call_command("convert_model", "fid", name=folder)
    (apart,) = re.findall(r"of 64 tokens differ by (0\.\d+) on average", capsys.readouterr().out)
    fast = weights.get_weights("jpr", folder)
    assert 0 < float(apart) < 0.05
    assert {path.name for path in fast.fast.iterdir()} == {
        "agreement.json", "model.onnx", "step.onnx",
    }  # fmt: skip
    with pytest.raises(CommandError, match=r"tokens that it writes 0\.\d\d more") as refused:
        call_command("convert_model", "jpr", name=str(tiny_model("t5")))
    assert refused.value.returncode == 2
    assert weights.get_weights("jpr", str(tiny_model("t5"))).fast is None


@pytest.mark.parametrize(
    ("cpuinfo", "safe"),
    [
        ("model name\t: A\nflags\t\t: fpu avx2 avx512_vnni\n", True),
        ("model name\t: A\nflags\t\t: fpu avx2 avx_vnni\n", True),
        ("model name\t: A\nflags\t\t: fpu avx2 avx512f\n", False),
        ("processor\t: 0\nFeatures\t: fp asimd\n", True),  # ARM adds in 32 bits
        (None, True),
    ],
)
def test_writing_is_in_full_precision_where_sums_overflow(
    both, tmp_path, monkeypatch, cpuinfo, safe
):
    file = tmp_path / "cpuinfo"
    if cpuinfo is not None:
        file.write_text(cpuinfo)
    assert adds_in_32_bits(file) is safe
    monkeypatch.setattr("modeling.engines.fast.adds_in_32_bits", lambda: safe)
    _, fast = both("t5", "qd")
    kind = engines.load_generator(fast)._translator.compute_type
    assert kind.startswith("int8") is safe


@pytest.mark.parametrize("scaled", [True, False])
def test_outputs_are_scaled_where_the_weights_say_so(
    tiny_model, tmp_path, settings, monkeypatch, scaled
):
    """Those of T5 1.1 are not; greedy writing does not depend on it, likelihoods do."""
    import ctranslate2

    settings.AMBIT_DATA = tmp_path
    monkeypatch.setattr("modeling.engines.converting.NUMBERS", "float32")
    folder = shutil.copytree(tiny_model("t5"), tmp_path / "t5")
    config = json.loads((folder / "config.json").read_text())
    config |= {"tie_word_embeddings": scaled, "scale_decoder_outputs": scaled}
    (folder / "config.json").write_text(json.dumps(config))
    call_command("convert_model", "qd", name=str(folder))
    fast = weights.get_weights("qd", str(folder))
    engine = engines.load_generator(fast)
    names = [
        engine.tokenizer.token_names(row.ids) for row in engine.tokenizer.encode(TEXTS[:1], 40)
    ]
    translator = ctranslate2.Translator(str(fast.fast))
    (result,) = translator.translate_batch(names, return_scores=True, max_decoding_length=3)
    plain = engines.load_generator(weights.get_weights("qd", str(folder), may_be_fast=False))
    assert plain.model.config.scale_decoder_outputs is scaled
    assert result.scores[0] == pytest.approx(
        _score(plain, TEXTS[0], result.hypotheses[0]), rel=0.01
    )


def _score(engine, text, names):
    """Return the logarithm of how likely transformers holds each of these tokens, on average."""
    import torch

    ids = torch.tensor([engine.tokenizer.token_ids(names)])
    (row,) = engine.tokenizer.encode([text], 40)
    before = torch.cat([torch.zeros((1, 1), dtype=torch.long), ids[:, :-1]], dim=1)
    with torch.inference_mode():
        logits = engine.model(input_ids=torch.tensor([row.ids]), decoder_input_ids=before).logits
    shares = logits.log_softmax(-1).gather(2, ids.unsqueeze(-1))
    return float(shares.mean())


@pytest.mark.parametrize("kind", ["encoder", "dpr-passage"])
def test_an_encoder_gives_nearly_the_same_vectors(both, kind):
    plain, fast = both(kind, "passage-encoder" if kind == "dpr-passage" else "question-encoder")
    titles = ["Title"] * len(TEXTS)
    expected = engines.load_encoder(plain).encode(TEXTS, titles)
    engine = engines.load_encoder(fast)
    vectors = engine.encode(TEXTS, titles)
    assert (engine.size, vectors.dtype, vectors.shape) == (32, np.float32, expected.shape)
    cosines = (vectors * expected).sum(1) / np.linalg.norm(vectors, axis=1)
    assert cosines / np.linalg.norm(expected, axis=1) == pytest.approx(1, abs=0.03)
    np.testing.assert_allclose(
        np.linalg.norm(vectors, axis=1), np.linalg.norm(expected, axis=1), rtol=0.05
    )
    one_by_one = np.concatenate([engine.encode([text], titles[:1]) for text in TEXTS])
    np.testing.assert_allclose(vectors, one_by_one, atol=0.1 * np.ptp(vectors))
    assert engine.encode([]).shape == (0, 32)


def test_a_cross_encoder_gives_nearly_the_same_numbers(both):
    plain, fast = both("cross-encoder", "reranker")
    expected = engines.load_scorer(plain).score_passages(QUESTION, PASSAGES)
    scores = engines.load_scorer(fast).score_passages(QUESTION, PASSAGES)
    assert np.corrcoef(scores, expected)[0, 1] > 0.9
    assert len(set(scores)) == len(PASSAGES)
    assert engines.load_scorer(fast).score_passages(QUESTION, []) == []


def test_threads_of_a_graph_that_has_ended_leave_the_processors_to_the_next(both):
    _, fast = both("cross-encoder", "reranker")
    options = open_graph(fast, "model.onnx").get_session_options()
    assert options.get_session_config_entry("session.force_spinning_stop") == "1"


def test_no_sum_overflows_on_a_processor_without_vnni(both):
    """There two products are added in 16 bits: 2 · 255 · 64 fits, more does not."""
    import onnx

    _, fast = both("cross-encoder", "reranker")
    graph = onnx.load(fast.fast / "model.onnx").graph
    arrays = [onnx.numpy_helper.to_array(each) for each in graph.initializer]
    whole = [each for each in arrays if each.dtype == np.int8 and each.size > 1]
    assert len(whole) > 3
    assert max(np.abs(each.astype(int)).max() for each in whole) == 64


def test_a_classifier_gives_nearly_the_same_likelihoods(both):
    plain, fast = both("classifier", "ambiguity")
    expected = engines.load_classifier(plain).predict_likelihoods(TEXTS)
    likelihoods = engines.load_classifier(fast).predict_likelihoods(TEXTS)
    assert likelihoods == pytest.approx(expected, abs=0.25)
    assert all(0 <= likelihood <= 1 for likelihood in likelihoods)


@pytest.mark.parametrize("kind", ["dpr-reader", "qa"])
def test_a_reader_gives_spans_of_the_passages(both, kind):
    plain, fast = both(kind, "reader")
    expected = engines.load_reader(plain).find_spans(QUESTION, PASSAGES, 100)
    spans = engines.load_reader(fast).find_spans(QUESTION, PASSAGES, 100)
    have = {(span.passage, span.text): span.likelihood for span in expected}
    for span in spans:
        assert span.text in PASSAGES[span.passage].text
        assert span.likelihood == pytest.approx(have.get((span.passage, span.text), 0), abs=0.15)
    assert engines.load_reader(fast).find_spans(QUESTION, [], 3) == []


def test_converted_weights_are_used_unless_the_settings_say_no(both, settings):
    plain, fast = both("encoder", "question-encoder")
    assert plain.version != fast.version
    assert fast.folder == plain.folder
    assert weights.get_weights("passage-encoder", fast.name).fast == fast.fast
    assert weights.get_weights("reader", fast.name).fast is None
    settings.MODELS_ENGINE = "reference"
    assert weights.get_weights("question-encoder", fast.name) == plain


# --- Conversion ---------------------------------------------------------------------------------


def test_a_conversion_is_made_once_unless_asked_for_again(both):
    _, fast = both("bart", "qd")
    made = (fast.fast / "model.bin").stat().st_ino
    files = sorted(path.name for path in fast.fast.iterdir())
    assert files == ["config.json", "model.bin", "shared_vocabulary.json"]
    call_command("convert_model", "disambig-first", name=fast.name)
    assert (fast.fast / "model.bin").stat().st_ino == made
    call_command("convert_model", "qd", name=fast.name, again=True)
    assert (fast.fast / "model.bin").stat().st_ino != made
    (written,) = engines.load_generator(fast).generate(TEXTS[:1], LIMITS)
    assert written.tokens_out == 12


def test_an_interrupted_conversion_leaves_nothing_that_is_used(
    tiny_model, tmp_path, settings, monkeypatch
):
    settings.AMBIT_DATA = tmp_path
    folder = str(tiny_model("t5"))

    def killed(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("modeling.engines.converting._Converter.convert", killed)
        with pytest.raises(KeyboardInterrupt):
            call_command("convert_model", "qd", name=folder)
    plain = weights.get_weights("qd", folder)
    assert plain.fast is None
    part = tmp_path / "models" / "fast" / f"generator-{plain.version}.part"
    part.mkdir()  # as a process that was killed leaves it
    (part / "model.bin").write_text("half")
    call_command("convert_model", "qd", name=folder)
    assert weights.get_weights("qd", folder).fast
    assert not part.exists()


def test_what_cannot_be_converted_is_explained(tiny_model, tmp_path):
    with pytest.raises(CommandError, match="There is no model in") as refused:
        call_command("convert_model", "qd", name=str(tmp_path))
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match=r"has not been trained|cannot be used"):
        call_command("convert_model", "qd", name=str(tiny_model("encoder")))


def test_a_broken_conversion_is_explained(both):
    _, fast = both("classifier", "ambiguity")
    graph = fast.fast / "model.onnx"
    content = graph.read_bytes()
    graph.write_bytes(b"broken")
    engines.unload_engines()
    with pytest.raises(MissingModel, match=r"convert_model ambiguity --again"):
        engines.load_classifier(fast)
    graph.write_bytes(content)
