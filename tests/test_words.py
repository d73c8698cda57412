"""Phrases that docs/voice.md refuses are found, also across lines; the repository has none."""

import pytest

from docs import words


def found(text):
    return [(line, phrase.lower()) for line, phrase, _ in words.problems(text, words.refused())]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("A lease ends by itself.", "by itself"),
        ("Answers that match are accepted by themselves.", "by themselves"),
        ("Somebody of staff imports them.", "of staff"),
        ("No answer of anybody can be right.", "of anybody"),
        ("So many must pass.", "so many"),
        ("The most is 300.", "the most is"),
        ("The same amount less than 0.", "less than 0"),
        ("It is no proper question.", "it is no"),
        ("It came in finished.", "came in finished"),
        ("Hand in your answer.", "hand in"),
        ("It is handed in by you.", "handed in"),
        ("What stands accepted is released.", "stands accepted"),
        ("Flagged below it; none: nobody is.", "none: nobody"),
        ("What was changed is here, and nobody is told.", "nobody is"),
        ("Look among the unwanted mail.", "look among"),
        ("Only who opened this can close it.", "only who"),
        ("An interrupted run goes on where it stopped.", "goes on where it stopped"),
        (
            "Who answered or skipped a question does not validate it.",
            "who answered or skipped a question does not validate it.",
        ),
    ],
)
def test_a_refused_phrase_is_found(text, phrase):
    assert (1, phrase) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        'x = (\n    "A lease ends by "\n    "itself."\n)',
        "<p>\n  A lease ends by\n  itself.\n</p>",
        "#\n# A lease ends by\n# itself.",
    ],
)
def test_a_phrase_is_found_across_lines(text):
    assert found(text) == [(2, "by itself")]


@pytest.mark.parametrize(
    "text",
    [
        "A member of staff will import them.",
        "Who answered this question?",
        "Who may use an invitation, and what a project keeps.",
        "This page is no longer there.",
        "Work hand in hand.",
    ],
)
def test_plain_words_are_not_refused(text):
    assert found(text) == []


def test_the_repository_has_no_refused_phrase():
    phrases = words.refused()
    assert len(phrases) > 15
    problems = [
        f"{path.relative_to(words.ROOT)}:{line}: {written}"
        for path in words.files()
        for line, written, _ in words.problems(path.read_text(), phrases)
    ]
    assert problems == []
