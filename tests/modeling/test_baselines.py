"""Baselines without a model: the question, passages as they are, copied annotations."""

import json

import pytest

from modeling import registry
from modeling.base import ArticlePassage, BadOption, BaselineQuestion
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL, Corpus


def predicted(key, *asked, corpus=None, **options):
    return list(registry.build_baseline(key, corpus, options).predict(asked))


def asked(text, *pages):
    return BaselineQuestion("1", text, pages=pages)


def test_the_question_eight_times():
    (prediction,) = predicted("question-x8", asked(" When did it open? "))
    assert prediction.long_answer == " ".join(["When did it open?"] * 8)


def test_the_best_passage_is_the_long_answer():
    corpus = Corpus()
    (prediction,) = predicted(
        "bm25", asked("trains through the Thames Tunnel"), corpus=corpus, top="2"
    )
    assert [passage.id for passage in prediction.passages] == [TRAINS.id, TUNNEL.id]
    assert prediction.long_answer == TRAINS.text
    assert corpus.asked == [("trains through the Thames Tunnel", 2)]


def test_without_a_passage_the_question_has_a_problem():
    (prediction,) = predicted("bm25", asked("Zzz?"), corpus=Corpus())
    assert prediction.problem == "No passage fits the question."


# --- the first paragraph ------------------------------------------------------------------------


def first(*pages, corpus=None):
    (prediction,) = predicted("first-paragraph", asked("When?", *pages), corpus=corpus or Corpus())
    return prediction


def test_the_first_passage_of_the_page_although_another_matches_better():
    assert first("Thames Tunnel").passages[0].id == TUNNEL.id
    assert first("Thames Tunnel").long_answer == TUNNEL.text


def test_numbers_of_passages_are_numbers():
    passages = [ArticlePassage(f"Crane#{n}", "Crane", f"Part {n}.") for n in (10, 2, 9)]
    assert first("Crane", corpus=Corpus(*passages)).long_answer == "Part 2."


def test_the_first_passage_is_looked_for_behind_many_that_match_better():
    other = [ArticlePassage(f"Crane#{n}", "Crane", f"A crane, part {n}.") for n in range(2, 400)]
    corpus = Corpus(*other, ArticlePassage("Crane#1", "Crane", "A bird."))
    corpus.search = lambda title, top, search=corpus.search: search("a crane,", top)
    assert first("Crane", corpus=corpus).long_answer == "A bird."


def test_the_first_page_that_the_corpus_has():
    assert first("Old Tower", "Tower_Bridge", "Thames Tunnel").long_answer == BRIDGE.text


def test_a_page_that_only_shares_words_is_another_page():
    assert first("Thames").problem == "None of the question's pages is in the corpus."
    assert first().problem == "The question comes without a page."


# --- copied annotations -------------------------------------------------------------------------

TRAIN = [
    {"page": "Tower Bridge", "question": "when was the bridge opened", "answers": ["1894"]},
    {"page": "Tower Bridge", "question": "who opened the bridge", "answers": ["Edward VII"]},
    {"page": "Tower_Bridge", "question": "when did the bridge open", "answers": ["1894."]},
    {"page": "Thames Tunnel", "question": "who dug the tunnel", "long_answer": "Brunel dug it."},
    {"page": "Thames Tunnel", "question": "when did trains come", "answers": ["1869", "1869"]},
]


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in TRAIN))
    return str(path)


def texts(prediction):
    return [answer.text for answer in prediction.answers]


def test_the_most_frequent_annotation_of_the_page(train):
    (prediction,) = predicted(
        "most-frequent", asked("Why?", "Nowhere", "tower bridge"), train=train
    )
    assert texts(prediction) == ["1894"]


def test_of_equally_frequent_annotations_the_first(train):
    (prediction,) = predicted("most-frequent", asked("Why?", "Thames Tunnel"), train=train)
    assert (texts(prediction), prediction.long_answer) == ([], "Brunel dug it.")


@pytest.mark.parametrize("key", ["most-frequent", "closest-question"])
def test_a_page_without_examples_is_a_problem(key, train):
    (prediction,) = predicted(key, asked("Who dug it?", "Nowhere"), train=train)
    assert prediction.problem == "None of the question's pages is in the training set."


def test_a_question_without_a_page_has_no_most_frequent_annotation(train):
    (prediction,) = predicted("most-frequent", asked("Who dug it?"), train=train)
    assert prediction.problem == "The question comes without a page."


def test_the_annotation_of_the_closest_question(train):
    predictions = predicted(
        "closest-question",
        asked("who opened this bridge"),
        asked("when did the first trains come", "Thames Tunnel"),
        asked("who opened this bridge", "Thames Tunnel"),
        asked("zzz"),
        train=train,
    )
    assert [texts(prediction) for prediction in predictions] == [
        ["Edward VII"], ["1869"], [], [],
    ]  # fmt: skip
    assert predictions[2].long_answer == "Brunel dug it."
    assert predictions[3].problem == "No question of the training set shares a word with this one."


def test_many_questions_are_compared_a_few_at_a_time_in_order(train):
    words = ["who opened", "zzz", "who dug", "trains come"]
    predictions = predicted(
        "closest-question",
        *(BaselineQuestion(str(n), words[n % 4]) for n in range(50)),
        train=train,
    )
    assert [prediction.id for prediction in predictions] == [str(n) for n in range(50)]
    assert [texts(prediction) for prediction in predictions[44:48]] == [
        ["Edward VII"], [], [], ["1869"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "holds no example"),
        ("{", "line 1: It is not JSON"),
        ('\n{"question": "Who?"}', "line 2: It has neither a “long_answer” nor “answers”"),
        ('{"answers": ["x"]}', "line 1: “question” is missing"),
        ('{"question": "Who?", "answers": "x"}', "line 1: “answers” should be a list"),
        ('{"question": "Who?", "answers": ["x"], "page": 7}', "line 1: “page” should be text"),
    ],
)
def test_a_bad_file_of_examples_is_refused_with_its_line(tmp_path, content, sentence):
    path = tmp_path / "train.jsonl"
    path.write_text(content)
    with pytest.raises(BadOption, match=sentence):
        registry.build_baseline("most-frequent", None, {"train": str(path)})


def test_a_missing_file_of_examples_is_refused(tmp_path):
    with pytest.raises(BadOption, match="cannot be read: No such file"):
        registry.build_baseline("most-frequent", None, {"train": str(tmp_path / "none")})
    with pytest.raises(BadOption, match="cannot be read: Is a directory"):
        registry.build_baseline("most-frequent", None, {"train": str(tmp_path)})
    with pytest.raises(BadOption, match="Set the option “train”"):
        registry.build_baseline("most-frequent")
