"""Functions and filters of our own that every template may use."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import defaultfilters
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from markupsafe import Markup

from annotation.models import Submission
from annotation.protocols.registry import rule_of
from annotation.stages import registry as stages

# Up to the first full stop before a space that is not within quotation marks.
OPENING = re.compile(r"(?:[^“.]|“[^”]*”|\.(?! ))+\.(?= )")


# --- those of constants: the engine calls them once, when it compiles a template -----------------


def icon(name: str) -> Markup:
    """Return the named drawing of static/icons.svg. It is decoration next to words."""
    return Markup('<svg class="icon" aria-hidden="true"><use href="{}#i-{}"/></svg>').format(
        static("icons.svg"), name
    )


def static(path: str) -> str:
    """Return the address of a static file."""
    return str(staticfiles_storage.url(path))


# --- those of values -----------------------------------------------------------------------------


def date(value: Any, style: str = "") -> str:
    """Return a date as Django's filter does, with a short way for two formats of busy pages."""
    if isinstance(value, dt.datetime):
        moment = value = localtime(value)
        if style == "c":
            return moment.isoformat()
        if style == "H:i":
            return f"{moment.hour:02}:{moment.minute:02}"
    return str(defaultfilters.date(value, style or None))


def phrasings(question: str) -> str:
    """Return a question that holds several phrasings, joined by "|" as in AmbigNQ, for reading."""
    return " or ".join(filter(None, map(str.strip, question.split("|")))) or question


def spaced(name: str) -> str:
    """Return a stored name as words: assignment_taken is "assignment taken"."""
    return re.sub("[_:]+", " ", name)


def opening(text: str) -> SafeString:
    """Return the text with its first sentence, the finding, set apart from the reasons."""
    first = OPENING.match(text)
    if not first:
        return format_html("{}", text)
    return format_html("<strong>{}</strong>{}", first.group(), text[first.end() :])


def duration(seconds: float | None) -> str:
    """Return seconds as people say them: 40 s, 12 min, 1 h 32 min."""
    total = int(seconds or 0)
    if total < 60:
        return f"{total} s"
    hours, minutes = divmod(total // 60, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes:02d} min" if minutes else f"{hours} h"


def file_size(size: int | None) -> str:
    """Return a number of bytes in the largest unit that it fills: 412 MB, 1.2 GB; "–" for None."""
    if size is None:
        return "–"
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}" if size < 10 * unit else f"{size // unit} {name}"
    return f"{size} B"


def cut_time(since: str) -> str:
    """Return the larger part of a `timesince` text: "2 days" of "2 days, 3 hours"."""
    return "now" if since.startswith("0") else since.split(",")[0]


def rule_title(key: str) -> str:
    """Return the title of a rule; the key itself where the rule is gone."""
    rule = rule_of(key)
    return rule.title if rule else key


def field_name(field: str) -> str:
    """Return what people call a field of the form: question-2 is Question 2."""
    return field.replace("-", " ").capitalize()


def stage_label(key: str) -> str:
    """Return the label of a stage."""
    return stages.label_of(key)


def texts(submission: Submission) -> Sequence[tuple[str, str]]:
    """Return label and text of every field that has one, of work that is kept as JSON."""
    stage = stages.get_stage(submission.stage)
    return stage.list_submission_texts(submission) if isinstance(stage, stages.WritesJson) else []
