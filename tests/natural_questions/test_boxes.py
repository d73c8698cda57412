"""Boxes, tokens and bytes of a page, and that nothing of its HTML is shown."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from natural_questions.boxes import boxes_of
from natural_questions.page_html import page_html
from natural_questions.tokens import tokenise_html, tokens_of
from tests.natural_questions.page import KEEPER, PARAGRAPH, RECORD


def boxes(html):
    tokens = list(tokenise_html(html))
    return tokens, boxes_of({}, tokens)


def test_every_kind_of_box_with_its_bytes():
    tokens = tokens_of(RECORD)
    page = RECORD["document_html"].encode()
    found = [
        (box.kind, page[box.span.start_byte : box.span.end_byte].decode()[:12], bool(box.inside))
        for box in boxes_of(RECORD, tokens)
    ]
    assert found == [
        ("paragraph", "<p>The <b>Qu", False),
        ("table", "<table><tr><", False),
        ("row", "<tr><th>Heig", True),
        ("row", "<tr><th>Rang", True),
        ("list", "<ul><li>Firs", False),
        ("item", "<li>First ke", True),
        ("item", "<li>Second k", True),
        ("paragraph", "<p>Today nob", False),
    ]
    assert boxes_of(RECORD, tokens)[0].key == PARAGRAPH
    start, end = map(int, KEEPER.split("-"))
    assert [token.text for token in tokens[start:end]] == ["Ida", "Brook"]


def test_bytes_are_those_of_utf8():
    html = "<p>Zürich &amp; Genève</p>"
    tokens, [box] = boxes(html)
    assert [token.text for token in tokens] == ["<P>", "Zürich", "&", "Genève", "</P>"]
    raw = html.encode()
    assert [raw[t.start_byte : t.end_byte].decode() for t in tokens][2] == "&amp;"
    assert raw[tokens[3].start_byte : tokens[3].end_byte].decode() == "Genève"
    assert (box.span.start_byte, box.span.end_byte) == (0, len(raw))


def test_the_records_own_candidates_are_its_boxes():
    record = {
        "document_text": "<P> One . </P> <Ul> <Li> Two </Li> </Ul>",
        "long_answer_candidates": [
            {"start_token": 4, "end_token": 9, "top_level": True},
            {"start_token": 0, "end_token": 4, "top_level": True},
            {"start_token": 1, "end_token": 3},
            {"start_token": 0, "end_token": 900},
            "nothing",
        ],
    }
    found = boxes_of(record, tokens_of(record))
    assert [(box.key, box.candidate, box.kind) for box in found] == [
        ("0-4", 1, "paragraph"),
        ("4-9", 0, "list"),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<p>One<p>Two",
        "<table>loose<tr>words<td>cell</table>",
        "<li>alone</li><tr><td>alone</td></tr>",
        "</p></table><ul></ul><table></table>",
        "<ul>" * 50 + "deep",
    ],
)
def test_a_broken_page_is_shown_with_every_box_once(html):
    tokens, found = boxes(html)
    shown = page_html(tokens, found)
    assert len(found) <= 20 or "<ul>" not in html
    for box in found:
        assert shown.count(f'data-box="{box.key}"') == 1
        assert shown.count(f'value="{box.key}"') == 1
    names = re.findall(r"<(/?\w+)", shown)
    for name in set(names) - {"input"}:
        if not name.startswith("/"):
            assert names.count(name) == names.count(f"/{name}"), name


OURS = {
    *("div", "table", "caption", "tr", "th", "td", "ul", "ol", "li"),
    *("h2", "h3", "h4", "h5", "h6", "label", "input", "span"),
}
NASTY = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    "<p onclick=alert(1)>x</p>",
    '<td colspan="2" onmouseover="alert(1)">x</td>',
    "<style>p{}</style><!-- <script> -->",
    "<svg/onload=alert(1)><p>&lt;script&gt;alert(1)&lt;/script&gt;",
    "<form action=//evil><input name=box>",
]


@pytest.mark.parametrize("html", NASTY)
@pytest.mark.parametrize("form", ["html", "text", "tokens"])
def test_nothing_of_hostile_html_reaches_the_page(html, form):
    parts = html.replace("<", " <").replace(">", "> ").split()
    record = {
        "html": {"document_html": html},
        "text": {"document_text": " ".join(parts)},
        "tokens": {"document_tokens": [{"token": p, "html_token": "<" in p} for p in parts]},
    }[form]
    tokens = tokens_of(record)
    shown = page_html(tokens, boxes_of(record, tokens))
    inside = [part.split(">")[0] for part in shown.split("<")[1:]]
    for tag in inside:
        assert tag.split()[0].strip("/") in OURS
        assert not any(bad in tag for bad in ("onerror", "onclick", "href", "onmouse", "src"))


@given(st.text(alphabet="<>/ptabler ulid&;\"'=é!-", max_size=80))
def test_any_text_is_read(html):
    tokens, found = boxes(html)
    page_html(tokens, found)
    raw = html.encode()
    for token in tokens:
        assert 0 <= token.start_byte < token.end_byte <= len(raw)
    assert len({box.key for box in found}) == len(found)


def test_the_candidates_of_a_real_record(realdata):
    record = json.loads((realdata / "nq/simplified_sample.jsonl").read_text().splitlines()[0])
    tokens = tokens_of(record)
    found = boxes_of(record, tokens)
    own = record["long_answer_candidates"]
    assert [box.candidate for box in found] == list(range(len(own)))
    assert [not box.inside for box in found] == [each["top_level"] for each in own]
    computed = {box.key for box in boxes_of({"document_text": ""}, tokens)}
    assert {box.key for box in found} <= computed
    shown = page_html(tokens, found)
    assert all(shown.count(f'data-box="{box.key}"') == 1 for box in found)
