"""Highlighted words: read from a form, found in the text, and cut into what a page shows."""

import json

import pytest

from evaluation.labelling.spans import (
    MOST_SPANS,
    BadSpans,
    Segment,
    Span,
    cut_segments,
    decode_spans,
    encode_spans,
    find_passage,
    read_spans,
    show_text,
)

TEXT = "It opened 🌉 in 1843. It opened in 1843."
KEYS = ("hallucination", "repetition")


def read(rows):
    return read_spans(json.dumps(rows), TEXT, KEYS)


def span(start, end, category="repetition"):
    return {"start": start, "end": end, "category": category}


def test_spans_are_read_in_the_order_of_the_text_and_each_once():
    found = read([span(21, 30), span(10, 11, "hallucination"), span(21, 30)])
    assert found == [
        Span(10, 11, "hallucination", "🌉"),
        Span(21, 30, "repetition", "It opened"),
    ]
    assert decode_spans(json.loads(json.dumps(encode_spans(found)))) == found
    assert read_spans("  ", TEXT, KEYS) == []


@pytest.mark.parametrize(
    "posted",
    [
        *("{", "3", "null", '{"start": 0}', "[3]", "[[]]", "[" * 100_000, "[" + "1," * 90_000),
        *(
            json.dumps([row])
            for row in (
                *(span(-1, 3), span(3, 3), span(5, 3), span(0, len(TEXT) + 1)),
                *(span(True, 3), span("0", 3), span(0.0, 3), span(0, 10**30), {"start": 0}),
                *(span(0, 3, "none"), span(0, 3, ["repetition"]), span(0, 3, None)),
            )
        ),
        json.dumps([span(0, 3)] * (MOST_SPANS + 1)),
    ],
    ids=lambda posted: posted[:40],
)
def test_what_is_no_span_of_the_text_is_refused(posted):
    with pytest.raises(BadSpans):
        read_spans(posted, TEXT, KEYS)


def test_typed_words_are_found_at_the_first_place_that_is_free():
    first = find_passage(" It opened ", TEXT, "repetition", [])
    second = find_passage("It opened", TEXT, "repetition", [first])
    assert (first.start, second.start) == (0, 21)
    assert find_passage("It opened", TEXT, "hallucination", [first]).start == 0
    for words in ("It closed", "", "  "):
        with pytest.raises(BadSpans, match="Copy them"):
            find_passage(words, TEXT, "repetition", [])
    with pytest.raises(BadSpans, match="Copy them"):
        find_passage("It opened", TEXT, "repetition", [first, second])


def test_a_text_is_cut_where_highlights_begin_and_end():
    overlapping = [Span(0, 6, "repetition", "abcdef"), Span(3, 9, "hallucination", "defghi")]
    assert cut_segments("abcdefghijk", overlapping) == [
        Segment("abc", ("repetition",)),
        Segment("def", ("repetition", "hallucination")),
        Segment("ghi", ("hallucination",)),
        Segment("jk", ()),
    ]
    assert "".join(part.text for part in cut_segments("abcd", overlapping)) == "abcd"
    assert cut_segments("", overlapping) == []


def test_each_end_of_a_line_is_one_character():
    assert show_text("a\r\nb\rc\nd") == "a\nb\nc\nd"
