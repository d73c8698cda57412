"""Responses for the rules of the answer form: which fire, which do not, and where."""

import datetime as dt
from dataclasses import replace

from annotation.generation.check_values import Context
from annotation.generation.checks import run_checks
from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.sheets.answers import AnswerForm
from tests import factories

PROMPT = "When did the Thames Tunnel open?"
READ = Context(prompt=PROMPT, pages_opened=3, seconds_on_task=300)


def forms(*texts):
    return tuple(AnswerForm(text) for text in texts)


def pairs(*rows):
    """A response of several pairs, each (question, form, form, …)."""
    return GenerationResponse(
        pairs=tuple(WrittenPair(question, forms(*answers)) for question, *answers in rows)
    )


def single(*texts, **more):
    return GenerationResponse(kind="single", single=forms(*texts), **more)


GOOD = pairs(
    ("When did the Thames Tunnel open to pedestrians?", "25 March 1843", "March 25, 1843"),
    ("When did the Thames Tunnel open to trains?", "7 December 1869"),
)
NONE = GenerationResponse(kind="none", none_reason="No page says so.")


def asked(question, answer="x"):
    """A good response with one more pair."""
    return replace(
        GOOD, pairs=(*GOOD.pairs, WrittenPair(question, forms(answer) if answer else ()))
    )


def with_answer(*texts):
    response = asked("When did the Thames Tunnel open to the Overground?")
    third = replace(response.pairs[2], answers=forms(*texts))
    return replace(response, pairs=(*response.pairs[:2], third))


def findings(rule, response, context=READ):
    return [each for each in run_checks(response, context).findings if each.rule == rule]


LONG = (
    "the tunnel opened to the public on 27 April 2010 " + "after years and years of slow work " * 2
)
ELSEWHERE = replace(
    READ, page_texts=["The tunnel opened to the public on 25 March, 1843, at noon."]
)
LAST = replace(READ, prompt="When was the last time the tunnel closed?")

# (rule, response, context, field, pair, part of the sentence)
FIRES = [
    ("pages-unread", GOOD, replace(READ, pages_opened=0), "pages", None, "after reading a page. S"),
    (
        "pages-unread",
        NONE,
        replace(READ, pages_opened=1, settings={"minimum_pages": 3}),
        "pages",
        None,
        "You can submit after reading 2 more pages.",
    ),
    (
        "too-quick",
        single("1843"),
        replace(READ, seconds_on_task=36),
        "time",
        None,
        "One clear answer needs a minute of reading. 24 seconds left.",
    ),
    (
        "too-quick",
        NONE,
        replace(READ, seconds_on_task=119, minimum_seconds=120),
        "time",
        None,
        "“Not found” needs 2 minutes of reading. 1 second left.",
    ),
    (
        "conflict-unsaid",
        GOOD,
        replace(READ, settings={"ask_conflict": True}),
        "no-conflict",
        None,
        "Say that you have no conflict of interest.",
    ),
    ("few-pairs", GenerationResponse(), READ, "kind", None, "There is no pair yet. Add two"),
    ("few-pairs", pairs(("When?", "1843")), READ, "kind", None, "There is only one pair. Add ano"),
    ("question-missing", asked(""), READ, "question-3", 2, "Pair 3 has an answer and no question."),
    ("question-missing", asked("", None), READ, "question-3", 2, "Pair 3 has no question. Write"),
    (
        "answer-missing",
        asked("When?", None),
        READ,
        "answer-3",
        2,
        "Pair 3 has no answer. Write one",
    ),
    ("answer-missing", single(), READ, "single-answer", None, "There is no answer yet."),
    (
        "none-reason-missing",
        GenerationResponse(kind="none"),
        READ,
        "none-reason",
        None,
        "Say why there is no",
    ),
    ("same-as-prompt", asked(PROMPT), READ, "question-3", 2, "Pair 3 asks the prompt itself."),
    ("same-as-prompt", asked("when did the thames  tunnel open"), READ, "question-3", 2, "itself"),
    (
        "same-question",
        asked("When did the Thames Tunnel open to pedestrians"),
        READ,
        "question-3",
        2,
        "Pairs 1 and 3 ask the same question. Change one, or delete it.",
    ),
    (
        "same-answer",
        with_answer("March 25 1843"),
        READ,
        "answer-3",
        2,
        "Pairs 1 and 3 have the same answer, “March 25, 1843”. Join them, or tell them apart.",
    ),
    (
        "lookalike-answer",
        pairs(("Which language is first?", "C++"), ("Which language is second?", "C#")),
        READ,
        "answer-2",
        1,
        "Pairs 1 and 2 answer “C++” and “C#”, which every score counts as one.",
    ),
    ("lookalike-answer", pairs(("a?", "Who"), ("b?", "The Who")), READ, "answer-2", 1, "The Who"),
    ("question-mark", asked("When did it open"), READ, "question-3", 2, "End the question with"),
    ("question-mark", asked("When did it open."), READ, "question-3", 2, "question mark"),
    ("question-mark", asked("When did it open;"), READ, "question-3", 2, "question mark"),
    ("question-bar", asked("When? | Where?"), READ, "question-3", 2, "A bar | separates questions"),
    (
        "year-added",
        asked("When did the Thames Tunnel open in 2015?"),
        READ,
        "question-3",
        2,
        "You added 2015. For an event that keeps coming back, start at 31 December 2017",
    ),
    (
        "year-added",
        asked("When in 2012 and 2020?"),
        READ,
        "question-3",
        2,
        "You added 2012 and 2020",
    ),
    (
        "year-added",
        asked("When did it open in 2024?"),
        replace(READ, reference_date=dt.date(2023, 6, 1)),
        "question-3",
        2,
        "start at 1 June 2023",
    ),
    ("last-next", GOOD, LAST, "kind", None, "The prompt says “last”, so its answer changes"),
    ("last-next", single("1998"), LAST, "kind", None, "Check that there is still one clear"),
    (
        "wh-word",
        asked("Where did the Thames Tunnel open?"),
        READ,
        "question-3",
        2,
        "“when” to “wher",
    ),
    ("wh-word", asked("Did the Thames Tunnel open in June?"), READ, "question-3", 2, "“when” out"),
    (
        "other-another",
        asked("When did another Thames Tunnel open?"),
        READ,
        "question-3",
        2,
        "“another” refers to another question. Each question must make sense alone.",
    ),
    ("other-another", asked("When did the Other open?"), READ, "question-3", 2, "“other” refers"),
    (
        "far-from-prompt",
        asked("When was the crossing finished?"),
        READ,
        "question-3",
        2,
        "You kept 1 of the prompt’s 5 words.",
    ),
    (
        "far-from-prompt",
        asked("When did the Thames Tunnel close?"),
        replace(READ, settings={"kept_share_percent": 80}),
        "question-3",
        2,
        "You kept 4 of the prompt’s 5 words.",
    ),
    (
        "long-answer",
        with_answer(LONG),
        READ,
        "answer-3",
        2,
        "This answer has 24 words. The shortest",
    ),
    ("long-answer", single("1843", LONG), READ, "single-answer", None, "…” has 24 words."),
    (
        "long-answer",
        with_answer("one two three four five six seven"),
        replace(READ, settings={"long_answer_words": 6}),
        "answer-3",
        2,
        "This answer has 7 words.",
    ),
    ("separator", with_answer("pedestrians/walkers"), READ, "answer-3", 2, "has a “/”"),
    ("separator", single("1843 | 1869"), READ, "single-answer", None, "has a “|”"),
    (
        "not-on-page",
        with_answer("December 1869"),
        ELSEWHERE,
        "answer-3",
        2,
        "“December 1869” is not on a page you opened. It may still be right.",
    ),
    ("not-on-page", single("184"), ELSEWHERE, "single-answer", None, "“184” is not on a page"),
    (
        "several-in-one",
        single("25 March 1843", "7 December 1869"),
        READ,
        "single-answer",
        None,
        "“25 March 1843” and “7 December 1869” count as one answer here.",
    ),
]

SILENT = [
    ("pages-unread", GOOD, replace(READ, pages_opened=0, settings={"minimum_pages": 0})),
    ("too-quick", GOOD, replace(READ, seconds_on_task=0)),
    ("too-quick", NONE, replace(READ, seconds_on_task=60)),
    ("too-quick", NONE, replace(READ, seconds_on_task=0, minimum_seconds=0)),
    ("conflict-unsaid", GOOD, READ),
    (
        "conflict-unsaid",
        replace(GOOD, no_conflict=True),
        replace(READ, settings={"ask_conflict": True}),
    ),
    ("few-pairs", single("x"), READ),
    ("question-missing", NONE, READ),
    ("answer-missing", single("?"), READ),
    ("none-reason-missing", single(), READ),
    ("same-as-prompt", asked("When did Thames Tunnel open?"), READ),
    ("same-question", pairs(("", "a"), ("", "b")), READ),
    ("same-question", pairs(("Who wrote C?", "a"), ("Who wrote C#?", "b")), READ),
    ("same-answer", pairs(("a?", "C++"), ("b?", "C#")), READ),
    ("same-answer", pairs(("a?", "$"), ("b?", "?")), READ),
    ("same-answer", pairs(("a?", "1.5"), ("b?", "15")), READ),
    ("lookalike-answer", pairs(("a?", "Who"), ("b?", "who")), READ),
    ("lookalike-answer", pairs(("a?", "A+"), ("b?", "A-")), READ),
    ("question-mark", asked(""), READ),
    ("question-mark", asked("متى افتتح الجسر؟"), READ),
    ("question-mark", asked("橋はいつ開通したか？"), READ),
    ("question-mark", asked("Πότε άνοιξε η γέφυρα;"), READ),
    ("year-added", asked("When did it open in 2011 or 2021?"), READ),
    ("year-added", asked("When did it open in 2015?"), replace(READ, prompt="When in 2015?")),
    ("year-added", asked("When was number 12015 or 20157 built?"), READ),
    ("last-next", GOOD, replace(READ, prompt="When did the blast happen nextdoor?")),
    ("last-next", pairs(("When in 2016?", "x"), ("When in 2017?", "y")), LAST),
    ("last-next", NONE, LAST),
    ("wh-word", asked("Which day did the Thames Tunnel open?"), READ),
    ("wh-word", asked("In which year did the tunnel open?"), READ),
    ("wh-word", asked("Where is it?"), replace(READ, prompt="Name of the tunnel")),
    ("other-another", asked("When did another open?"), replace(READ, prompt="When did another?")),
    ("other-another", asked("When did the mother open?"), READ),
    ("far-from-prompt", asked("When did the Thames ferry run?"), READ),
    ("far-from-prompt", asked("Anything?"), replace(READ, prompt="?")),
    ("long-answer", with_answer("word " * 20), READ),
    ("separator", with_answer("1/2", "https://example.org/a/b", "9/11"), READ),
    ("not-on-page", with_answer("December 1869"), READ),
    ("not-on-page", single("25 March 1843"), ELSEWHERE),
    ("not-on-page", single("1843"), replace(READ, page_texts=["closed", "From 1843–45."])),
    ("not-on-page", single("another spelling", "March 25 1843", "march 1843"), replace(
        READ, page_texts=lambda text: text == "march 1843")),
    ("not-on-page", GenerationResponse(kind="single", single=(AnswerForm("anything", 7),)), replace(
        ELSEWHERE, quotes=factories.own_quotes(7))),
    ("several-in-one", single("25 March 1843", "March 1843", "the spring of that year"), READ),
]  # fmt: skip
