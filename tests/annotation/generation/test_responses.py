"""Reading, keeping and switching what an annotator answers."""

import json
from dataclasses import replace

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotation.generation.responses import (
    GenerationResponse,
    WrittenPair,
    as_multiple,
    as_none,
    as_single,
    from_json,
    from_post,
    keep_submitted_parts,
    to_json,
)
from annotation.sheets.answers import AnswerForm, merge_repeated_forms
from annotation.sheets.fields import Keep
from annotation.text.cleaning import ResponseError


def post(*fields):
    data = QueryDict(mutable=True)
    for key, value in fields:
        data.appendlist(key, value)
    return data


def as_post(response):
    """The form fields that a browser would send for a response."""
    fields = [("kind", response.kind)]
    for index, pair in enumerate(response.pairs):
        fields.append((f"pair-{index}-question", pair.question))
        for form in pair.answers:
            fields.append((f"pair-{index}-answer", form.text))
            fields.append((f"pair-{index}-quote", " ".join(map(str, form.quotes))))
    for form in response.single:
        quotes = " ".join(map(str, form.quotes))
        fields += [("single-answer", form.text), ("single-quote", quotes)]
    fields += [("none_reason", response.none_reason), ("feedback", response.feedback)]
    for keep in response.keeps:
        fields += [("keep-rule", keep.rule), ("keep-field", keep.field)]
        fields.append(("keep-reason", keep.reason))
    return post(*fields)


def forms(*texts):
    return tuple(AnswerForm(text) for text in texts)


ANY_TEXT = st.text(max_size=30)
IDS = st.integers(1, 2**63 - 1)
FORMS = st.lists(
    st.fixed_dictionaries(
        {"text": ANY_TEXT, "quote": st.none() | IDS}, optional={"more": st.lists(IDS, max_size=2)}
    ),
    max_size=3,
)
DRAFTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["multiple", "single", "none"]),
        "pairs": st.lists(
            st.fixed_dictionaries(
                {
                    "question": ANY_TEXT,
                    "answers": FORMS,
                }
            ),
            max_size=4,
        ),
        "single": FORMS,
        "none_reason": ANY_TEXT,
        "feedback": ANY_TEXT,
        "keeps": st.lists(
            st.fixed_dictionaries(
                {
                    "rule": st.sampled_from(["long-answer", "wh-word"]),
                    "field": st.sampled_from(["question-1", "answer-2", "kind"]),
                    "reason": ANY_TEXT,
                }
            ),
            max_size=3,
        ),
    }
)


def test_a_whole_form():
    response = from_post(
        post(
            ("kind", "multiple"),
            ("pair-0-question", " When did it open to pedestrians? "),
            ("pair-0-answer", "25 March 1843"),
            ("pair-0-quote", "17"),
            ("pair-0-answer", ""),
            ("pair-0-quote", ""),
            ("pair-0-answer", "March 25, 1843"),
            ("pair-0-quote", ""),
            ("pair-1-question", "When did it open to trains?"),
            ("feedback", "Two lines\r\nof it"),
            ("keep-rule", "long-answer"),
            ("keep-field", "answer-1"),
            ("keep-reason", "It is the full name."),
            ("csrfmiddlewaretoken", "passed over"),
        )
    )
    assert response == GenerationResponse(
        kind="multiple",
        pairs=(
            WrittenPair(
                "When did it open to pedestrians?",
                (AnswerForm("25 March 1843", 17), AnswerForm("March 25, 1843")),
            ),
            WrittenPair("When did it open to trains?"),
        ),
        feedback="Two lines\nof it",
        keeps=(Keep("long-answer", "answer-1", "It is the full name."),),
    )


def test_an_empty_form_is_an_empty_response():
    assert from_post(post()) == GenerationResponse()


def test_deleted_pairs_leave_no_hole_and_kept_warnings_follow():
    response = from_post(
        post(
            ("pair-7-question", "third"),
            ("pair-10-question", "fourth"),
            ("pair-0-question", "first"),
            ("keep-rule", "wh-word"),
            ("keep-field", "question-8"),
            ("keep-reason", "because"),
            ("keep-rule", "wh-word"),
            ("keep-field", "question-3"),
            ("keep-reason", "of a deleted pair"),
            ("keep-rule", "last-next"),
            ("keep-field", "kind"),
            ("keep-reason", "no date"),
        )
    )
    assert [pair.question for pair in response.pairs] == ["first", "third", "fourth"]
    assert response.keeps == (
        Keep("wh-word", "question-2", "because"),
        Keep("last-next", "kind", "no date"),
    )


def test_forms_without_quote_fields_are_read():
    response = from_post(post(("single-answer", "1843"), ("single-answer", "in 1843")))
    assert response.single == forms("1843", "in 1843")


def test_a_repeated_form_is_merged_and_gives_its_quote():
    fields = [("single-answer", "The Who"), ("single-quote", "")]
    fields += [("single-answer", "the who!"), ("single-quote", "5")]
    assert from_post(post(*fields)).single == (AnswerForm("The Who", 5),)


def test_an_empty_reason_takes_a_keep_back():
    fields = []
    for reason in ("first thought", " "):
        fields += [("keep-rule", "wh-word"), ("keep-field", "question-1"), ("keep-reason", reason)]
    assert from_post(post(("pair-0-question", "q"), *fields)).keeps == ()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("one\ntwo\r\n\tthree", "one two three"),
        ("nul\x00 and bell\x07", "nul and bell"),
        ("half\ud800 a pair", "half a pair"),
        ("para\u2029graph", "para graph"),
        (" \u200b ", ""),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("{{ 7 * 7 }} & <b>", "{{ 7 * 7 }} & <b>"),
        ("👩\u200d🚀 José 東京", "👩\u200d🚀 José 東京"),
    ],
)
def test_text_is_cleaned_and_nothing_else(typed, read):
    assert from_post(post(("pair-0-question", typed))).pairs[0].question == read
    assert from_json({"pairs": [{"question": typed}]}).pairs[0].question == read


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ([("kind", "both")], '"both" is not a kind of answer. Choose multiple, single or none.'),
        ([("pair-1-question", "x" * 2_001)], "Pair 1: the question has 2,001 characters."),
        ([("single-answer", "x" * 1_001)], "Answer: this form of the answer has 1,001 characters"),
        ([("feedback", "x" * 5_001)], "The feedback has 5,001 characters"),
        ([("none_reason", "x" * 1_001)], "The reason has 1,001 characters"),
        (
            [(f"pair-{i}-question", "q") for i in range(51)],
            "There are 51 pairs. The maximum is 50.",
        ),
        (
            [("single-answer", f"{i}") for i in range(51)],
            "the answer has 51 forms. The maximum is 50",
        ),
        ([("single-answer", "x"), ("single-quote", "seven")], '"seven" is not the number of a'),
        ([("single-answer", "x"), ("single-quote", "-1")], '"-1" is not the number of a quote'),
        ([("single-answer", "x"), ("single-quote", "0")], '"0" is not the number of a quote'),
        ([("single-answer", "x"), ("single-quote", "9" * 19)], "is not the number of a quote"),
        ([("single-answer", "x"), ("single-quote", "²")], "is not the number of a quote"),
        ([("single-answer", "x")] + [("single-quote", "1")] * 2, "1 forms of the answer came with"),
        ([("keep-rule", "wh-word")], "The reasons for kept warnings do not line up."),
        (
            [("keep-rule", "<b>"), ("keep-field", "kind"), ("keep-reason", "r")],
            '"<b>" is not the name of a rule or a field.',
        ),
    ],
)
def test_what_cannot_be_read_is_said(fields, sentence):
    with pytest.raises(ResponseError) as refused:
        from_post(post(*fields))
    assert sentence in str(refused.value)


def test_the_limits_themselves_are_allowed():
    response = from_post(
        post(
            *[(f"pair-{i}-question", "q" * 2_000) for i in range(50)],
            *[("pair-0-answer", f"{i:<999}.") for i in range(50)],
            ("feedback", "f" * 5_000),
        )
    )
    assert len(response.pairs) == 50
    assert len(response.pairs[0].answers) == 50


@pytest.mark.parametrize(
    ("draft", "sentence"),
    [
        ([], "The draft should be an object, and is []."),
        (None, "The draft should be an object, and is null."),
        ({"pairs": {}}, "pairs should be a list, and is {}."),
        ({"pairs": ["x"]}, 'Pair 1 should be an object, and is "x".'),
        ({"pairs": [{"question": 3}]}, "Pair 1: the question should be text, and is 3."),
        ({"pairs": [{}, {"answers": "x"}]}, 'Pair 2 should be a list, and is "x".'),
        ({"pairs": [{"answers": [4]}]}, "Pair 1: a form of the answer should be an object"),
        ({"single": [{"text": "x", "quote": True}]}, "true is not the number of a quote"),
        ({"single": [{"text": "x", "quote": 1.5}]}, "1.5 is not the number of a quote"),
        ({"kind": None}, "null is not a kind of answer"),
        ({"keeps": [{"rule": 1, "field": "kind"}]}, "1 is not the name of a rule"),
        ({"pairs": [{}] * 51}, "There are 51 pairs"),
    ],
)
def test_a_misshapen_draft_is_refused(draft, sentence):
    with pytest.raises(ResponseError) as refused:
        from_json(draft)
    assert sentence in str(refused.value)


def test_unknown_keys_of_a_draft_are_passed_over():
    draft = {"kind": "single", "version": 9, "single": [{"text": "x", "colour": "red"}]}
    assert from_json(draft) == GenerationResponse(kind="single", single=forms("x"))


@given(DRAFTS)
def test_a_draft_survives_json_and_the_form(draft):
    response = from_json(draft)
    assert from_json(json.loads(json.dumps(to_json(response)))) == response
    kept = replace(response, keeps=_on_present_pairs(response))
    assert from_post(as_post(kept)) == kept


def _on_present_pairs(response):
    number = {
        f"{name}-{n + 1}" for n in range(len(response.pairs)) for name in ("question", "answer")
    }
    return tuple(keep for keep in response.keeps if keep.field in number | {"kind"})


@given(DRAFTS, DRAFTS)
def test_fingerprints_are_equal_exactly_when_responses_are(first, second):
    one, two = from_json(first), from_json(second)
    assert (one.fingerprint() == two.fingerprint()) == (one == two)


def test_one_clear_answer_takes_the_answers_of_the_pairs():
    typed = GenerationResponse(
        pairs=(
            WrittenPair("q1?", (AnswerForm("25 March 1843", 1), AnswerForm("1843"))),
            WrittenPair("q2?", (AnswerForm("25 march, 1843"), AnswerForm("1869"))),
        ),
    )
    single = as_single(typed)
    assert single.kind == "single"
    assert single.single == (AnswerForm("25 March 1843", 1), *forms("1843", "1869"))
    assert as_single(single) == single
    assert as_multiple(single) == replace(typed, single=single.single)


def test_several_answers_open_with_two_empty_pairs():
    assert as_multiple(GenerationResponse(kind="single")).pairs == (WrittenPair(), WrittenPair())
    assert as_none(GenerationResponse()).kind == "none"


def test_only_the_chosen_kind_is_submitted():
    everything = GenerationResponse(
        kind="single",
        pairs=(WrittenPair("q?", forms("a")),),
        single=forms("b"),
        none_reason="r",
        feedback="f",
        keeps=(
            Keep("long-answer", "single-answer", "x"),
            Keep("wh-word", "question-1", "y"),
            Keep("last-next", "kind", "z"),
        ),
    )
    assert keep_submitted_parts(everything) == GenerationResponse(
        kind="single",
        single=forms("b"),
        feedback="f",
        keeps=(Keep("long-answer", "single-answer", "x"), Keep("last-next", "kind", "z")),
    )
    assert keep_submitted_parts(replace(everything, kind="multiple")).pairs == everything.pairs
    assert keep_submitted_parts(replace(everything, kind="none")).none_reason == "r"


def test_merging_keeps_answers_that_punctuation_tells_apart():
    assert merge_repeated_forms(forms("C++", "C#", "A+", "A-", "$", "")) == forms(
        "C++", "C#", "A+", "A-", "$"
    )


class TestSeveralQuotesOfOneForm:
    def test_a_form_sends_them_with_spaces_between(self):
        [found] = from_post(post(("single-answer", "1843"), ("single-quote", " 7  9 7 "))).single
        assert (found.quote, found.more, found.quotes) == (7, (9,), (7, 9))

    def test_a_draft_keeps_them_beside_the_first(self):
        response = GenerationResponse(kind="single", single=(AnswerForm("1843", 7, (9, 8)),))
        written = to_json(response)
        assert written["single"] == [{"text": "1843", "quote": 7, "more": [9, 8]}]
        assert from_json(written) == response
        assert to_json(GenerationResponse(single=(AnswerForm("1843", 7),)))["single"] == [
            {"text": "1843", "quote": 7}
        ]

    def test_forms_that_are_one_have_the_quotes_of_both(self):
        [one] = merge_repeated_forms([AnswerForm("in 1843", 7), AnswerForm("In 1843", 9, (7, 8))])
        assert (one.text, one.quotes) == ("in 1843", (7, 9, 8))

    @pytest.mark.parametrize("sent", ["7 x", "7,9", "0 7"])
    def test_what_is_no_number_is_said(self, sent):
        with pytest.raises(ResponseError, match="is not the number of a quote"):
            from_post(post(("single-answer", "1843"), ("single-quote", sent)))

    def test_a_draft_without_a_list_is_refused(self):
        with pytest.raises(ResponseError, match="should have a list of quotes"):
            from_json({"single": [{"text": "x", "quote": 7, "more": 9}]})
