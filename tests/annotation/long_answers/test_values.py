"""Inputs as files have them, and responses as forms and drafts send them."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotation.contexts.inputs import NO_CONTEXT, LinkedPage, Paragraph, inputs_of
from annotation.long_answers.response import (
    MAX_PIECES,
    LongAnswerResponse,
    Piece,
    Wording,
    from_json,
    from_post,
    keep_submitted_parts,
    to_json,
)
from annotation.sheets.fields import Keep
from annotation.text.cleaning import ResponseError
from tests.annotation.long_answers.helpers import TUNNEL

FOUND = {0: Paragraph("Found.", "Rotherhithe"), 1: Paragraph("Also found.", "East London line")}


class TestInputs:
    def test_everything_the_file_says(self):
        inputs = inputs_of("When?", TUNNEL, {})
        first, second = inputs.disambiguations
        assert first.answers == ("25 March 1843", "March 25, 1843")
        assert first.context.title == "Thames Tunnel"
        assert second.context is None
        assert inputs.pages[0] == LinkedPage(
            "Thames Tunnel", "https://en.wikipedia.org/wiki/Thames%20Tunnel"
        )

    def test_the_files_own_context_comes_before_one_that_was_found(self):
        first, second = inputs_of("When?", TUNNEL, FOUND).disambiguations
        assert first.context.text.startswith("Walkers first")
        assert second.context == FOUND[1]

    def test_the_words_for_no_context_are_none(self):
        pair = {"question": "When?", "short_answers": ["1843"], "context": NO_CONTEXT}
        (found,) = inputs_of("When?", {"qa_pairs": [pair]}, {}).disambiguations
        assert found.context is None

    @pytest.mark.parametrize(
        "context",
        [
            {},
            {"qa_pairs": None, "wikipages": 3},
            {"qa_pairs": "x", "wikipages": [None, "x", {"title": 4}, {"url": "https://x"}]},
        ],
    )
    def test_what_has_another_shape_counts_as_not_there(self, context):
        inputs = inputs_of("When?", context, {})
        assert (inputs.disambiguations, inputs.pages) == ((), ())

    def test_positions_are_those_of_the_file(self):
        pairs = [{"question": "A?", "short_answers": ["1"]}, {"question": "B?"}]
        found = inputs_of("When?", {"qa_pairs": pairs}, {}).disambiguations
        assert [(each.number, each.field, each.answers) for each in found] == [
            (1, "answer-1", ("1",)),
            (2, "answer-2", ()),
        ]

    def test_in_the_regime_without_context_nothing_but_the_prompt_is_left(self):
        alone = inputs_of("When?", TUNNEL, FOUND).question_only()
        assert (alone.prompt, alone.disambiguations, alone.pages, alone.full) == (
            "When?",
            (),
            (),
            False,
        )


class TestForm:
    def test_a_whole_form(self):
        said = from_post(
            QueryDict(
                "long_answer=+It+opened%0D%0Atwice.+&piece-0-content=Sold.&piece-0-page=Thames+Tunnel"
                "&piece-0-quote=7&piece-4-content=&piece-4-page=&said-1=late&said-1-at=12"
                "&feedback=ok&keep-rule=text-too-short&keep-field=long-answer&keep-reason=so"
            )
        )
        assert said == LongAnswerResponse(
            text="It opened\ntwice.",
            knowledge=(Piece("Sold.", "Thames Tunnel", 7), Piece()),
            said=(Wording(1, "late", 12),),
            feedback="ok",
            keeps=(Keep("text-too-short", "long-answer", "so"),),
        )

    def test_holes_are_closed_and_kept_warnings_follow(self):
        said = from_post(
            QueryDict(
                "piece-3-content=A&piece-9-content=B&keep-rule=piece-incomplete&keep-field=piece-10"
                "&keep-reason=x&keep-rule=piece-incomplete&keep-field=piece-1&keep-reason=y"
            )
        )
        assert [piece.content for piece in said.knowledge] == ["A", "B"]
        assert said.keeps == (Keep("piece-incomplete", "piece-2", "x"),)

    def test_empty_words_take_an_override_back(self):
        assert from_post(QueryDict("said-1=+&said-1-at=4")).said == ()

    def test_the_place_of_words_is_only_a_hint(self):
        said = from_post(QueryDict("said-0=late&said-0-at=x&said-2=soon&said-2-at=99999999"))
        assert [each.at for each in said.said] == [0, 0]

    @pytest.mark.parametrize(
        ("query", "sentence"),
        [
            ("long_answer=" + "a" * 20_001, "The long answer has 20,001 characters"),
            (
                "&".join(f"piece-{n}-content=a" for n in range(MAX_PIECES + 1)),
                "There are 51 pieces",
            ),
            ("piece-0-content=" + "a" * 10_001, "Piece 1: the text has 10,001"),
            ("piece-5-quote=x", "Piece 1: “x” is not the number of a quote"),
            ("piece-5-quote=99999999999999999999", "is not the number of a quote"),
            ("said-0=" + "a" * 1_001, "What you marked has 1,001 characters"),
            ("keep-rule=a", "do not line up"),
        ],
    )
    def test_what_cannot_be_read_is_said(self, query, sentence):
        with pytest.raises(ResponseError) as refused:
            from_post(QueryDict(query))
        assert sentence.replace("“", '"').replace("”", '"') in str(refused.value)

    def test_control_characters_and_half_surrogates_go(self):
        data = QueryDict(mutable=True)
        data["long_answer"] = "It \x00opened\ud800\x1b."
        assert from_post(data).text == "It opened."


class TestSettled:
    def test_empty_pieces_go_and_kept_warnings_follow(self):
        said = LongAnswerResponse(
            text="x",
            knowledge=(Piece(), Piece("A"), Piece("", ""), Piece("", "B")),
            keeps=(
                Keep("piece-incomplete", "piece-1", "gone"),
                Keep("piece-incomplete", "piece-2", "a"),
                Keep("piece-incomplete", "piece-4", "b"),
                Keep("text-too-short", "long-answer", "c"),
            ),
        )
        left = keep_submitted_parts(said)
        assert left.knowledge == (Piece("A"), Piece("", "B"))
        assert [(keep.field, keep.reason) for keep in left.keeps] == [
            ("piece-1", "a"),
            ("piece-2", "b"),
            ("long-answer", "c"),
        ]


texts = st.text(max_size=20).filter(lambda text: "\ud800" not in text)


@given(
    st.builds(
        dict,
        text=texts,
        knowledge=st.lists(st.builds(dict, content=texts, page=texts), max_size=3),
        said=st.lists(st.builds(dict, disambiguation=st.integers(0, 5), words=texts), max_size=3),
        feedback=texts,
    )
)
def test_a_draft_read_twice_is_the_same(draft):
    once = from_json(draft)
    assert from_json(to_json(once)) == once


@pytest.mark.parametrize(
    "draft", [None, [], {"knowledge": {}}, {"said": [3]}, {"text": 4}, {"keeps": [None]}]
)
def test_a_draft_of_another_shape_is_refused(draft):
    with pytest.raises(ResponseError):
        from_json(draft)
