"""What holds for every scorer: order does not matter, bounds, and what the gold itself scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import ambigqa, asqa, nq, nq_open, qampari, retrieval
from metrics.sentences import Rules

TEXT = st.text(max_size=12) | st.sampled_from(["The", "1843", "in 1843", "when did it open?", ""])
TEXTS = st.lists(TEXT, min_size=1, max_size=3)
GOLD_PAIRS = st.lists(st.builds(ambigqa.GoldPair, TEXT, TEXTS.map(tuple)), min_size=1, max_size=3)
ANNOTATIONS = st.one_of(
    st.builds(ambigqa.AmbigqaAnnotation, TEXTS.map(tuple), st.just(())),
    st.builds(ambigqa.AmbigqaAnnotation, st.just(()), GOLD_PAIRS.map(tuple)),
)
QUESTIONS = st.builds(
    asqa.Question,
    st.lists(st.builds(asqa.AsqaPair, TEXT, TEXTS), min_size=1, max_size=2),
    st.lists(st.builds(asqa.AsqaAnnotation, TEXT), min_size=2, max_size=2),
)
A, B, C = (nq.NqSpan(k, k + 5, k // 10, k // 10 + 2) for k in (10, 20, 30))
SETS = st.sampled_from([(), (A,), (B,), (A, B), (B, A), (B, C)])
LABELS = st.one_of(
    st.builds(nq.NqAnnotation, st.sampled_from([None, A, B]), SETS),
    st.builds(nq.NqAnnotation, st.none(), st.just(()), st.sampled_from(["yes", "no"])),
)
SAID = st.builds(
    lambda label, long, short: nq.Prediction(*label, long, short),
    LABELS,
    st.sampled_from([-1.0, 0.0, 2.5]),
    st.sampled_from([-1.0, 0.0, 2.5]),
)
ALIASES = st.builds(qampari.QampariAnswer, TEXT, TEXTS.map(tuple))
PASSAGES = st.lists(st.builds(retrieval.TitledPassage, TEXT, TEXT, TEXT), max_size=3)
FOUND = st.builds(
    retrieval.Reference, st.lists(TEXTS.map(tuple), min_size=1, max_size=2).map(tuple)
)


def score_ambigqa(gold, given):
    references = [
        ambigqa.Reference(name, "When did it open?", tuple(annotations))
        for name, annotations in gold.items()
    ]
    return ambigqa.score_predictions(references, given)


def score_asqa(gold, given):
    read = {f"{name}_{place}": [text] for name, text in given.items() for place in range(2)}
    return asqa.score_predictions(gold, given, reader_answers=read, splitter=Rules())


# For each scorer: the gold of one question, what a system says of it, and how many are scored.
SCORERS = {
    "ambigqa": (
        st.lists(ANNOTATIONS, min_size=1, max_size=2),
        st.lists(st.builds(ambigqa.PredictedPair, TEXT, TEXT), min_size=1, max_size=4),
        score_ambigqa,
    ),
    "asqa": (QUESTIONS, TEXT, score_asqa),
    "nq-open": (TEXTS, TEXTS, nq_open.score_predictions),
    "nq": (st.lists(LABELS, min_size=5, max_size=5), SAID, nq.score_predictions),
    "qampari": (
        st.lists(ALIASES, min_size=1, max_size=3),
        st.lists(TEXT, max_size=4),
        qampari.score_predictions,
    ),
    "retrieval": (FOUND, PASSAGES, lambda *both: retrieval.score_predictions(*both, depths=(1, 2))),
}


@pytest.mark.parametrize("name", SCORERS)
@given(data=st.data())
def test_the_order_of_questions_changes_nothing_and_every_figure_is_a_share(name, data):
    gold, said, score = SCORERS[name]
    items = data.draw(st.lists(st.tuples(gold, said), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(items))))
    names = [f"q{place}" for place in range(len(items))]
    first = score(
        {names[k]: items[k][0] for k in range(len(items))},
        {names[k]: items[k][1] for k in range(len(items))},
    )
    second = score({names[k]: items[k][0] for k in order}, {n: items[int(n[1:])][1] for n in names})
    assert list(second.ids) == [names[k] for k in order]
    values, others = first.scores(), second.scores()
    most = 100 if name == "asqa" else 1
    for figure, found in values.items():
        assert found.value == pytest.approx(others[figure].value, abs=0, rel=1e-12, nan_ok=True)
        if "words" not in figure and "answers" not in figure.split(".")[0] and figure != "length":
            assert found.n == 0 or -1e-9 <= found.value <= most * (1 + 1e-9), figure
    assert first.counts == second.counts
    assert first.extras == second.extras


@given(st.lists(st.lists(LABELS, min_size=5, max_size=5), min_size=1, max_size=5))
def test_the_commonest_short_answers_score_1(rows):
    """Any annotator's answer is right where at least two gave one; where fewer did, none is."""
    gold = {str(place): labels for place, labels in enumerate(rows)}
    given_answers = {}
    for name, labels in gold.items():
        answered = [label for label in labels if label.short or label.yes_no != "none"]
        chosen = answered[-1] if len(answered) >= 2 else nq.NOTHING
        given_answers[name] = nq.Prediction(None, chosen.short[::-1], chosen.yes_no)
    scores = nq.score_predictions(gold, given_answers).scores()
    some = any(label.short or label.yes_no != "none" for label in given_answers.values())
    assert [scores[f"short.{kind}"].value for kind in ("precision", "recall", "f1")] == [some] * 3
    assert scores["short.accuracy"].value == 1


@given(st.integers(4, 9))
def test_a_gold_question_of_four_words_or_more_scores_1_on_bleu_too(length):
    question = " ".join(f"w{place}" for place in range(length))
    pair = ambigqa.GoldPair(question, ("1843",))
    reference = ambigqa.Reference("q", "when", (ambigqa.AmbigqaAnnotation(pairs=(pair,)),))
    found = ambigqa.score_predictions(
        [reference], {"q": [ambigqa.PredictedPair(question, "1843")]}
    ).scores()
    assert found["f1_bleu4.multi"].value == pytest.approx(1)


@given(
    st.lists(st.text("bcd", min_size=1, max_size=3), min_size=2, max_size=5, unique=True),
    st.sampled_from(["repeated", "shared"]),
)
def test_gold_with_repeated_answers_or_a_shared_alias_does_not_reach_1(names, how):
    gold = [qampari.QampariAnswer(name, (name,)) for name in names]
    if how == "repeated":
        gold.append(gold[0])
    else:  # the earlier answer has no alias of its own left
        gold = [qampari.QampariAnswer("first", (names[0],)), *gold]
    said = [alias for answer in gold for alias in answer.aliases]
    found = qampari.score_predictions({"q": gold}, {"q": said}).scores()
    assert found["precision"].value == 1
    assert found["recall"].value == len(names) / (len(names) + 1)
