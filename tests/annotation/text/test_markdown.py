"""Guidelines: Markdown in, safe HTML out."""

import pytest

from annotation.text.markdown import render_markdown, render_sections


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# Title", "<h2>Title</h2>"),
        ("**b** *i* `c`", "<strong>b</strong> <em>i</em> <code>c</code>"),
        ("| a |\n|---|\n| b |", "<td>b</td>"),
        ("[w](https://example.org)", 'rel="noopener noreferrer nofollow"'),
    ],
)
def test_render(markdown, expected):
    assert expected in render_markdown(markdown)


@pytest.mark.parametrize(
    "markdown",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](https://example.org/pixel.gif)",
        '<p style="color:red">x</p>',
    ],
)
def test_nothing_hostile_survives(markdown):
    html = render_markdown(markdown)
    for forbidden in ("<script", "<img", 'href="javascript', "<p style"):
        assert forbidden not in html


def test_sections_are_cut_at_second_level_headings():
    found = render_sections("before\n\n## One\n\na\n\n```\n## not a heading\n```\n\n## Two\n\nb")
    assert [title for title, _ in found] == ["Overview", "One", "Two"]
    assert "not a heading" in found[1][1]
    assert render_sections("") == []


def test_a_heading_with_nothing_under_it_makes_no_section():
    found = render_sections("## Overview\n\na\n\n## Examples\n\n## FAQ\n  \n## Bonuses")
    assert [title for title, _ in found] == ["Overview"]
