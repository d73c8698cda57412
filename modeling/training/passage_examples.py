"""From a question with what is accepted for it to passages that a model tells apart. Pure.

Sources: Dense Passage Retrieval (Karpukhin et al. 2020) with its released code, for passages that
hold an answer by its words; QAMPARI, section 4.1, for proofs (Q20).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from metrics.retrieval import has_long_overlap
from modeling.base import ArticlePassage
from modeling.examples import page_key
from modeling.training.answer_forms import (
    Forms,
    find_forms,
    list_pairs,
    merge_answers,
    spell_tokens,
)
from modeling.training.examples import PassageExample
from modeling.training.reasons import (
    NO_ANSWER,
    NO_NEGATIVE,
    NO_PASSAGE,
    NO_PASSAGES,
    NOT_IN_PASSAGES,
)
from modeling.training.recipes import FIND_SPANS, Recipe
from modeling.training.values import Labelled

# As in the released code: for the reader, and for what searches.
MOST_POSITIVES: Final = 20
MOST_NEGATIVES: Final = 50
# A quote with fewer words is no passage: it is looked for in those of the index.
PASSAGE_WORDS: Final = 15
_LOOKED_AT: Final = 10  # passages in which a quote is looked for

Search = Callable[[str, int], Sequence[ArticlePassage]]


def build_passage_example(
    recipe: Recipe, labelled: Labelled, passages: Sequence[ArticlePassage]
) -> PassageExample | str:
    """Return the passages of a question that a model learns to tell apart, or why there are none.

    Passages in which people read an answer are the positive ones; where there are none, retrieved
    ones that hold an accepted form. For the reader all of them are: it needs the words themselves.
    Proofs of refused answers come first among the negative ones. passages: retrieved, best first.
    """
    answers = merge_answers([pair.forms for pair in list_pairs(labelled)])
    if not answers:
        return NO_ANSWER
    retrieved = [passage for passage in passages if _holds_answer(answers, passage)]
    evidence = [passage for passage in labelled.evidence if _holds_answer(answers, passage)]
    located = bool(evidence)
    positives = evidence if located and recipe.learns != FIND_SPANS else [*evidence, *retrieved]
    if not positives:
        if not passages:
            return NO_PASSAGES
        return NO_PASSAGE if labelled.evidence else NOT_IN_PASSAGES
    others = [*labelled.refused, *passages]
    negatives = [passage for passage in others if not _holds_answer(answers, passage)]
    if not negatives:
        return NO_NEGATIVE
    return PassageExample(
        labelled.asked.id,
        labelled.asked.question,
        answers,
        tuple(_distinct(positives))[:MOST_POSITIVES],
        tuple(_distinct(negatives))[:MOST_NEGATIVES],
        located,
    )


def locate_evidence(labelled: Labelled, search: Search) -> Labelled:
    """Return the question with each short quote replaced by the passage of the index it is from.

    It is the first of the same page whose text has most of the quote's. A quote that stands in
    none, such as that of a cell, is left out; a text as long as a passage stays as it is.
    """
    located = (
        passage if len(passage.text.split()) >= PASSAGE_WORDS else _find_passage(passage, search)
        for passage in labelled.evidence
    )
    return replace(labelled, evidence=tuple(dict.fromkeys(filter(None, located))))


def _find_passage(quote: ArticlePassage, search: Search) -> ArticlePassage | None:
    text = " ".join(quote.text.lower().split())
    for passage in search(f"{quote.title} {quote.text}", _LOOKED_AT):
        same_page = quote.path == passage.path or page_key(quote.title) == page_key(passage.title)
        if same_page and has_long_overlap(text, " ".join(passage.text.lower().split())):
            return replace(passage, score=0.0)
    return None


def _holds_answer(answers: Sequence[Forms], passage: ArticlePassage) -> bool:
    text = spell_tokens(passage.text)
    return any(find_forms(forms, text) for forms in answers)


def _distinct(passages: Sequence[ArticlePassage]) -> Iterator[ArticlePassage]:
    """Give the passages whose text is not that of one before."""
    seen: set[str] = set()
    for passage in passages:
        if passage.text not in seen:
            seen.add(passage.text)
            yield passage
