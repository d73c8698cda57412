"""The page of documentation that lists every rule, written from the registry."""

from annotation.checks.report import CHECKS, settings_schema
from annotation.checks.values import Check
from annotation.responses import MAX_ANSWER, MAX_FEEDBACK, MAX_FORMS, MAX_PAIRS, MAX_QUESTION

_INTRODUCTION = """\
# The rules of the answer form

This page is written from `annotation/checks/`; change a rule there and run
`python -c "from annotation.checks import write_rules; write_rules()"`.

An **error** stops submission. A **warning** asks: mend it, or keep it and say why; the reason is
stored with the answer and counted per rule. The same functions run while somebody types and again
on submission. While typing, an error at a field nobody has been in is not shown, but the checklist
counts it.

“The same” means equal apart from case, punctuation and spaces (`metrics.text.comparison_form`);
marks that change the answer, as in `C++`, `-5` or `1.5`, are kept. Scores use
`metrics.text.normalise`, which keeps less; where that makes two answers one, a warning says so.
"""

_DECISIONS = f"""\
## Decided

- A form that repeats another form of the same answer, apart from case, punctuation and spaces, is
  dropped without a word: no score can see the difference.
- The paper asks about answers of more than 20 words, the released interface from 7 words. The
  default is the paper’s; set `long_answer_words` to 6 for the other.
- The temporal rule counts from the project’s reference date. With 31 December 2017 it asks about
  the years 2012 to 2020, as the released interface does. When every question adds a year, the rule
  on “last” and “next” is satisfied.
- An answer counts as found on a page when one of its forms is a quote or stands on an opened page:
  other spellings of it need not.
- Limits: {MAX_PAIRS} pairs, {MAX_FORMS} forms of an answer, {MAX_QUESTION:,} characters in a
  question, {MAX_ANSWER:,} in a form, {MAX_FEEDBACK:,} of feedback.
"""

_LEVELS = (
    ("error", "Errors", "Each has its own line in the checklist."),
    ("warning", "Warnings", "Together they have one line, “Every warning is answered”."),
)


def rules_markdown() -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION]
    head = "| rule | fires when | applies to | what holds | requirement |\n"
    rule = "| --- | --- | --- | --- | --- |\n"
    for level, heading, note in _LEVELS:
        rows = "".join(_row(check) for check in CHECKS if check.level == level)
        parts.append(f"## {heading}\n\n{note}\n\n{head}{rule}{rows}")
    settings = "".join(
        f"| `{each.key}` | {each.label} | {each.type} | {_value(each.type, each.default)} "
        f"| {_bounds(each.type, each.minimum, each.maximum)} | {_cell(each.help)} |\n"
        for each in settings_schema()
    )
    parts.append(
        "## Settings of a project\n\n| key | label | type | default | from–to | help |\n"
        f"| --- | --- | --- | --- | --- | --- |\n{settings}"
    )
    parts.append(_DECISIONS)
    return "\n".join(parts)


def _row(check: Check) -> str:
    kinds = ", ".join(check.kinds)
    cells = (f"`{check.key}`", check.about, kinds, check.title, check.requirement)
    return f"| {' | '.join(_cell(cell) for cell in cells)} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _value(kind: str, value: int) -> str:
    return ("on" if value else "off") if kind == "bool" else str(value)


def _bounds(kind: str, low: int, high: int) -> str:
    return "on, off" if kind == "bool" else f"{low}–{high}"
