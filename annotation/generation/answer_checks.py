"""Rules on the forms of a short answer, and on the reading behind it."""

import re

from annotation.generation.check_values import MONTHS, Context, answers_of
from annotation.generation.responses import GenerationResponse, quotes_in
from annotation.sheets.answers import AnswerForm
from annotation.sheets.rules import (
    Check,
    Fix,
    RuleFinding,
    Setting,
    format_count,
    get_setting,
    shorten_text,
)

_MONTH = f"(?:{'|'.join(MONTHS)})"
_DATE = re.compile(
    rf"\b\d{{1,2}} {_MONTH} \d{{3,4}}\b|\b{_MONTH} \d{{1,2}}, \d{{3,4}}\b|\b{_MONTH} \d{{4}}\b"
)
_QUOTED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"")
_NUMBER = re.compile(r"\d+")
_SMALL_FRACTION = re.compile(r"(?<!\d)\d{1,2}/\d{1,2}(?![\d/])")
_URL = re.compile(r"\bhttps?://\S+", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*[/|]\s*")

LONG_ANSWER_WORDS = Setting(
    key="long_answer_words",
    label="Warn above (words)",
    type="int",
    default=20,
    minimum=1,
    maximum=200,
    help="Answers with more words than this get a warning. The paper says 20; the released "
    "interface used 6.",
)
MINIMUM_PAGES = Setting(
    key="minimum_pages",
    label="Pages to read before submitting",
    type="int",
    default=1,
    minimum=0,
    maximum=20,
    help="How many different Wikipedia pages must have been opened. 0 asks for none.",
)

ASK_CONFLICT = Setting(
    key="ask_conflict",
    label="Ask whether people are free of a conflict of interest",
    type="bool",
    default=0,
    minimum=0,
    maximum=1,
    help="Nobody can submit an answer before they say so. What they said is kept with the answer.",
)


def pages_unread(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    missing = get_setting(context, MINIMUM_PAGES) - context.pages_opened
    if missing <= 0:
        return []
    if context.pages_opened == 0 and missing == 1:
        sentence = "You can submit after reading a page. Search, then open a result."
    else:
        sentence = (
            f"You can submit after reading {format_count(missing, 'more page', 'more pages')}. "
            "Search, then open a result."
        )
    return [RuleFinding("pages", sentence, sentence.partition(".")[0])]


def too_quick(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    left = context.minimum_seconds - context.seconds_on_task
    if left <= 0:
        return []
    what = "One clear answer" if response.kind == "single" else "“Not found”"
    sentence = (
        f"{what} needs {_duration(context.minimum_seconds)} of reading. "
        f"{format_count(left, 'second')} left."
    )
    return [
        RuleFinding(
            "time", sentence, f"Read for {format_count(left, 'more second', 'more seconds')}"
        )
    ]


def conflict_unsaid(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    if response.no_conflict or not asks_conflict(context):
        return []
    sentence = "Say that you have no conflict of interest. If you have one, skip the question."
    return [RuleFinding("no-conflict", sentence, "Conflict of interest")]


def asks_conflict(context: Context) -> bool:
    """Whether the project asks people if they have a conflict of interest."""
    return bool(get_setting(context, ASK_CONFLICT))


def long_answer(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    most = get_setting(context, LONG_ANSWER_WORDS)
    findings = []
    for place, field, name, forms in answers_of(response):
        long = [form for form in forms if len(form.text.split()) > most]
        if not long:
            continue
        words = len(long[0].text.split())
        seen = "This answer" if len(forms) == 1 else f"“{shorten_text(long[0].text, 40)}”"
        findings.append(
            RuleFinding(
                field,
                f"{seen} has {format_count(words, 'word')}. "
                "The shortest answers compare best with those of other people.",
                f"{name}: shorten the answer, or say why you keep it",
                place,
                _shorter(field, long[0], forms),
            )
        )
    return findings


def _shorter(field: str, long: AnswerForm, forms: tuple[AnswerForm, ...]) -> Fix | None:
    """Offer a shorter form: one that is already given, its only date, or its only title."""
    inside = [
        form.text
        for form in forms
        if form is not long and form.text.casefold() in long.text.casefold()
    ]
    dates = [match[0] for match in _DATE.finditer(long.text)]
    titles = [match[1] or match[2] for match in _QUOTED.finditer(long.text)]
    for candidates in (inside, dates, titles):
        if len(candidates) == 1:
            text = candidates[0].strip()
            return Fix(f"Use “{shorten_text(text, 40)}”", field, text, replaces=long.text)
    return None


def separator_in_form(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    findings = []
    for place, field, name, forms in answers_of(response):
        for form in forms:
            plain = _SMALL_FRACTION.sub("", _URL.sub("", form.text))
            mark = next((mark for mark in "|/" if mark in plain), "")
            if not mark:
                continue
            parts = [part for part in _SEPARATOR.split(form.text) if part]
            fix = None
            if len(parts) > 1 and plain == form.text:
                label = f"Make {format_count(len(parts), 'form')}"
                fix = Fix(label, field, "\n".join(parts), replaces=form.text)
            findings.append(
                RuleFinding(
                    field,
                    f"“{shorten_text(form.text)}” has a “{mark}”. If it separates two forms of the "
                    "answer, write each as its own form.",
                    f"{name}: split it at “{mark}”, or say why you keep it",
                    place,
                    fix,
                )
            )
            break  # one finding per field is enough
    return findings


def not_on_page(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    if context.page_texts is None:
        return []
    own = context.quotes(quotes_in(response))
    findings = []
    for place, field, name, forms in answers_of(response):
        if not forms or any(quote in own for form in forms for quote in form.quotes):
            continue
        if any(context.on_opened_page(form.text) for form in forms):
            continue
        text = shorten_text(forms[0].text)
        findings.append(
            RuleFinding(
                field,
                f"“{text}” is not on a page you opened. It may still be right.",
                f"{name}: find “{text}” on a page, or say where it is from",
                place,
            )
        )
    return findings


def several_in_one(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    numbers = [set(_NUMBER.findall(form.text)) for form in response.single]
    apart = [
        (response.single[i].text, response.single[j].text)
        for i in range(len(numbers))
        for j in range(i)
        if numbers[i] and numbers[j] and not numbers[i] & numbers[j]
    ]
    if not apart:
        return []
    later, earlier = apart[0]
    return [
        RuleFinding(
            "single-answer",
            f"“{shorten_text(earlier, 40)}” and “{shorten_text(later, 40)}” count as one answer "
            "here. If they are two, choose “Several answers”.",
            "Answer: choose “Several answers”, or say why the forms mean the same",
            fix=Fix("Several answers", "kind", "multiple"),
        )
    ]


def _pages_title(context: Context) -> str:
    pages = get_setting(context, MINIMUM_PAGES)
    if pages < 2:
        return "You read at least one page" if pages else ""
    return f"You read at least {pages} pages"


def _time_title(context: Context) -> str:
    if context.minimum_seconds <= 0:
        return ""
    return f"You read for at least {_duration(context.minimum_seconds)}"


def _duration(seconds: int) -> str:
    if seconds == 60:
        return "a minute"
    if seconds % 60 == 0:
        return format_count(seconds // 60, "minute")
    return format_count(seconds, "second")


EFFORT = (
    Check(
        key="pages-unread",
        level="error",
        title="You read at least one page",
        about="Fewer Wikipedia pages were opened than the project asks for.",
        requirement="A16",
        rule=pages_unread,
        settings=(MINIMUM_PAGES,),
        detail=lambda response, context: format_count(context.pages_opened, "page"),
        titled=_pages_title,
        in_exams=False,
    ),
    Check(
        key="too-quick",
        level="error",
        title="You read for the minimum time",
        about="One clear answer, or “Not found”, was submitted before the stage’s minimum time "
        "was over.",
        requirement="A17",
        rule=too_quick,
        kinds=("single", "none"),
        titled=_time_title,
        in_exams=False,
    ),
    Check(
        key="conflict-unsaid",
        level="error",
        title="You have no conflict of interest",
        about="The project asks whether people are free of a conflict of interest, and they did "
        "not say so.",
        requirement="A15",
        rule=conflict_unsaid,
        settings=(ASK_CONFLICT,),
        titled=lambda context: "You have no conflict of interest" if asks_conflict(context) else "",
        in_exams=False,
    ),
)
CHECKS = (
    Check(
        key="long-answer",
        level="warning",
        title="Every answer is as short as it can be",
        about="A form of an answer has many words.",
        requirement="A26",
        rule=long_answer,
        kinds=("multiple", "single"),
        settings=(LONG_ANSWER_WORDS,),
    ),
    Check(
        key="separator",
        level="warning",
        title="Each form of an answer is separate",
        about="A form has a “/” or “|”, which may separate two forms. Web addresses and "
        "fractions such as 1/2 are left alone.",
        requirement="A31",
        rule=separator_in_form,
        kinds=("multiple", "single"),
    ),
    Check(
        key="not-on-page",
        level="warning",
        title="Every answer is on a page you opened",
        about="No form of an answer is a quote or appears on a page opened for this question.",
        requirement="A8",
        rule=not_on_page,
        kinds=("multiple", "single"),
        in_exams=False,
    ),
    Check(
        key="several-in-one",
        level="warning",
        title="The forms of the answer mean the same",
        about="One clear answer has forms with different numbers, such as two dates.",
        requirement="A5, A6",
        rule=several_in_one,
        kinds=("single",),
    ),
)
