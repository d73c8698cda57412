"""Accepted answers with their forms, and whether they stand in a text. Pure.

A form stands in a text when its tokens stand there in a row, as Dense Passage Retrieval tells it
(`metrics.retrieval.tokenise_and_join`).
"""

from collections.abc import Sequence

from metrics.ambigqa import AmbigqaAnnotation, GoldPair, Reference
from metrics.retrieval import tokenise_and_join
from metrics.text import answer_key
from modeling import inputs
from modeling.base import ArticlePassage
from modeling.training.examples import TextExample
from modeling.training.values import Labelled, LabelledPair

Forms = tuple[str, ...]


def list_pairs(labelled: Labelled) -> list[LabelledPair]:
    """Return the pairs of all accepted sets."""
    return [pair for annotation in labelled.annotations for pair in annotation]


def build_reference(labelled: Labelled) -> Reference:
    """Return what answers to the question are scored by: every set that is accepted."""
    return Reference(
        labelled.asked.id,
        labelled.asked.question,
        tuple(
            AmbigqaAnnotation(pairs=tuple(GoldPair("", pair.forms) for pair in annotation))
            for annotation in labelled.annotations
        ),
    )


def spell_tokens(text: str) -> str:
    """Return the tokens of a text with a space around each."""
    return f" {tokenise_and_join(text)} "


def find_forms(forms: Forms, text: str) -> Forms:
    """Return the forms whose tokens stand in the text (`spell_tokens`) in a row."""
    return tuple(form for form in forms if (words := spell_tokens(form)).strip() and words in text)


def merge_answers(answers: Sequence[Forms]) -> tuple[Forms, ...]:
    """Return the answers that have a form, each once: an annotator may give one twice."""
    kept: list[Forms] = []
    seen: set[str] = set()
    for forms in answers:
        keys = set(map(answer_key, forms))
        if forms and seen.isdisjoint(keys):
            kept.append(forms)
            seen |= keys
    return tuple(kept)


def order_answers(
    pairs: Sequence[LabelledPair], passages: Sequence[ArticlePassage]
) -> tuple[Forms, ...]:
    """Return all forms of the answers that stand in passages, in the order of these."""
    answers = merge_answers([pair.forms for pair in pairs])
    found: dict[int, Forms] = {}
    for passage in passages:
        text = spell_tokens(f"{passage.title} {passage.text}")
        for place, forms in enumerate(answers):
            if place not in found and find_forms(forms, text):
                found[place] = forms
    return tuple(found.values())


def hold_marks(answers: Sequence[Forms]) -> bool:
    """Return whether a tokenizer would read a mark in an answer, such as the separator."""
    return any(inputs.MARKS.search(form) for forms in answers for form in forms)


def write_example(
    labelled: Labelled,
    text: str,
    targets: Sequence[str],
    answers: Sequence[Forms] = (),
    passages: Sequence[ArticlePassage] = (),
) -> TextExample:
    """Return an example of one text that is read."""
    asked = labelled.asked
    return TextExample(
        asked.id, asked.question, (text,), tuple(targets), tuple(answers), tuple(passages)
    )
