"""The multiset edit measure and the aligned diff that shows it."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metrics.edits import kept_ratio, list_diff_spans, word_edits
from metrics.text import tokenise_words

PROMPT = "When did the Thames Tunnel open?"
WORDS = st.lists(
    st.sampled_from(
        [
            "when",
            "When",
            "did",
            "the",
            "The",
            "a",
            "open",
            "open?",
            "?",
            "don't",
            "do",
            "not",
            "1",
            "1/2",
            "(1995–96)",
            "“tunnel”",
            "tunnel,",
            "<b>",
            "x='y'>",
            "Beyoncé's",
            "—",
        ]
    ),
    max_size=12,
).map(" ".join)
TEXTS = WORDS | st.text(max_size=40)


@pytest.mark.parametrize(
    ("question", "added", "deleted"),
    [
        (PROMPT, "", ""),
        ("when did the thames tunnel open", "", ""),
        ("When did Thames Tunnel open?", "", ""),  # articles do not count
        ("When did the Thames Tunnel open to pedestrians?", "to pedestrians", ""),
        ("Where did the Thames Tunnel open?", "where", "when"),
        ("When did the the Thames Thames Tunnel open?", "thames", ""),
        ("The Thames Tunnel did open when?", "", ""),  # order does not count
        ("", "", "when did thames tunnel open"),
    ],
)
def test_edits(question, added, deleted):
    change = word_edits(PROMPT, question)
    assert change.added == Counter(added.split())
    assert change.deleted == Counter(deleted.split())


def test_a_word_added_twice_counts_twice():
    change = word_edits("Who sang Blue Moon?", "Who wrote Blue Moon in 1934, not in 1961?")
    assert change.added == Counter(["wrote", "in", "in", "1934", "not", "1961"])
    assert change.deleted == Counter(["sang"])


def test_diff_marks_words_and_leaves_punctuation_outside():
    spans = list_diff_spans(
        PROMPT, "When did the Thames Tunnel reopen as part of the London Overground?"
    )
    assert [(span.kind, span.text, span.tail) for span in spans] == [
        ("same", "When did the Thames Tunnel", ""),
        ("del", "open", "?"),
        ("ins", "reopen as part of the London Overground", "?"),
    ]
    assert spans[2].counted == ("reopen", "as", "part", "of", "london", "overground")


def test_a_moved_word_is_shown_and_not_counted():
    spans = list_diff_spans("open when", "when open")
    assert {span.kind for span in spans} == {"same", "ins", "del"}
    assert all(span.counted == () for span in spans)


def test_half_of_a_contraction_is_counted_once():
    spans = list_diff_spans("Why do they", "Why don't they")
    assert [(span.kind, span.text, span.counted) for span in spans] == [
        ("same", "Why", ()),
        ("del", "do", ()),
        ("ins", "don't", ("nt",)),
        ("same", "they", ()),
    ]


def test_html_stays_text():
    spans = list_diff_spans(PROMPT, "When did <script>alert(1)</script> open?")
    assert "<script>alert(1)</script>" in " ".join(span.text for span in spans)


@pytest.mark.parametrize(
    ("prompt", "question", "ratio"),
    [
        (PROMPT, PROMPT, 1.0),
        (PROMPT, "", 0.0),
        (PROMPT, "When did it open?", 0.6),
        ("?", "anything", 1.0),
        ("who who", "who", 0.5),
    ],
)
def test_kept_ratio(prompt, question, ratio):
    assert kept_ratio(prompt, question) == pytest.approx(ratio)


@given(TEXTS, TEXTS)
def test_same_and_ins_are_the_question_and_same_and_del_the_prompt(prompt, question):
    spans = list_diff_spans(prompt, question)
    after = [word for span in spans if span.kind != "del" for word in span.words]
    assert after == question.split()
    gone = [word for span in spans if span.kind == "del" for word in span.words]
    same = [word for span in spans if span.kind == "same" for word in span.words]
    assert len(same) + len(gone) == len(prompt.split())
    assert Counter(gone) - Counter(prompt.split()) == Counter()


@given(TEXTS, TEXTS)
@example("", "\x85")  # white space to Python, an ellipsis in old Windows text
@example("1 1/2 cups", "1\u00a01/2 cups")  # a fraction holds a space
@example("<b class='x y'>", "(212) 555 1212")  # and so do tags and telephone numbers
def test_what_is_counted_equals_the_measure(prompt, question):
    spans = list_diff_spans(prompt, question)
    change = word_edits(prompt, question)
    counted = {kind: Counter() for kind in ("same", "ins", "del")}
    for span in spans:
        counted[span.kind].update(span.counted)
    assert counted == {"same": Counter(), "ins": change.added, "del": change.deleted}


@given(TEXTS, TEXTS)
def test_neighbours_are_of_different_kinds(prompt, question):
    kinds = [span.kind for span in list_diff_spans(prompt, question)]
    assert all(kind != following for kind, following in pairwise(kinds))


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text):
    assert {span.kind for span in list_diff_spans(text, text)} <= {"same"}
    assert word_edits(text, text) == word_edits("", "")


@given(TEXTS, TEXTS)
def test_edits_undo_each_other(prompt, question):
    there, back = word_edits(prompt, question), word_edits(question, prompt)
    assert there.added == back.deleted
    after = Counter(tokenise_words(prompt)) - there.deleted + there.added
    assert after == Counter(tokenise_words(question))
    assert 0.0 <= kept_ratio(prompt, question) <= 1.0
