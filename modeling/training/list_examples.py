"""What QAMPARI's models and JPR learn from a question: lists, from passages read together. Pure.

Sources: QAMPARI (Amouyal et al. 2022), section 4.1, appendix D and its released code; ASQA for JPR.
"""

import random
from collections.abc import Sequence
from typing import Final

from modeling import inputs
from modeling.base import ArticlePassage
from modeling.training.answer_forms import (
    Forms,
    hold_marks,
    list_pairs,
    merge_answers,
    order_answers,
    write_example,
)
from modeling.training.examples import TextExample
from modeling.training.reasons import (
    NO_PASSAGES,
    NOT_IN_PASSAGES,
    SEPARATOR_INSIDE,
    TOO_LONG,
)
from modeling.training.values import Labelled

MOST_ANSWERS: Final = 100  # of a list: the released code skips longer ones
_SEED: Final = 42  # of the order of passages, as in the released code


def build_list(
    labelled: Labelled, text: str, passages: Sequence[ArticlePassage] = ()
) -> list[TextExample] | str:
    """The names of all accepted answers, from a text (Q23)."""
    answers = merge_answers([pair.forms for pair in labelled.annotations[0]])
    problem = _refuse_list(answers)
    if problem:
        return problem
    names = (inputs.fid_output(forms[0] for forms in answers),)
    return [write_example(labelled, text, names, answers, passages)]


def build_fid(labelled: Labelled, passages: Sequence[ArticlePassage]) -> list[TextExample] | str:
    """The answers that stand in what is read, in its order (Q22).

    As in QAMPARI's code proofs and retrieved passages are mixed by chance, and the first are read.
    """
    read = mix_passages(labelled, passages)
    if not read:
        return NO_PASSAGES
    answers = order_answers(labelled.annotations[0], read)
    problem = _refuse_list(answers) if answers else NOT_IN_PASSAGES
    if problem:
        return problem
    return [
        TextExample(
            labelled.asked.id,
            labelled.asked.question,
            tuple(inputs.fid_inputs(labelled.asked.question, read)),
            (inputs.fid_output(forms[0] for forms in answers),),
            answers,
            tuple(read),
        )
    ]


def build_pig(labelled: Labelled, passages: Sequence[ArticlePassage]) -> list[TextExample] | str:
    """Each passage with an answer, and after it the best one that has none (Q21)."""
    pairs = labelled.annotations[0]
    with_answer: list[tuple[ArticlePassage, tuple[Forms, ...]]] = []
    without: list[tuple[ArticlePassage, tuple[Forms, ...]]] = []
    for passage in dict.fromkeys((*labelled.evidence, *passages)):
        answers = order_answers(pairs, [passage])
        (with_answer if answers else without).append((passage, answers))
    if not with_answer:
        return NOT_IN_PASSAGES if without else NO_PASSAGES
    examples = []
    for passage, answers in [*with_answer, *without[: len(with_answer)]]:
        text = inputs.pig_inputs(labelled.asked.question, [passage])[0]
        targets = answers[0] if answers else (None,)
        written = tuple(map(inputs.pig_output, targets))
        examples.append(write_example(labelled, text, written, answers[:1], [passage]))
    return examples


def build_jpr(labelled: Labelled, passages: Sequence[ArticlePassage]) -> list[TextExample] | str:
    """The places of passages that each hold an answer not read before, in their order (S53).

    That is one order that is right; training here takes every one (`oracle`).
    """
    pairs = list_pairs(labelled)
    places: list[int] = []
    covered: set[str] = set()
    for place, passage in enumerate(passages, 1):
        new = {forms[0] for forms in order_answers(pairs, [passage])} - covered
        if new:
            places.append(place)
            covered |= new
    if not places:
        return NOT_IN_PASSAGES if passages else NO_PASSAGES
    return [
        TextExample(
            labelled.asked.id,
            labelled.asked.question,
            tuple(inputs.jpr_inputs(labelled.asked.question, passages)),
            (inputs.jpr_output(places),),
            merge_answers([pair.forms for pair in pairs]),
            tuple(passages),
        )
    ]


def mix_passages(
    labelled: Labelled, passages: Sequence[ArticlePassage]
) -> Sequence[ArticlePassage]:
    """Return proofs and retrieved passages in an order by chance, as many as were retrieved.

    The same question has the same order. Without proofs it is the order of retrieval.
    """
    if not labelled.evidence:
        return passages
    together = list({passage.text: passage for passage in (*passages, *labelled.evidence)}.values())
    random.Random(f"{_SEED} {labelled.asked.id}").shuffle(together)  # noqa: S311 - no secret
    return together[: max(len(passages), 1)]


def _refuse_list(answers: Sequence[Forms]) -> str:
    if len(answers) > MOST_ANSWERS:
        return TOO_LONG
    names = [forms[0] for forms in answers]
    inside = any(inputs.BETWEEN_ANSWERS in name for name in names)
    return SEPARATOR_INSIDE if inside or hold_marks([tuple(names)]) else ""
