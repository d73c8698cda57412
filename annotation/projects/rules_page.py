"""The page of documentation that lists every rule, written from the registries."""

from pathlib import Path
from typing import Any

from annotation.generation.checks import RULES as GENERATION
from annotation.generation.responses import KINDS, MAX_FEEDBACK, MAX_PAIRS
from annotation.long_answers import response as long_answers
from annotation.long_answers.checks import RULES as LONG_ANSWERS
from annotation.sheets.answers import MAX_ANSWER, MAX_FORMS, MAX_QUESTION
from annotation.sheets.report import Rules
from annotation.sheets.rules import Check

RULES_PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"

_INTRODUCTION = """\
# The rules of the answer forms

This page is written from `annotation/generation/` and `annotation/long_answers/checks.py`; change a
rule there and run `python -m annotation.projects.rules_page`.

An **error** stops submission. A **warning** asks: mend it, or keep it and say why; the reason is
stored with the answer and counted per rule. The same functions run while someone types and again
on submission. While typing, an error at an untouched field is not shown, but the checklist
counts it.

“The same” means equal apart from case, punctuation and spaces (`metrics.text.comparison_form`);
marks that change the answer, as in `C++`, `-5` or `1.5`, are kept. Scores use
`metrics.text.normalise_text`, which keeps less; where that makes two answers one, a warning says
so.
"""

_DECISIONS = f"""\
### Decided

- A form that repeats another form of the same answer, apart from case, punctuation and spaces, is
  dropped without a word: no score can see the difference.
- The paper warns about answers of more than 20 words, the released interface from 7 words. The
  default is the paper’s; set `long_answer_words` to 6 for the other.
- The temporal rule counts from the project’s reference date. With 31 December 2017 it asks about
  the years 2012 to 2020, as the released interface does. When every question adds a year, the rule
  on “last” and “next” is satisfied.
- An answer counts as found on a page when one of its forms is a quote or appears on an opened page:
  other spellings of it need not.
- Limits: {MAX_PAIRS} pairs, {MAX_FORMS} forms of an answer, {MAX_QUESTION:,} characters in a
  question, {MAX_ANSWER:,} in a form, {MAX_FEEDBACK:,} of feedback.
"""

_LONG_ANSWERS = f"""\
### Decided

- A short answer is in the text when STR-EM finds it (`metrics.asqa.first_present`): normalised
  characters, inside words too, so that `art` is found in `party`. The page shows the place it
  found, whole words before parts of them, and says when it is part of a word. A form of which
  normalisation leaves nothing (`The`) is found in every text.
- Words marked as saying an answer otherwise must be in the text as marked. When they are
  edited away the answer is missing again.
- New words are counted as ROUGE-1 counts them (`metrics.rouge`), against prompt, disambiguations,
  contexts and knowledge. In 200 released training records, of the long answers without knowledge
  one in ten has more than 28 % new words; of those with knowledge half have more than 32 %
  without it. Without evidence sentence by sentence, the default asks above 30 %.
- Sentences are looked for on the pages with the named title that were opened on this question, as
  quotes are: apart from case, spaces, footnote marks and the kind of dashes and quotation marks.
  A page that was not opened there is not evidence either way.
- Limits: {long_answers.MAX_TEXT:,} characters of text, {long_answers.MAX_PIECES} pieces of
  knowledge with {long_answers.MAX_CONTENT:,} characters each.
"""

_LEVELS = (
    ("error", "Errors", "Each has its own line in the checklist."),
    (
        "warning",
        "Warnings",
        "While there are any, they have one line, “Every warning is answered”.",
    ),
)


def rules_markdown() -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION]
    for heading, rules, decided in (
        ("Generation", GENERATION, _DECISIONS),
        ("Long answers", LONG_ANSWERS, _LONG_ANSWERS),
    ):
        parts += [f"## {heading}\n", *_tables(rules), decided]
    return "\n".join(parts)


def write_rules() -> None:
    """Rewrite docs/rules.md."""
    RULES_PAGE.parent.mkdir(exist_ok=True)
    RULES_PAGE.write_text(rules_markdown(), encoding="utf-8")


def _tables(rules: Rules[Any, Any]) -> list[str]:
    parts = []
    several = any(check.kinds for check in rules.checks)
    names = [
        "rule",
        "fires when",
        *(["applies to"] if several else []),
        "what holds",
        "requirement",
    ]
    head = f"| {' | '.join(names)} |\n|{' --- |' * len(names)}\n"
    for level, heading, note in _LEVELS:
        rows = "".join(_row(check, several) for check in rules.checks if check.level == level)
        parts.append(f"### {heading}\n\n{note}\n\n{head}{rows}")
    settings = "".join(
        f"| `{setting.key}` | {setting.label} | {setting.type} "
        f"| {_value(setting.type, setting.default)} "
        f"| {_bounds(setting.type, setting.minimum, setting.maximum)} | {_cell(setting.help)} |\n"
        for setting in rules.list_settings()
    )
    parts.append(
        "### Settings of a project\n\n| key | label | type | default | from–to | help |\n"
        f"| --- | --- | --- | --- | --- | --- |\n{settings}"
    )
    return parts


def _row(check: Check[Any, Any], several: bool) -> str:
    kinds = [", ".join(check.kinds or KINDS)] if several else []
    cells = (f"`{check.key}`", check.about, *kinds, check.title, check.requirement)
    return f"| {' | '.join(_cell(cell) for cell in cells)} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _value(kind: str, value: int) -> str:
    return ("on" if value else "off") if kind == "bool" else str(value)


def _bounds(kind: str, low: int, high: int) -> str:
    return "on, off" if kind == "bool" else f"{low}–{high}"


if __name__ == "__main__":
    write_rules()
