"""Retrievers and rerankers with weights: from the question to what is stored."""

import pytest
from django.utils import timezone

from annotation.models import Suggestion
from evaluation.models import Output
from modeling import engines, weights
from modeling.base import ArticlePassage
from modeling.corpus import corpus_of
from modeling.dense import DenseCorpus
from modeling.engines.base import Limits
from modeling.inputs import jpr_inputs
from modeling.outputs import parse_jpr_places
from modeling.reranking import Jpr, distinct_names
from modeling.services import running
from modeling.services.running import Choice
from modeling.vectors.building import build_vectors
from tests import factories
from tests.modeling import wordvectors

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("models")]

PASSAGES = [
    ("1", "Thames Tunnel", "The Thames Tunnel was opened to walkers in 1843."),
    ("2", "Thames Tunnel", "The first trains ran through the Thames Tunnel in 1869."),
    ("3", "Tower Bridge", "Tower Bridge over the Thames opened in 1894."),
    ("4", "Ferry", "A ferry crossed the river before there was a bridge."),
]
QUESTIONS = ("When did the Thames Tunnel open?", "Who built the bridge?")


@pytest.fixture
def asked(settings, tmp_path, tiny_model):
    """A project with two questions and a snapshot with vectors of two encoders."""
    engines.unload_engines()
    settings.AMBIT_DATA = tmp_path / "data"
    settings.MODELS = {
        "question-encoder": str(tiny_model("dpr-question")),
        "passage-encoder": str(tiny_model("dpr-passage")),
        "reranker": str(tiny_model("cross-encoder")),
        "jpr": str(tiny_model("t5")),
    }
    project = factories.make_project()
    wordvectors.corpus(tmp_path, PASSAGES, name=project.snapshot.name)
    build_vectors(project.snapshot.name, "dpr")
    build_vectors(project.snapshot.name, str(tiny_model("encoder")), kind="hnsw")
    for n, text in enumerate(QUESTIONS):
        factories.make_question(project, text=text, external_id=f"q{n}")
    return project


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("dense", {"encoder": "tiny"}),
        ("dense", {"encoder": "tiny", "reranker": "cross-encoder", "candidates": "3"}),
        ("dpr", {}),
        ("jpr", {}),
        ("bm25", {"reranker": "cross-encoder"}),
        ("bm25", {"reranker": "vectors", "encoder": "tiny", "candidates": "2"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value.values()) or "plain",
)
def test_from_the_question_to_outputs_and_suggestions(asked, run, tiny_model, system, options):
    rosa = factories.make_member(asked, "researcher", name="Rosa Reed")
    options = {n: str(tiny_model("encoder")) if v == "tiny" else v for n, v in options.items()}
    choice = Choice(system, "dev", options)
    for start in (running.start_prediction_job, running.start_suggestion_job):
        job = run(start(project=asked, choice=choice, by=rosa, now=timezone.now()))
        assert (job.state, job.problem, job.result["created"]) == ("done", "", 2)

    passages = {text for _, _, text in PASSAGES}
    best = dict(Output.objects.values_list("question__text", "text"))
    assert set(best) == set(QUESTIONS)
    assert set(best.values()) <= passages
    for question, first in best.items():
        rows = Suggestion.objects.filter(question__text=question).order_by("position")
        texts = [row.content["text"] for row in rows]
        assert texts[0] == first
        assert len(texts) == len(set(texts))
        if "bm25" not in system:
            assert set(texts) == passages
    # Another run finds the same version, and nothing to do.
    again = running.start_prediction_job(project=asked, choice=choice, by=rosa, now=timezone.now())
    assert run(again).result["unchanged"] == 2


@pytest.mark.parametrize("count", [2, 12, 40])
def test_a_t5_writes_as_many_places_as_it_is_asked_for(tiny_model, settings, count):
    settings.MODELS = {"jpr": str(tiny_model("t5"))}
    engine = engines.load_fused_generator(weights.get_weights("jpr"))
    passages = [
        ArticlePassage(str(n), f"Bridge {n}", f"Built in {1800 + n}.") for n in range(count)
    ]
    names = [engine.plain_tokens(str(place)) for place in range(1, count + 1)]
    wanted = min(10, count)
    allowed = distinct_names(names, wanted, engine.end)
    (written,) = engine.generate([jpr_inputs(QUESTIONS[1], passages)], Limits(256, 99), allowed)
    assert len(parse_jpr_places(written.text, count)) == len(written.text.split()) == wanted
    order = Jpr().rank_passages(QUESTIONS[1], passages)
    assert [int(p.id) + 1 for p in order[:wanted]] == list(parse_jpr_places(written.text, count))


def test_each_way_to_search_is_a_version_of_its_own(asked):
    versions = {
        running.Run(asked, "predict", Choice(system, "dev", options)).store.version
        for system, options in (
            ("bm25", {}),
            ("bm25", {"reranker": "cross-encoder"}),
            ("dpr", {}),
            ("dpr", {"reranker": "cross-encoder"}),
            ("jpr", {}),
            ("jpr", {"candidates": "50"}),
        )
    }
    assert len(versions) == 6


def test_minilm_finds_a_meaning_without_a_common_word(settings, tmp_path, db):
    settings.AMBIT_DATA = tmp_path / "data"
    snapshot = factories.make_snapshot()
    wordvectors.corpus(
        tmp_path,
        [
            ("1", "Cat", "A small domesticated carnivore that purrs."),
            ("2", "Ferry", "A ship that carries cars and passengers across the water."),
            ("3", "Bread", "Flour, water and yeast, baked in an oven."),
        ],
        name=snapshot.name,
    )
    build_vectors(snapshot.name, "minilm")
    corpus = DenseCorpus(snapshot.name, corpus_of(snapshot).version, "minilm")
    first = {query: corpus.search(query, 3)[0] for query in ("boats", "feline pets", "food")}
    assert {query: passage.id for query, passage in first.items()} == {
        "boats": "2", "feline pets": "1", "food": "3"
    }  # fmt: skip
    assert all(0.1 < passage.score < 1 for passage in first.values())
