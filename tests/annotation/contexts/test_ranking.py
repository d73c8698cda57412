"""Which paragraph is chosen: of those that hold an answer the one most like the question."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.contexts.choice import (
    CandidateParagraph,
    SearchedParagraph,
    best_paragraphs,
    tfidf_similarities,
)
from annotation.contexts.inputs import Disambiguation
from metrics.asqa import AsqaPair, str_em
from metrics.text import normalise_text

FIGURES = Path(__file__).resolve().parents[2] / "metrics/cases/tfidf.json"
CASES = json.loads(FIGURES.read_text())["sets"]


def candidates(*texts):
    return [CandidateParagraph(text, "Thames Tunnel", "Thames_Tunnel", 345) for text in texts]


def disambiguation(question, *answers, position=0):
    return Disambiguation(position, question, answers)


OPENED = "The tunnel opened to walkers on 25 March 1843."
TRAINS = "Trains first ran through the tunnel on 7 December 1869, when walkers had long gone."
FEAST = "A feast was held in 1843 for the miners and their families."


class TestHolding:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("It opened on 25 March 1843.", "25 march 1843"),
            ("It opened on March 25, 1843, at noon.", "March 25 1843"),
            ("The Who played.", "who"),
            ("It was Charles's song.", "Charles"),
            ("It was Charles’s song.", "Charles"),
            ("It was Charles' song.", "Charles"),
            ("The season of 1995–96 was long.", "1995"),
            ("He sailed (in the U.S.) alone.", "US"),
            ("We saw The The live.", "The The"),
            ("It got an A+ from all.", "A+"),
            ("Straße und Tor", "straße"),
            ("Das ist İstanbul.", "İstanbul"),
        ],
    )
    def test_whole_words_of_the_normalised_text(self, text, answer):
        assert SearchedParagraph(text).contains_answer([answer])

    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("It opened in 1843.", "1"),
            ("It cost 1.5 million.", "1"),
            ("A party was held.", "art"),
            ("In the 1990s.", "1990"),
            ("Cats ran.", "cat"),
            ("A dog and the cat.", "a"),
            ("A dog and the cat.", "The"),
            ("A dog and the cat.", ""),
            ("A dog and the cat.", "?!"),
            ("the the band", "The The"),
        ],
    )
    def test_but_no_part_of_a_word_and_no_article(self, text, answer):
        assert not SearchedParagraph(text).contains_answer([answer])

    def test_any_accepted_form_will_do(self):
        assert SearchedParagraph(OPENED).contains_answer(["1869", "March 1843", "25 March 1843"])

    def test_answers_are_marked_where_they_stand(self):
        pieces = SearchedParagraph(f"{OPENED} In 1843.").mark_answers(
            ["25 March 1843", "March 1843", "1843"]
        )
        assert pieces == [
            ("The tunnel opened to walkers on ", False),
            ("25 March 1843", True),
            (". In ", False),
            ("1843", True),
            (".", False),
        ]
        assert "".join(text for text, _ in pieces) == f"{OPENED} In 1843."


class TestChoosing:
    def test_the_most_like_of_those_that_hold_an_answer(self):
        found = best_paragraphs(
            [
                disambiguation("When did the tunnel open to walkers?", "25 March 1843", "1843"),
                disambiguation(
                    "When did trains run through the tunnel?", "7 December 1869", position=1
                ),
                disambiguation("When was the tunnel sold?", "1865", position=2),
            ],
            candidates(FEAST, TRAINS, OPENED),
        )
        assert [(best.position, best.paragraph.text) for best in found] == [
            (0, OPENED),
            (1, TRAINS),
        ]
        assert all(0 < best.score < 1 for best in found)

    def test_a_paragraph_that_is_more_alike_and_holds_no_answer_is_not_taken(self):
        question = "When did the tunnel open to walkers?"
        (best,) = best_paragraphs([disambiguation(question, "1869")], candidates(question, TRAINS))
        assert best.paragraph.text == TRAINS

    def test_of_equal_ones_the_first(self):
        (best,) = best_paragraphs(
            [disambiguation("When was the feast?", "1843")],
            [CandidateParagraph(FEAST, "One", "One"), CandidateParagraph(FEAST, "Two", "Two")],
        )
        assert best.paragraph.title == "One"

    def test_nothing_is_found_without_paragraphs_questions_or_answers(self):
        assert best_paragraphs([], candidates(OPENED)) == []
        assert best_paragraphs([disambiguation("When?", "1843")], []) == []
        assert best_paragraphs([disambiguation("When?")], candidates(OPENED)) == []

    def test_one_that_has_no_word_of_the_question_has_no_similarity(self):
        (best,) = best_paragraphs([disambiguation("¿Cuándo?", "1843")], candidates(OPENED))
        assert best.score == 0.0


class TestSimilarity:
    @pytest.mark.parametrize(
        "case", CASES, ids=lambda case: f"{len(case['paragraphs'])} paragraphs"
    )
    def test_it_is_what_scikit_learn_computes(self, case):
        """To the four decimals that are kept."""
        rounded = [[round(cosine, 4) for cosine in row] for row in case["cosines"]]
        assert tfidf_similarities(case["questions"], case["paragraphs"]) == rounded

    def test_the_same_words_are_1_and_no_common_word_is_0(self):
        assert tfidf_similarities(["one two"], ["one two", "three four"]) == [[1.0, 0.0]]

    def test_what_every_paragraph_has_counts_less(self):
        paragraphs = ["walkers went", "tunnel went", "tunnel", "tunnel boats", "tunnel trains"]
        rare, common = tfidf_similarities(["tunnel walkers"], paragraphs)[0][:2]
        assert rare > common

    def test_words_that_no_paragraph_has_make_it_less_alike(self):
        paragraphs = ["the tunnel opened", "the feast"]
        known = tfidf_similarities(["tunnel opened"], paragraphs)[0][0]
        partly = tfidf_similarities(["tunnel opened because elephants"], paragraphs)[0][0]
        assert 0 < partly < known

    def test_a_single_figure_is_a_word(self):
        first, second = tfidf_similarities(["season 1"], ["in season 1", "in season 2"])[0]
        assert first > second

    def test_another_question_changes_nothing(self):
        paragraphs = [OPENED, TRAINS, FEAST]
        question = "When did the tunnel open?"
        alone = tfidf_similarities([question], paragraphs)[0]
        assert tfidf_similarities(["Who dug it?", question], paragraphs)[1] == alone

    def test_texts_without_words(self):
        assert tfidf_similarities(["?"], ["!", "…"]) == [[0.0, 0.0]]
        assert tfidf_similarities(["?"], []) == [[]]


WORDS = st.lists(
    st.sampled_from(
        ["the", "The The", "A", "1843", "1", "Charles's", "İ", "ß", "U.S.", "1.5", "–", "'", "’s",
         "C++", "3,000", "\u00a0", "art", "party", "ﬁ", "日本", "e\u0301", "?", "a"]
    ),
    max_size=8,
).map(" ".join)  # fmt: skip


@given(text=WORDS, answers=st.lists(WORDS, max_size=3))
@settings(max_examples=300, deadline=None)
def test_marking_keeps_the_text_and_agrees_with_holding(text, answers):
    searched = SearchedParagraph(text)
    pieces = searched.mark_answers(answers)
    assert "".join(piece for piece, _ in pieces) == text
    assert all(piece for piece, _ in pieces)
    assert any(is_answer for _, is_answer in pieces) == searched.contains_answer(answers)
    if searched.contains_answer(answers) and all(normalise_text(answer) for answer in answers):
        # What is shown as holding an answer has it for STR-EM, too.
        assert str_em([AsqaPair("?", answers)], text) == 100
