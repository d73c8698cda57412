"""The reference engines give what transformers gives for one text, however many they are given."""

import numpy as np
import pytest

from modeling import engines, pace, weights
from modeling.base import ArticlePassage, MissingModel
from modeling.engines.base import Limits
from modeling.engines.tokens import batch_by_length
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


@pytest.fixture
def have(tiny_model, settings):
    """From a kind to its weights, found as any others."""
    settings.MODELS_ENGINE = "reference"
    return lambda kind, role="reader": weights.get_weights(role, str(tiny_model(kind)))


def plain(folder, name):
    """Return tokenizer and model as transformers' own documents load them."""
    import transformers

    model = getattr(transformers, name).from_pretrained(folder).eval().requires_grad_(False)
    return transformers.AutoTokenizer.from_pretrained(folder), model


def generated(model, **inputs):
    """Return what transformers writes, without the settings that a model is saved with."""
    settings = {"min_length": 0, "no_repeat_ngram_size": 0, "num_beams": 1} | inputs
    model.generation_config.forced_eos_token_id = None
    return model.generate(do_sample=False, **settings)[0]


@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("kind", ["bart", "t5"])
def test_generation_equals_that_of_transformers_one_by_one(have, kind, beams):
    found = have(kind)
    tokenizer, model = plain(found.folder, "AutoModelForSeq2SeqLM")
    engine = engines.load_generator(found)
    heard = []
    with pace.heard_by(heard.append):
        written = engine.generate(TEXTS, Limits(40, 12, beams))
    # A token of each text of a batch, after each step.
    assert sum(heard) >= max(own.tokens_out for own in written)
    assert max(heard) <= len(TEXTS)

    for text, own in zip(TEXTS, written, strict=True):
        rows = tokenizer(text, truncation=True, max_length=40, return_tensors="pt")
        out = generated(model, **rows, max_new_tokens=12, num_beams=beams, early_stopping=beams > 1)
        marks = {tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.bos_token_id}
        ids = [number for number in out.tolist() if number not in marks]
        assert own.text == tokenizer.decode(ids).strip()
        assert own.tokens_in == rows["input_ids"].shape[1] <= 40
        assert 1 <= own.tokens_out <= 12
    assert len({own.text for own in written}) > 2
    assert engine.generate([], Limits(40, 12)) == []


def test_a_separator_is_part_of_what_is_written_and_marks_are_not(have):
    written = engines.load_generator(have("bart")).generate(TEXTS, Limits(40, 20))
    text = " ".join(own.text for own in written)
    assert "[SEP]" in text
    assert not any(mark in text for mark in ("<s>", "</s>", "<pad>", "<mask>"))


def test_an_input_is_cut_at_the_end_and_keeps_its_last_mark(have):
    engine = engines.load_generator(have("bart"))
    (row,) = engine.tokenizer.encode(["<s> Who built the bridge?</s>Tower Bridge"], 8)
    assert len(row) == 8
    text = engine.tokenizer._tokenizer.decode(row.ids)
    assert text == "<s><s> Who built the bridge?</s>"
    (longest,) = engine.tokenizer.encode(["bridge " * 999], 1024)
    assert len(longest) == tiny.POSITIONS


def test_t5_reads_as_much_as_the_papers_say_whatever_its_tokenizer_says(have):
    engine = engines.load_generator(have("t5"))
    engine.tokenizer._tokenizer.model_max_length = 512
    (row,) = engine.tokenizer.encode(["bridge " * 3000], 2048)
    assert len(row) == 2048


@pytest.mark.parametrize("kind", ["bart", "t5"])
def test_one_fused_text_is_one_text(have, kind):
    limits = Limits(40, 12, 2)
    fused = engines.load_fused_generator(have(kind)).generate([[text] for text in TEXTS], limits)
    assert fused == engines.load_generator(have(kind)).generate(TEXTS, limits)


def test_a_fused_decoder_reads_all_texts_as_transformers_does(have):
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    found = have("t5")
    tokenizer, model = plain(found.folder, "AutoModelForSeq2SeqLM")
    inputs = [TEXTS[:4], TEXTS[1:2], [], TEXTS[3:]]
    engine = engines.load_fused_generator(found)
    written = engine.generate(inputs, Limits(30, 10))
    for texts, own in zip(inputs, written, strict=True):
        states = [
            model.get_encoder()(
                **tokenizer(text, truncation=True, max_length=30, return_tensors="pt")
            ).last_hidden_state
            for text in texts or [""]
        ]
        joined = torch.cat(states, dim=1)
        out = generated(
            model,
            encoder_outputs=BaseModelOutput(joined),
            attention_mask=torch.ones(joined.shape[:2], dtype=torch.long),
            max_new_tokens=10,
        )
        assert own.tokens_in == joined.shape[1]
        assert own.text == engine.tokenizer.decode_tokens(out.tolist())
    assert len({own.text for own in written}) > 2


@pytest.mark.parametrize("beams", [1, 4])
def test_a_fused_decoder_writes_only_what_is_allowed(have, beams):
    engine = engines.load_fused_generator(have("t5"))
    one, two = engine.plain_tokens("bridge"), engine.plain_tokens("tunnel")
    paths = [[*one, *two, engine.end], [*two, *one, engine.end], [*two, engine.end]]

    def allowed(before):
        here = list(before[1:])
        return [path[len(here)] for path in paths if path[: len(here)] == here < path]

    written = engine.generate([TEXTS[:2], TEXTS[3:], TEXTS[1:2]], Limits(30, 20, beams), allowed)
    assert {own.text for own in written} <= {"bridge tunnel", "tunnel bridge", "tunnel"}
    assert engine.generate([["x"]], Limits(30, 5), lambda before: [])[0].text == ""


def test_sentences_become_the_mean_of_their_tokens_at_length_one(have):
    found = have("encoder")
    tokenizer, model = plain(found.folder, "AutoModel")
    engine = engines.load_encoder(found)
    vectors = engine.encode(TEXTS)

    assert vectors.shape == (len(TEXTS), engine.size) == (len(TEXTS), 32)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    for text, vector in zip(TEXTS, vectors, strict=True):
        rows = tokenizer(text, truncation=True, max_length=64, return_tensors="pt")
        mean = model(**rows).last_hidden_state[0].mean(0).numpy()
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
    assert engine.encode([]).shape == (0, 32)
    titled = engine.encode(["Opened in 1894."], ["Tower Bridge"])
    assert titled == pytest.approx(engine.encode(["Tower Bridge Opened in 1894."]), abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "name"), [("dpr-question", "DPRQuestionEncoder"), ("dpr-passage", "DPRContextEncoder")]
)
def test_dpr_encodes_a_title_before_the_text_and_is_not_normalised(have, kind, name):
    found = have(kind)
    tokenizer, model = plain(found.folder, name)
    titles, texts = [one.title for one in PASSAGES], [one.text for one in PASSAGES]
    vectors = engines.load_encoder(found).encode(texts, titles)
    for title, text, vector in zip(titles, texts, vectors, strict=True):
        rows = tokenizer([title], [text], truncation=True, max_length=128, return_tensors="pt")
        expected = model(rows["input_ids"]).pooler_output[0].numpy()
        assert vector == pytest.approx(expected, abs=1e-4)


def test_a_cross_encoder_reads_question_and_passage(have):
    found = have("cross-encoder")
    tokenizer, model = plain(found.folder, "AutoModelForSequenceClassification")
    scores = engines.load_scorer(found).score_passages(QUESTION, PASSAGES)
    for passage, score in zip(PASSAGES, scores, strict=True):
        text = f"{passage.title} {passage.text}"
        rows = tokenizer([QUESTION], [text], truncation=True, max_length=128, return_tensors="pt")
        assert score == pytest.approx(float(model(**rows).logits[0, 0]), abs=1e-4)
    assert engines.load_scorer(found).score_passages(QUESTION, []) == []


def test_a_classifier_says_how_likely_the_second_class_is(have):
    found = have("classifier")
    tokenizer, model = plain(found.folder, "AutoModelForSequenceClassification")
    shares = engines.load_classifier(found).predict_likelihoods(TEXTS)
    for text, share in zip(TEXTS, shares, strict=True):
        rows = tokenizer(text, truncation=True, max_length=128, return_tensors="pt")
        assert share == pytest.approx(float(model(**rows).logits.softmax(-1)[0, 1]), abs=1e-5)
    assert engines.load_classifier(found).predict_likelihoods([]) == []


def test_a_model_with_other_than_two_classes_is_no_classifier(have):
    with pytest.raises(MissingModel, match="has 1 classes, and “ambiguity” needs two"):
        engines.load_classifier(have("cross-encoder", "ambiguity"))


def test_dprs_reader_finds_the_spans_that_transformers_finds(have):
    found = have("dpr-reader")
    tokenizer, model = plain(found.folder, "DPRReader")
    spans = engines.load_reader(found).find_spans(QUESTION, PASSAGES[:3], 4)
    rows = tokenizer(
        QUESTION,
        [one.title for one in PASSAGES[:3]],
        [one.text for one in PASSAGES[:3]],
        padding=True,
        return_tensors="pt",
    )
    out = model(**rows)
    best = {}
    for number in range(3):
        length = int(rows["attention_mask"][number].sum())
        ids = rows["input_ids"][number].tolist()
        first = ids.index(tokenizer.sep_token_id, ids.index(tokenizer.sep_token_id) + 1) + 1
        pairs = {
            (start, end): float(out.start_logits[number, start] + out.end_logits[number, end])
            for start in range(first, length)
            for end in range(start, min(start + 10, length))
        }
        total = np.logaddexp.reduce(list(pairs.values()))
        judged = float(out.relevance_logits.log_softmax(0)[number])
        (start, end), most = max(pairs.items(), key=lambda pair: pair[1])
        best[number] = (tokenizer.decode(ids[start : end + 1]), np.exp(judged + most - total))
    number, (text, likelihood) = max(best.items(), key=lambda item: item[1][1])

    assert len(spans) == 4
    assert spans[0].passage == number
    assert spans[0].likelihood == pytest.approx(likelihood, rel=1e-3)
    assert text.replace(" ", "").strip("#") in spans[0].text.lower().replace(" ", "")


@pytest.mark.parametrize("kind", ["dpr-reader", "qa"])
def test_spans_are_whole_words_of_the_text_of_their_passage(have, kind):
    reader = engines.load_reader(have(kind))
    spans = reader.find_spans(QUESTION, PASSAGES, 500)
    for span in spans:
        text = PASSAGES[span.passage].text
        place = text.find(span.text)
        assert span.text
        assert place >= 0
        assert not (text[:place][-1:] + span.text[:1]).isalnum() or place == 0
    likelihoods = [span.likelihood for span in spans]
    assert likelihoods == sorted(likelihoods, reverse=True)
    assert 0 < sum(likelihoods) <= 1.0001
    assert {span.passage for span in spans} <= {0, 1, 2, 4}
    assert reader.find_spans(QUESTION, [], 5) == []
    assert reader.find_spans(QUESTION, [ArticlePassage("1", "Empty", "")], 5) == []
    assert reader.find_spans("Why? " * 600, PASSAGES[:1], 5) is not None


@pytest.mark.parametrize("kind", ["dpr-reader", "qa"])
def test_a_long_passage_is_cut_without_a_warning(have, kind, warnings_of_transformers):
    """The part of a passage that no model can read never reaches one, so there is no fault."""
    reader = engines.load_reader(have(kind))
    spans = reader.find_spans(QUESTION, PASSAGES, 500)
    assert 4 in {span.passage for span in spans}  # of 300 words, where 128 tokens are read
    assert warnings_of_transformers == []


def test_weights_without_the_part_that_is_needed_are_refused(have):
    with pytest.raises(
        MissingModel, match=r"has not been trained for “ambiguity”: it has no class"
    ):
        engines.load_classifier(have("encoder", "ambiguity"))


def test_weights_of_another_kind_are_refused(have):
    with pytest.raises(MissingModel, match="cannot be used for “qd”: Unrecognized configuration"):
        engines.load_generator(have("encoder", "qd"))


def test_weights_that_are_broken_are_refused(have, tiny_model, tmp_path):
    for path in tiny_model("bart").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"not tensors")
    with pytest.raises(MissingModel, match="cannot be used for “qd”: "):
        engines.load_generator(weights.get_weights("qd", str(tmp_path)))


def test_an_engine_is_loaded_once(have):
    first = engines.load_encoder(have("encoder"))
    assert engines.load_encoder(have("encoder")) is first
    engines.unload_engines()
    assert engines.load_encoder(have("encoder")) is not first


def test_a_batch_that_does_not_fit_into_memory_is_halved(have, monkeypatch):
    import torch

    engine = engines.load_classifier(have("classifier"))
    texts = [f"{QUESTION} {number}" for number in range(6)]
    whole, model, sizes = engine.predict_likelihoods(texts), engine.model, []
    room = 2

    def small(**tensors):
        sizes.append(len(tensors["input_ids"]))
        if sizes[-1] > room:
            raise torch.OutOfMemoryError
        return model(**tensors)

    monkeypatch.setattr(engine, "model", small)
    assert engine.predict_likelihoods(texts) == pytest.approx(whole, abs=1e-5)
    assert sizes[0] == len(texts)
    room = 0
    with pytest.raises(MissingModel, match="too little memory for one input"):
        engine.predict_likelihoods(texts)


def test_minilm_puts_a_question_near_its_passage():
    engine = engines.load_encoder(weights.get_weights("passage-encoder", "minilm"))
    passages = [TRAINS, BRIDGE, TUNNEL]
    vectors = engine.encode([one.text for one in passages], [one.title for one in passages])
    asked = engine.encode(["Since when do railways use it?", "When was the bridge inaugurated?"])
    assert (vectors @ asked.T).argmax(axis=0).tolist() == [0, 1]
    assert engine.size == 384


def test_weights_as_pytorch_saves_them_and_tokenizers_as_lists_of_words_are_read(have, tmp_path):
    """Models that were released years ago have these files and no others."""
    import torch
    from transformers import DPRReader

    found = have("dpr-reader")
    model = DPRReader.from_pretrained(found.folder)
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    (tmp_path / "config.json").write_bytes((found.folder / "config.json").read_bytes())
    vocabulary = plain(found.folder, "DPRReader")[0].get_vocab()
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n")

    old = weights.get_weights("reader", str(tmp_path))
    spans = engines.load_reader(old).find_spans(QUESTION, PASSAGES, 5)
    same = engines.load_reader(found).find_spans(QUESTION, PASSAGES, 5)
    assert [(span.text, span.passage) for span in spans] == [
        (span.text, span.passage) for span in same
    ]
    # Sums of numbers that lie elsewhere in memory differ in their last digits.
    assert [span.likelihood for span in spans] == pytest.approx(
        [span.likelihood for span in same], rel=1e-4
    )


def test_code_that_comes_with_a_model_is_not_run(have, tmp_path):
    import json

    for path in have("encoder").folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.C", "AutoModel": "own.M"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text("raise SystemExit('run')")
    with pytest.raises(MissingModel, match="cannot be used for “passage-encoder”"):
        engines.load_encoder(weights.get_weights("passage-encoder", str(tmp_path)))


def test_pickles_that_hold_more_than_tensors_are_refused(have, tmp_path):
    import pickle

    for path in have("bart").folder.iterdir():
        if path.suffix != ".safetensors":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps({"weights": Bomb()}))
    with pytest.raises(MissingModel, match="cannot be used for “qd”"):
        engines.load_generator(weights.get_weights("qd", str(tmp_path)))
    assert not Bomb.burst


class Bomb:
    """Runs code when it is unpickled."""

    burst = False

    def __reduce__(self):
        return (setattr, (Bomb, "burst", True))


def test_a_short_text_is_not_padded_to_a_long_one():
    assert list(batch_by_length([5, 100, 60, 49, 8], 1_000)) == [[1, 2], [3], [4, 0]]
    assert list(batch_by_length([100] * 5, 250)) == [[0, 1], [2, 3], [4]]
    assert list(batch_by_length([], 10)) == []
