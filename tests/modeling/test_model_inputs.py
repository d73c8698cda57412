"""What reaches the models: tokens, decoded again, against the formats of the papers."""

import pytest

from modeling import inputs, registry
from modeling.base import AnsweredDisambiguation, ArticlePassage, BaselineQuestion, ShortAnswer
from tests.modeling import tiny
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL, Corpus

pytestmark = pytest.mark.xdist_group("models")

ASKED = BaselineQuestion(
    "1",
    "When did the Thames Tunnel open?",
    (
        AnsweredDisambiguation(
            "When did trains first run through it?", (ShortAnswer("1869", (), TRAINS),)
        ),
    ),
    knowledge=(BRIDGE,),
)
LONG = [
    ArticlePassage(f"7-{n}", "Thames Tunnel", " ".join(["the Thames Tunnel opened to trains"] * 90))
    for n in range(60)
]


@pytest.fixture
def read(monkeypatch):
    """The tokens that encoders read, a list for each input, without padding."""
    from transformers.models.bart.modeling_bart import BartEncoder
    from transformers.models.bert.modeling_bert import BertModel
    from transformers.models.t5.modeling_t5 import T5Stack

    rows = []

    def watched(kind):
        forward = kind.forward

        def watching(self, input_ids=None, attention_mask=None, **rest):
            if input_ids is not None and not getattr(self, "is_decoder", False):
                for ids, mask in zip(input_ids, attention_mask, strict=True):
                    rows.append(ids[mask.bool()].tolist())
            return forward(self, input_ids=input_ids, attention_mask=attention_mask, **rest)

        monkeypatch.setattr(kind, "forward", watching)

    for kind in (BartEncoder, BertModel, T5Stack):
        watched(kind)
    return rows


@pytest.fixture(scope="module")
def long_bart(tmp_path_factory):
    """A tiny BART that reads 1,024 tokens, as large ones do."""
    folder = tmp_path_factory.mktemp("long") / "bart"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny, "POSITIONS", 1024)
        return tiny.build("bart", folder)


def predicted(key, *passages, asked=ASKED, **options):
    baseline = registry.build_baseline(
        key, Corpus(*(passages or (TUNNEL, TRAINS, BRIDGE))), options
    )
    return list(baseline.predict([asked]))


def tokenizer_of(folder):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


def decoded(folder, ids):
    return tokenizer_of(folder).decode(ids, clean_up_tokenization_spaces=False)


def test_span_seq_gen(read, tiny_weights, long_bart):
    predicted("span-seq-gen", passages="2", model=str(long_bart))
    text = inputs.span_seq_gen(ASKED.question, [TUNNEL, TRAINS])
    assert [decoded(long_bart, ids) for ids in read] == [f"<s>{text}</s>"]


def test_question_disambiguation(read, tiny_weights, long_bart, monkeypatch):
    models = {"qd": str(long_bart), "threshold": "0.001", "passages": "1"}
    (prediction,) = predicted("thresholding-qd", TUNNEL, **models)
    texts = [answer.text for answer in prediction.answers]
    assert len(texts) > 1
    expected = [
        inputs.question_disambiguation(
            ASKED.question, text, [other for other in texts if other != text], [TUNNEL]
        )
        for text in texts
    ]
    of_bart = [decoded(long_bart, ids) for ids in read[1:]]
    assert sorted(of_bart) == sorted(f"<s>{text}</s>" for text in expected)


def test_disambig_first(read, tiny_weights, tiny_model, monkeypatch):
    from modeling import engines

    class Sure:
        def predict_likelihoods(self, texts):
            return [1.0 for _ in texts]

    predicted("disambig-first", asked=BaselineQuestion("1", "when did it open"))
    assert decoded(tiny_model("classifier"), read[0]) == "[CLS] when did it open? [SEP]"
    read.clear()
    monkeypatch.setattr(engines, "load_classifier", lambda weights: Sure())
    predicted("disambig-first", asked=BaselineQuestion("1", "when did it open"))
    assert decoded(tiny_model("bart"), read[0]) == "<s>when did it open?</s>"


@pytest.mark.parametrize("count", [1, 3, 5])
def test_t5_open_book(count, read, tiny_weights, tiny_model):
    (prediction,) = predicted(f"t5-open-{count}")
    text = inputs.t5_open(ASKED.question, prediction.passages)
    assert text.count("info:") == min(count, 3)
    assert [decoded(tiny_model("t5"), ids) for ids in read] == [f"{text}</s>"]


def test_t5_closed_book_and_the_oracle(read, tiny_weights, tiny_model):
    predicted("t5-closed")
    predicted("oracle")
    text = inputs.oracle_input(ASKED.question, ASKED.disambiguations, ASKED.knowledge)
    assert [decoded(tiny_model("t5"), ids) for ids in read] == [
        f"{ASKED.question}</s>", f"{text}</s>",
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["fid", "pig"])
def test_fid_and_pig(key, read, tiny_weights, tiny_model):
    (prediction,) = predicted(key)
    texts = inputs.fid_inputs(ASKED.question, prediction.passages)
    assert len(texts) == 3
    assert sorted(decoded(tiny_model("t5"), ids) for ids in read) == sorted(
        f"{text}</s>" for text in texts
    )


@pytest.mark.parametrize(
    ("key", "role", "limit"),
    [
        ("span-seq-gen", "bart", 1024),
        ("t5-closed", "t5", 128),
        ("t5-open-1", "t5", 512),
        ("t5-open-3", "t5", 1024),
        ("t5-open-5", "t5", 2048),
        ("oracle", "t5", 2048),
        ("fid", "t5", 250),
        ("pig", "t5", 250),
    ],
)
def test_what_is_too_long_is_cut_behind_the_papers_number_of_tokens(
    key, role, limit, read, tiny_weights, tiny_model, long_bart, monkeypatch
):
    folder = long_bart if role == "bart" else tiny_model(role)
    asked = ASKED
    if key in ("t5-closed", "oracle"):
        question = " ".join(["when did the Thames Tunnel open"] * 500)
        asked = BaselineQuestion("1", question, ASKED.disambiguations)
    options = {"passages": "20"} if key == "span-seq-gen" else {}
    options |= {"passages": "3"} if key in ("fid", "pig") else {}
    predicted(key, *LONG, asked=asked, model=str(folder), **options)
    assert {len(ids) for ids in read} == {limit}
    assert {ids[-1] for ids in read} == {tokenizer_of(folder).eos_token_id}
    head = decoded(folder, read[0][:-1]).removeprefix("<s>")
    assert MADE[key](asked).startswith(head)


MADE = {
    "span-seq-gen": lambda asked: inputs.span_seq_gen(asked.question, LONG[:20]),
    "t5-closed": lambda asked: inputs.t5_closed(asked.question),
    "t5-open-1": lambda asked: inputs.t5_open(asked.question, LONG[:1]),
    "t5-open-3": lambda asked: inputs.t5_open(asked.question, LONG[:3]),
    "t5-open-5": lambda asked: inputs.t5_open(asked.question, LONG[:5]),
    "oracle": lambda asked: inputs.oracle_input(asked.question, asked.disambiguations),
    "fid": lambda asked: inputs.fid_inputs(asked.question, LONG[:1])[0],
    "pig": lambda asked: inputs.pig_inputs(asked.question, LONG[:1])[0],
}
