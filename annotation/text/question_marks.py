"""Question marks in different scripts."""

import re

_MARKS = tuple("?？؟⁇⁈⁉‽፧꘏")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
# The Greek mark looks like a semicolon; Unicode normalises its own character to one.
_GREEK_MARKS = (";", "\u037e")
_ARMENIAN_MARK = "\u055e"  # it is written inside a word
_ENDS = (
    (re.compile("[\u0600-\u06ff\u0750-\u077f]"), "؟"),
    (re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"), "？"),
    (_GREEK, ";"),
    (re.compile("[\u1200-\u137f]"), "፧"),
)
_CLOSING = " \t.,;:!…。、，．！；：،؛۔।" + "".join(_MARKS)


def is_marked(text: str) -> bool:
    """Whether a text ends with the question mark of its script."""
    if text.endswith(_GREEK_MARKS):
        return bool(_GREEK.match(_last_letter(text)))
    return text.endswith(_MARKS) or _ARMENIAN_MARK in text


def add_question_mark(text: str) -> str:
    """Return the text with a question mark instead of its final punctuation."""
    return text if is_marked(text) else with_mark(text.rstrip(_CLOSING))


def with_mark(text: str) -> str:
    """Return the text followed by the question mark of its script."""
    letter = _last_letter(text)
    return text + next((mark for script, mark in _ENDS if script.match(letter)), "?")


def _last_letter(text: str) -> str:
    return next((character for character in reversed(text) if character.isalpha()), "")
