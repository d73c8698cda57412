"""Rules on the pairs as a set: enough of them, none empty, none twice."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache

from annotation.generation.check_values import Context, answers_of, list_written_pairs
from annotation.generation.responses import GenerationResponse
from annotation.sheets.rules import (
    Check,
    Fix,
    RuleFinding,
    format_count,
    format_pair_numbers,
    shorten_text,
)
from metrics.text import answer_key, comparison_form

# The rules compare the same few texts with each other, one after the other.
_folded = lru_cache(maxsize=500)(comparison_form)


def few_pairs(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    if len(response.pairs) >= 2:
        return []
    if not response.pairs:
        return [
            RuleFinding(
                "kind",
                "There is no pair yet. Add two, or choose “One clear answer”.",
                "Add two pairs, or choose “One clear answer”",
            )
        ]
    return [
        RuleFinding(
            "kind",
            "There is only one pair. Add another, or choose “One clear answer”.",
            "Add another pair, or choose “One clear answer”",
            fix=Fix("One clear answer", "kind", "single"),
        )
    ]


def question_missing(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    return [
        RuleFinding(
            f"question-{place + 1}",
            f"Pair {place + 1} has {'an answer and ' if pair.answers else ''}no question. "
            "Write one, or delete the pair.",
            f"Pair {place + 1}: write a question, or delete the pair",
            place,
        )
        for place, pair in enumerate(response.pairs)
        if not pair.question
    ]


def answer_missing(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    if response.kind == "single":
        if response.single:
            return []
        return [
            RuleFinding(
                "single-answer",
                "There is no answer yet. Write one, or choose “Not found”.",
                "Write the answer, or choose “Not found”",
            )
        ]
    return [
        RuleFinding(
            field,
            f"{name} has no answer. Write one, or delete the pair.",
            f"{name}: write an answer, or delete the pair",
            place,
        )
        for place, field, name, forms in answers_of(response)
        if not forms
    ]


def none_reason(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    if response.none_reason:
        return []
    return [
        RuleFinding(
            "none-reason",
            "Say why there is no answer, so that the team can learn from it.",
            "Say why there is no answer",
        )
    ]


def same_as_prompt(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    prompt = _folded(context.prompt)
    return [
        RuleFinding(
            field,
            f"Pair {place + 1} asks the prompt itself. Add the words that leave one answer.",
            f"Pair {place + 1}: add the words that leave one answer",
            place,
        )
        for place, field, pair in list_written_pairs(response)
        if _folded(pair.question) == prompt
    ]


def same_question(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    asked = [(place, pair.question) for place, _, pair in list_written_pairs(response)]
    return [
        RuleFinding(
            f"question-{places[-1] + 1}",
            f"Pairs {format_pair_numbers(places)} ask the same question. Change one, or delete it.",
            f"Pairs {format_pair_numbers(places)}: change one question, or delete it",
            places[-1],
        )
        for _, places in _shared(asked, _folded)
    ]


def same_answer(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    return [
        RuleFinding(
            f"answer-{places[-1] + 1}",
            f"Pairs {format_pair_numbers(places)} have the same answer, “{shorten_text(text)}”. "
            "Join them, or tell them apart.",
            f"Pairs {format_pair_numbers(places)}: tell the answers apart, or join the pairs",
            places[-1],
        )
        for text, places in _shared(_all_forms(response), _folded)
    ]


def lookalike_answer(response: GenerationResponse, context: Context) -> list[RuleFinding]:
    forms = _all_forms(response)
    findings = []
    for key, places in _groups(forms, answer_key):
        texts = {_folded(text): text for place, text in forms if answer_key(text) == key}
        if len(texts) < 2 or _shared_places(forms, places, key):
            continue
        shown = " and ".join(f"“{shorten_text(text, 40)}”" for text in list(texts.values())[:2])
        findings.append(
            RuleFinding(
                f"answer-{places[-1] + 1}",
                f"Pairs {format_pair_numbers(places)} answer {shown}, which every score counts as "
                "one. Write out what tells them apart.",
                f"Pairs {format_pair_numbers(places)}: write out what tells the answers apart, or "
                f"say why you keep them",
                places[-1],
            )
        )
    return findings


def _all_forms(response: GenerationResponse) -> list[tuple[int, str]]:
    return [
        (place, form.text) for place, pair in enumerate(response.pairs) for form in pair.answers
    ]


def _groups(
    items: Iterable[tuple[int, str]], key: Callable[[str], str]
) -> list[tuple[str, list[int]]]:
    """Return (key, places) for each key that occurs at several places."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, text in items:
        where = places[key(text)]
        if place not in where:
            where.append(place)
    return [(name, where) for name, where in places.items() if len(where) > 1]


def _shared(items: list[tuple[int, str]], key: Callable[[str], str]) -> list[tuple[str, list[int]]]:
    """Return (first text, places) for each text that several places share, each set once."""
    first: dict[Hashable, str] = {}
    for _, text in items:
        first.setdefault(key(text), text)
    once: dict[tuple[int, ...], str] = {}
    for name, places in _groups(items, key):
        once.setdefault(tuple(places), first[name])
    return [(text, list(places)) for places, text in once.items()]


def _shared_places(forms: list[tuple[int, str]], places: list[int], key: str) -> bool:
    """Whether these places already share an identical answer, which is a separate error."""
    alike = [(place, text) for place, text in forms if answer_key(text) == key]
    return any(set(where) >= set(places) for _, where in _groups(alike, _folded))


CHECKS = (
    Check(
        key="few-pairs",
        level="error",
        title="At least two pairs",
        about="Several answers were chosen, and there is one pair or none.",
        requirement="A22, A23",
        rule=few_pairs,
        kinds=("multiple",),
        detail=lambda response, context: format_count(len(response.pairs), "pair"),
    ),
    Check(
        key="question-missing",
        level="error",
        title="Every pair has a question",
        about="A pair has an empty question, with or without an answer.",
        requirement="A21, A25",
        rule=question_missing,
        kinds=("multiple",),
    ),
    Check(
        key="answer-missing",
        level="error",
        title="Every answer is written",
        about="A pair, or the one clear answer, has no accepted form.",
        requirement="A21",
        rule=answer_missing,
        kinds=("multiple", "single"),
    ),
    Check(
        key="none-reason-missing",
        level="error",
        title="You say why there is no answer",
        about="“Not found” was chosen without a reason.",
        requirement="A10",
        rule=none_reason,
        kinds=("none",),
    ),
    Check(
        key="same-as-prompt",
        level="error",
        title="No question repeats the prompt",
        about="A question equals the prompt, apart from case, punctuation and spaces.",
        requirement="A18",
        rule=same_as_prompt,
        kinds=("multiple",),
    ),
    Check(
        key="same-question",
        level="error",
        title="No two questions are the same",
        about="Two questions are equal, apart from case, punctuation and spaces.",
        requirement="A19",
        rule=same_question,
        kinds=("multiple",),
    ),
    Check(
        key="same-answer",
        level="error",
        title="No two answers are the same",
        about="Two pairs share an accepted form, apart from case, punctuation and spaces.",
        requirement="A20",
        rule=same_answer,
        kinds=("multiple",),
    ),
    Check(
        key="lookalike-answer",
        level="warning",
        title="Scores can tell the answers apart",
        about="Two pairs have different answers that the official scorers count as one, "
        "such as “C++” and “C#”, or “The Who” and “Who”.",
        requirement="A20, A82",
        rule=lookalike_answer,
        kinds=("multiple",),
    ),
)
