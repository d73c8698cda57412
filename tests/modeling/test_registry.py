"""The registry holds every baseline to what a baseline is, and loads none before it is wanted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modeling import registry
from modeling.base import (
    ANSWERS,
    LONG_ANSWER,
    PAIRS,
    PASSAGES,
    SPANS,
    VERDICTS,
    AnsweredDisambiguation,
    BadOption,
    BaselineQuestion,
    CandidateAnswer,
    MissingModel,
    ShortAnswer,
)
from tests.modeling.corpora import Corpus
from tests.modeling.training.pages import parse_page

ROOT = Path(__file__).resolve().parents[2]
KEYS = [entry.key for entry in registry.list_baselines()]
PAIRS_OF_1 = (
    AnsweredDisambiguation("When did trains first use the Thames Tunnel?", (ShortAnswer("1869"),)),
)
QUESTIONS = [
    BaselineQuestion(
        *("1", "When did the Thames Tunnel open?", PAIRS_OF_1, ("Thames Tunnel",)),
        candidates=(CandidateAnswer("1843"),),
    ),
    BaselineQuestion("2", "Zzz?"),
    BaselineQuestion(
        *("3", "When did Tower Bridge open?"),
        pages=("Nowhere", "Tower_Bridge"),
        page=parse_page("<p>Tower Bridge opened in 1894.</p>"),
    ),
]


@pytest.fixture(autouse=True)
def searched(monkeypatch):
    """Vectors and rerankers without weights: they leave passages as the corpus finds them."""
    monkeypatch.setattr("modeling.dense.DenseCorpus", lambda name, version, encoder: Corpus())
    monkeypatch.setattr("modeling.reranking.Jpr", Unchanged)


class Unchanged:
    version = "1"

    def rank_passages(self, question, passages):
        return list(passages)


@pytest.fixture
def options(tmp_path, chat, naps, models):
    """What each baseline needs to run here, by key."""
    train = tmp_path / "train.jsonl"
    train.write_text('{"page": "Tower Bridge", "question": "When?", "answers": ["1894"]}\n')
    copying = {key: {"train": str(train)} for key in ("most-frequent", "closest-question")}
    voting = {key: {"of": "span-seq-gen,fid"} for key in ("ensemble", "ensemble-qd")}
    return copying | voting


@pytest.mark.parametrize("key", KEYS)
def test_a_baseline_is_what_its_entry_says(key, options):
    entry, baseline = (
        registry.get_baseline(key),
        registry.build_baseline(key, Corpus(), options.get(key)),
    )

    assert (baseline.key, baseline.label) == (entry.key, entry.label)
    assert 0 < len(baseline.version) <= 40
    assert baseline.gives
    assert baseline.gives <= {PASSAGES, ANSWERS, PAIRS, LONG_ANSWER, SPANS, VERDICTS}


@pytest.mark.parametrize("key", KEYS)
def test_a_baseline_gives_one_prediction_for_each_question_in_order(key, options):
    baseline = registry.build_baseline(key, Corpus(), options.get(key))
    predictions = list(baseline.predict(QUESTIONS))

    assert [prediction.id for prediction in predictions] == ["1", "2", "3"]
    assert list(baseline.predict([])) == []
    for prediction in predictions:
        given = {
            name
            for name in (PASSAGES, ANSWERS, PAIRS, LONG_ANSWER, VERDICTS)
            if getattr(prediction, name)
        }
        assert given <= baseline.gives
        assert bool(given) != bool(prediction.problem)
    assert any(not prediction.problem for prediction in predictions)
    assert (
        list(registry.build_baseline(key, Corpus(), options.get(key)).predict(QUESTIONS))
        == predictions
    )


@pytest.mark.parametrize("key", KEYS)
def test_an_option_that_a_baseline_does_not_have_is_refused(key, options):
    with pytest.raises(MissingModel, match="no option “colour”"):
        registry.build_baseline(key, Corpus(), {"colour": "red"})


@pytest.mark.parametrize("entry", registry.list_baselines(), ids=lambda entry: entry.key)
def test_what_searches_needs_a_corpus(entry, options):
    if not entry.searches:
        registry.build_baseline(entry.key, None, options.get(entry.key))
        return
    with pytest.raises(MissingModel, match="searches passages, and none are chosen"):
        registry.build_baseline(entry.key)


@pytest.mark.parametrize(
    "entry",
    [entry for entry in registry.list_baselines() if entry.on_page],
    ids=lambda row: row.key,
)
def test_on_pages_of_questions_nothing_is_searched(entry, chat):
    baseline = registry.build_baseline(entry.key, own_pages=True)
    assert (baseline.key, baseline.label) == (entry.key, entry.label)
    assert SPANS in baseline.gives
    [prediction] = baseline.predict(QUESTIONS[:1])
    assert prediction.problem == "The question comes without a page."


def test_an_unknown_baseline_is_refused_with_those_there_are():
    with pytest.raises(MissingModel, match=r"no baseline “gpt”\. Choose one of question-x8, bm25"):
        registry.build_baseline("gpt")


def test_a_key_is_taken_once():
    with pytest.raises(ValueError, match="two baselines with the key bm25"):
        registry.register(registry.get_baseline("bm25"))


def test_the_list_of_baselines_loads_none_of_them():
    code = "import sys, modeling.registry as r; assert r.list_baselines(); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "modeling.registry" in loaded
    assert not {"requests", "django", "torch", "transformers", "modeling.baselines"} & set(loaded)


def test_making_a_baseline_loads_no_weights(tmp_path):
    """The page of runs makes all of them to see which can run."""
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_text("{}")
    code = (
        "import sys, django; django.setup()\n"
        "from django.conf import settings\n"
        "from modeling import registry, roles\n"
        "from tests.modeling.corpora import Corpus\n"
        f"settings.MODELS = dict.fromkeys(roles.ROLES, {str(tmp_path)!r})\n"
        "for key in sys.argv[1:]:\n"
        "    of = {'of': 'fid,extractive'} if key.startswith('ensemble') else {}\n"
        "    registry.build_baseline(key, Corpus(), of)\n"
        "print(*sys.modules)"
    )
    modules = ("bart", "ensemble", "lists", "page_networks", "page_reader", "spans", "t5")
    keys = [
        row.key
        for row in registry.list_baselines()
        if row.path.split(".")[-1].split(":")[0] in modules
    ]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    loaded = subprocess.run(
        [sys.executable, "-c", code, *keys],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert len(keys) == 18
    assert "modeling.baselines.ensemble" in loaded
    assert not {"torch", "transformers", "tokenizers"} & set(loaded)


def test_every_baseline_is_in_the_documents():
    page = (ROOT / "docs" / "models.md").read_text()
    assert [key for key in KEYS if f"| `{key}` |" not in page] == []


DPR = {"retriever": "dense", "encoder": "dpr"}


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("thresholding", DPR),
        ("disambig-first", DPR),
        ("span-seq-gen", DPR | {"reranker": "cross-encoder"}),
        ("ensemble-qd", DPR | {"reranker": "cross-encoder"}),
        ("t5-open-1", DPR | {"reranker": "jpr"}),
        ("t5-open-5", DPR | {"reranker": "jpr"}),
        ("pig", {"retriever": "bm25"}),
        ("llm-reader", {"retriever": "bm25"}),
    ],
)
def test_the_retriever_of_a_paper_is_one_option(key, expected):
    """A88 and S55: DPR, with a cross-encoder or with JPR; QAMPARI's models search with BM25."""
    entry = registry.get_baseline(key)
    assert entry.with_options({"retriever": "paper"}) == expected
    assert entry.with_options({"retriever": "paper", "candidates": "50"}) == {
        **expected,
        "candidates": "50",
    }
    assert entry.with_options({"reranker": "none"}) == {"reranker": "none"}


@pytest.mark.parametrize("key", ["t5-open-3", "thresholding", "fid"])
def test_a_reader_can_be_built_with_the_retriever_of_its_paper(key, options):
    baseline = registry.build_baseline(key, Corpus(), {"retriever": "paper"})
    [prediction] = baseline.predict(QUESTIONS[:1])
    assert not prediction.problem


@pytest.mark.parametrize("key", ["bm25", "smollm2", "question-x8", "oracle"])
def test_what_has_no_paper_refuses_its_retriever(key):
    with pytest.raises(BadOption, match=r"has no retriever of its paper\. Set the option"):
        registry.build_baseline(key, Corpus(), {"retriever": "paper"})
