"""Rules on the wording of a question, most of them compared with its prompt."""

import re
from collections import Counter

from annotation.generation.check_values import Context, format_british_date, list_written_pairs
from annotation.generation.responses import GenerationResponse
from annotation.sheets.rules import Check, Fix, RuleFinding, Setting, format_count, get_setting
from annotation.text.question_marks import add_question_mark, is_marked
from metrics.edits import kept_ratio
from metrics.text import tokenise_words

WH_WORDS = ("who", "whom", "whose", "what", "when", "where", "which", "why", "how")
_WH_WORD = re.compile(rf"\b({'|'.join(sorted(WH_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)", re.ASCII)
_OTHER = re.compile(r"\b(?:an)?others?\b", re.IGNORECASE)
_LAST_NEXT = re.compile(r"\b(?:last|next)\b", re.IGNORECASE)

YEARS_BEFORE = Setting(
    key="years_before",
    label="Years before the project’s date",
    type="int",
    default=5,
    minimum=0,
    maximum=200,
    help="Added years get a warning from this many years before the project’s date. "
    "The released interface has 5: from 2012, for 31 December 2017.",
)
YEARS_AFTER = Setting(
    key="years_after",
    label="Years after the project’s date",
    type="int",
    default=3,
    minimum=0,
    maximum=200,
    help="Added years get a warning up to this many years after the project’s date. "
    "The released interface has 3: up to 2020, for 31 December 2017.",
)
KEPT_SHARE = Setting(
    key="kept_share_percent",
    label="Share of the prompt to keep",
    type="int",
    default=50,
    minimum=0,
    maximum=100,
    help="In percent. A question that keeps this share of the prompt’s words, or less, gets a "
    "warning.",
)


def question_mark(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    return [
        RuleFinding(
            field,
            "End the question with a question mark.",
            f"Pair {place + 1}: end the question with a question mark",
            place,
            Fix(f"Add “{(better := add_question_mark(pair.question))[-1]}”", field, better),
        )
        for place, field, pair in list_written_pairs(response)
        if not is_marked(pair.question)
    ]


def question_bar(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    return [
        RuleFinding(
            field,
            "A bar | separates questions in the data. Write one question without it.",
            f"Pair {place + 1}: take the bar | out of the question",
            place,
        )
        for place, field, pair in list_written_pairs(response)
        if "|" in pair.question
    ]


def year_added(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    reference = context.reference_date
    first = reference.year - get_setting(context, YEARS_BEFORE)
    last = reference.year + get_setting(context, YEARS_AFTER)
    findings = []
    for place, field, pair in list_written_pairs(response):
        years = [
            year
            for year in dict.fromkeys(_YEAR.findall(pair.question))
            if year not in _YEAR.findall(context.prompt) and first <= int(year) <= last
        ]
        if years:
            findings.append(
                RuleFinding(
                    field,
                    f"You added {' and '.join(years)}. For an event that keeps coming back, start "
                    f"at {format_british_date(reference)} and go back, up to three.",
                    f"Pair {place + 1}: check the year {' and '.join(years)}, or say why you keep "
                    f"it",
                    place,
                )
            )
    return findings


def last_next(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    word = _LAST_NEXT.search(context.prompt)
    if not word:
        return []
    before = set(_YEAR.findall(context.prompt))
    questions = [pair.question for _, _, pair in list_written_pairs(response)]
    if questions and all(set(_YEAR.findall(question)) - before for question in questions):
        return []  # each question says when, as this rule asks
    advice = (
        "Write one pair for each of the last three events before then."
        if response.kind == "multiple"
        else "Check that there is still one clear answer."
    )
    return [
        RuleFinding(
            "kind",
            f"The prompt says “{word[0]}”, so its answer changes with time. "
            f"Imagine it asked on {format_british_date(context.reference_date)}. {advice}",
            f"The prompt says “{word[0]}”: say when, or say why not",
        )
    ]


def wh_word(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    asked = _WH_WORD.search(context.prompt)
    if not asked:
        return []
    findings = []
    for place, field, pair in list_written_pairs(response):
        now = _WH_WORD.search(pair.question)
        before, after = asked[0].lower(), now[0].lower() if now else ""
        if after in (before, "which"):
            continue
        seen = f"You changed “{before}” to “{after}”" if now else f"You took “{before}” out"
        fix = None
        if now:
            word = before.capitalize() if now[0][0].isupper() else before
            undone = pair.question[: now.start()] + word + pair.question[now.end() :]
            fix = Fix("Undo", field, undone)
        findings.append(
            RuleFinding(
                field,
                f"{seen}. The rewrite should ask for the same kind of thing.",
                f"Pair {place + 1}: ask “{before}” again, or say why not",
                place,
                fix,
            )
        )
    return findings


def other_another(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    before = Counter(word.lower() for word in _OTHER.findall(context.prompt))
    findings = []
    for place, field, pair in list_written_pairs(response):
        words = Counter(word.lower() for word in _OTHER.findall(pair.question)) - before
        if words:
            word = next(iter(words))
            findings.append(
                RuleFinding(
                    field,
                    f"“{word}” refers to another question. Each question must make sense alone.",
                    f"Pair {place + 1}: make the question clear without “{word}”, or say why you "
                    f"keep it",
                    place,
                )
            )
    return findings


def far_from_prompt(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    most, prompt = get_setting(context, KEPT_SHARE), Counter(tokenise_words(context.prompt))
    if not prompt:
        return []
    findings = []
    for place, field, pair in list_written_pairs(response):
        if kept_ratio(context.prompt, pair.question) * 100 > most:
            continue
        shared = (prompt & Counter(tokenise_words(pair.question))).total()
        findings.append(
            RuleFinding(
                field,
                f"You kept {shared} of the prompt’s {format_count(prompt.total(), 'word')}. "
                "Change only what tells this answer from the others.",
                f"Pair {place + 1}: stay closer to the prompt, or say why not",
                place,
                Fix("Start from the prompt", field, context.prompt),
            )
        )
    return findings


CHECKS = (
    Check(
        key="question-mark",
        level="error",
        title="Every question ends with a question mark",
        about="A question does not end with “?”.",
        requirement="A24",
        rule=question_mark,
        kinds=("multiple",),
    ),
    Check(
        key="question-bar",
        level="error",
        title="No question has a “|”",
        about="A question has a “|”, which would make it two phrasings in the released format.",
        requirement="A40, A65",
        rule=question_bar,
        kinds=("multiple",),
    ),
    Check(
        key="year-added",
        level="warning",
        title="Added years are the latest ones up to the project’s date",
        about="A question has a year near the reference date that the prompt has not.",
        requirement="A9, A27",
        rule=year_added,
        kinds=("multiple",),
        settings=(YEARS_BEFORE, YEARS_AFTER),
    ),
    Check(
        key="last-next",
        level="warning",
        title="“Last” and “next” are tied to a date",
        about="The prompt says “last” or “next”, and not every question adds a year.",
        requirement="A9, A28",
        rule=last_next,
        kinds=("multiple", "single"),
    ),
    Check(
        key="wh-word",
        level="warning",
        title="Every question asks for the same kind of thing",
        about="A question’s first wh-word is not the prompt’s; “which” is always allowed.",
        requirement="A29",
        rule=wh_word,
        kinds=("multiple",),
    ),
    Check(
        key="other-another",
        level="warning",
        title="Every question makes sense alone",
        about="A question says “other” or “another”, and the prompt does not.",
        requirement="A30",
        rule=other_another,
        kinds=("multiple",),
    ),
    Check(
        key="far-from-prompt",
        level="warning",
        title="Every question stays close to the prompt",
        about="A question keeps few of the prompt’s words.",
        requirement="A32",
        rule=far_from_prompt,
        kinds=("multiple",),
        settings=(KEPT_SHARE,),
    ),
)
