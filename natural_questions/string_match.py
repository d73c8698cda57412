"""How often two annotators of a question give the same short answer, by string match (N26).

Source: Min et al. (2020), appendix B, footnote 1: 49.2 % of the pairs of NQ-open's test questions.
The words of an answer are on the page of its question, so pages are read, but only those on which
annotators chose different places: the same place has the same words.
"""

import random
from collections.abc import Iterator, Mapping, Sequence

from annotation.figures.panel import Column, Panel
from annotation.figures.registry import Request
from evaluation.reports.papers.values import figure_with_interval
from metrics.nq_annotators import score_annotator_agreement
from natural_questions import pages
from natural_questions.annotation import PageAnnotation
from natural_questions.figures import AnnotatedQuestion, select_comparable_items, short_label
from natural_questions.panels import read_items
from natural_questions.tokens import Token, tokens_of

MOST = 1_000
"""Questions that are compared; of more, this many are drawn."""
_AT_ONCE = 5  # pages; a long one has 5 MB
_SEED = 1
_SAME_PLACE = "the same place"

ShortStrings = Mapping[str, Sequence[Sequence[str]]]
"""What each annotator of a question said, by the id of the question; nothing for no answer."""


def build_strings_panel(request: Request) -> Panel:
    """Return how often short answers are the same."""
    items = select_comparable_items(request.once(read_items), least=2)
    return tabulate_agreement(dict(read_short_strings(items)))


def read_short_strings(
    items: Sequence[AnnotatedQuestion],
) -> Iterator[tuple[str, list[list[str]]]]:
    """Give the short answers of each question in words. A query for five pages that are needed.

    Questions are left out whose page has to be read and is not here or lacks the answers.
    """
    if len(items) > MOST:
        items = random.Random(_SEED).sample(items, MOST)  # noqa: S311 - a sample, no secret
    differing = {item.pk for item in items if _needs_page(item)}
    for start in range(0, len(items), _AT_ONCE):
        some = items[start : start + _AT_ONCE]
        wanted = [item.pk for item in some if item.pk in differing]
        records = pages.pages_of(wanted) if wanted else {}
        for item in some:
            if item.pk not in differing:
                yield item.question, [_name_place(row) for row in item.annotations]
            elif item.pk in records:
                tokens = tokens_of(records[item.pk].record)
                strings = [_read_words(row, tokens) for row in item.annotations]
                if all(words is not None for words in strings):
                    yield item.question, [words for words in strings if words is not None]


def _needs_page(item: AnnotatedQuestion) -> bool:
    """Return whether the answers are at different places, so that their words may be the same."""
    given = {label for row in item.annotations if (label := short_label(row)) is not None}
    return len(given) > 1 and any(isinstance(label, frozenset) for label in given)


def _name_place(annotation: PageAnnotation) -> list[str]:
    if annotation.yes_no != "NONE":
        return [annotation.yes_no]
    return [_SAME_PLACE] if annotation.short else []


def _read_words(annotation: PageAnnotation, tokens: Sequence[Token]) -> list[str] | None:
    """Return the short answers of one person in words; None where the page has none there."""
    if annotation.yes_no != "NONE":
        return [annotation.yes_no]
    spans = annotation.short
    if any(not 0 <= span.start_token < span.end_token <= len(tokens) for span in spans):
        return None
    return [
        " ".join(token.text for token in tokens[span.start_token : span.end_token] if not token.tag)
        for span in spans
    ]


def tabulate_agreement(strings: ShortStrings) -> Panel:
    """Return the share of pairs that agree, with annotations without an answer and without them."""
    counted = score_annotator_agreement(strings, nulls="count")
    dropped = score_annotator_agreement(strings, nulls="drop")
    rows = [
        (label, evaluation.counts["n"], figure_with_interval(evaluation, "score", "agreement"))
        for label, evaluation in (
            ("“No short answer” is an answer", counted),
            ("Only annotations with a short answer", dropped),
        )
        if evaluation.counts["n"]
    ]
    return Panel(
        columns=(
            Column("compared", "Annotations"),
            Column("questions", "Questions", "count"),
            Column("agreement", "Pairs that agree", "score"),
        ),
        rows=rows,
        n=counted.counts["n"],
        definition=(
            "For each question the share of pairs of annotators whose short answers are the same "
            "strings, apart from case, punctuation and articles; the mean over questions. Yes and "
            f"no are strings, too. Of more than {MOST:,} questions this many are drawn."
        ),
        needs="2 annotations of 1 question",
    )
