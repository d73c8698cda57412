"""Answers without the formatting that would tell who wrote them."""

import pytest

from evaluation.studies.answer_text import render_study_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It opened  in\n\n1843.\t", "It opened in 1843."),
        (
            "# Opening\n\n- **Walkers**: 1843\n- *Trains*: `1869`",
            "Opening Walkers: 1843 Trains: 1869",
        ),
        ("1. Walkers in 1843\n2. Trains in 1869", "1. Walkers in 1843 2. Trains in 1869"),
        ("1843. That was the year.", "1843. That was the year."),
        ("See [the tunnel](https://example.org 'x').", "See the tunnel."),
        ("![A tunnel](x.png) opened.", "A tunnel opened."),
        ("[1]: https://example.org", "[1]: https://example.org"),
        ("| Who | When |\n| --- | --- |\n| Trains | 1869 |", "Who When Trains 1869"),
        ("> Quoted\n\n---\n\n```py\nx = 1\n```", "Quoted x = 1"),
        ("<b>It</b> opened; 3 < 4 & 5 > 4.", "<b>It</b> opened; 3 < 4 & 5 > 4."),
        ("snake_case and 5 * 3 stay", "snake_case and 5 * 3 stay"),
        ("---", "---"),
        ("", ""),
    ],
)
def test_formatting_goes_and_words_stay(text, plain):
    assert render_study_text(text, "plain") == plain
    assert render_study_text(text, "lower") == plain.lower()


def test_as_it_is_keeps_lines_and_marks():
    assert (
        render_study_text("\n**It** opened\n\nin 1843.\n", "as_is") == "**It** opened\n\nin 1843."
    )
