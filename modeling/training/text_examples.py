"""From a question with what is accepted for it to what a model reads and learns to write. Pure.

The texts are those of `modeling.inputs`, so that a model is trained on what it is asked. Sources:
AmbigQA (Min et al. 2020), section 5 and the code that its authors released; ASQA, appendix B;
QAMPARI, section 4.1 and appendix D.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Final

from modeling import inputs
from modeling.base import ArticlePassage, BaselineQuestion
from modeling.training.answer_forms import (
    Forms,
    find_forms,
    hold_marks,
    merge_answers,
    spell_tokens,
    write_example,
)
from modeling.training.examples import AMBIGUITY_LABELS, TextExample
from modeling.training.list_examples import build_fid, build_jpr, build_list, build_pig
from modeling.training.reasons import (
    NO_ANSWER,
    NO_LONG_ANSWER,
    NO_PASSAGES,
    NOT_IN_PASSAGES,
    ONE_ANSWER,
    SEPARATOR_INSIDE,
)
from modeling.training.values import Labelled, LabelledPair

Build = Callable[[Labelled, Sequence[ArticlePassage]], list[TextExample] | str]

MOST_RENDERINGS: Final = 100  # as in AmbigQA's code


def build_text_examples(
    role: str, labelled: Labelled, passages: Sequence[ArticlePassage], *, without: str = ""
) -> list[TextExample] | str:
    """Return what the weights of a role learn from a question, or why they can learn nothing.

    passages: those that the baseline would read for it, best first; without: what question
    disambiguation does not read.
    """
    if not labelled.annotations and role not in _LONG:
        return NO_ANSWER
    if without:
        return _question_disambiguation(labelled, passages, without)
    return _BUILD[role](labelled, passages)


# --- AmbigQA ------------------------------------------------------------------------------------


def _span_seq_gen(
    labelled: Labelled, passages: Sequence[ArticlePassage]
) -> list[TextExample] | str:
    """One example for each accepted set: its answers whose words are in the input (A89).

    Every combination of their forms that are there is a rendering, up to MOST_RENDERINGS.
    """
    if not passages:
        return NO_PASSAGES
    read = inputs.span_seq_gen(labelled.asked.question, passages)
    text = spell_tokens(read)
    examples, reason = [], NOT_IN_PASSAGES
    for annotation in labelled.annotations:
        answers = merge_answers([find_forms(pair.forms, text) for pair in annotation])
        if not answers:
            continue
        if hold_marks(answers):
            reason = SEPARATOR_INSIDE
            continue
        targets = _render(answers, inputs.span_seq_gen_output)
        examples.append(write_example(labelled, read, targets, answers, passages))
    return examples or reason


def _question_disambiguation(
    labelled: Labelled, passages: Sequence[ArticlePassage], without: str = ""
) -> list[TextExample] | str:
    """One example for each pair of the set with the fewest answers missing from the passages (A90).

    Only where every annotator gave several answers, as in the released code.
    """
    if not passages:
        return NO_PASSAGES
    if not all(_is_several(annotation) for annotation in labelled.annotations):
        return ONE_ANSWER
    text = spell_tokens(" ".join(f"{passage.title} {passage.text}" for passage in passages))
    annotation = min(
        labelled.annotations,
        key=lambda pairs: sum(not find_forms(pair.forms, text) for pair in pairs),
    )
    answers = [pair.forms[0] for pair in annotation]
    if hold_marks([(answer,) for answer in answers]):
        return SEPARATOR_INSIDE
    question = labelled.asked.question
    return [
        write_example(
            labelled,
            inputs.question_disambiguation(
                question,
                answer,
                [*answers[:place], *answers[place + 1 :]],
                passages,
                without=without,
            ),
            pair.phrasings,
            (pair.forms,),
            passages,
        )
        for place, (pair, answer) in enumerate(zip(annotation, answers, strict=True))
    ]


def _disambig_first(
    labelled: Labelled, passages: Sequence[ArticlePassage]
) -> list[TextExample] | str:
    """The questions of each set of several, from the question alone (A91)."""
    several = [annotation for annotation in labelled.annotations if _is_several(annotation)]
    asked = [tuple(pair.phrasings[0] for pair in annotation) for annotation in several]
    examples = [
        write_example(
            labelled,
            inputs.disambig_first(labelled.asked.question),
            (inputs.disambig_first_output(questions),),
            tuple(pair.forms for pair in annotation),
        )
        for annotation, questions in zip(several, asked, strict=True)
        if not hold_marks([questions])
    ]
    return examples or (SEPARATOR_INSIDE if several else ONE_ANSWER)


def _ambiguity(labelled: Labelled, passages: Sequence[ArticlePassage]) -> list[TextExample] | str:
    """Whether anyone gave several answers to the question (A91)."""
    several = any(len(annotation) > 1 for annotation in labelled.annotations)
    read = inputs.disambig_first(labelled.asked.question)
    return [write_example(labelled, read, (AMBIGUITY_LABELS[several],))]


# --- ASQA, and closed-book lists ----------------------------------------------------------------


def _t5_closed(labelled: Labelled, passages: Sequence[ArticlePassage]) -> list[TextExample] | str:
    return _long(labelled, lambda asked: inputs.t5_closed(asked.question))


def _t5_open(labelled: Labelled, passages: Sequence[ArticlePassage]) -> list[TextExample] | str:
    if not passages:
        return NO_PASSAGES
    return _long(labelled, lambda asked: inputs.t5_open(asked.question, passages), passages)


def _oracle(labelled: Labelled, passages: Sequence[ArticlePassage]) -> list[TextExample] | str:
    """Each long answer from the reference pairs and the knowledge of its own writer (S57)."""
    asked = labelled.asked
    if not asked.disambiguations:
        return ONE_ANSWER
    if asked.as_list:
        return build_list(labelled, _read_oracle(asked, asked.knowledge))
    examples = [
        write_example(labelled, _read_oracle(asked, written.knowledge), (written.text,))
        for written in labelled.long_answers
    ]
    return examples or NO_LONG_ANSWER


def _read_oracle(asked: BaselineQuestion, knowledge: Sequence[ArticlePassage]) -> str:
    return inputs.oracle_input(asked.question, asked.disambiguations, knowledge)


def _long(
    labelled: Labelled,
    read: Callable[[BaselineQuestion], str],
    passages: Sequence[ArticlePassage] = (),
) -> list[TextExample] | str:
    """One example for each long answer; where a list is asked for, one for the list (Q23)."""
    text = read(labelled.asked)
    if labelled.asked.as_list:
        return build_list(labelled, text, passages)
    written = dict.fromkeys(long.text for long in labelled.long_answers)
    if not written:
        return NO_LONG_ANSWER
    return [write_example(labelled, text, (long,), passages=passages) for long in written]


def _is_several(annotation: Sequence[LabelledPair]) -> bool:
    return len(annotation) > 1 and all(pair.phrasings for pair in annotation)


def _render(answers: Sequence[Forms], join: Callable[[Iterator[str]], str]) -> tuple[str, ...]:
    combinations = islice(product(*answers), MOST_RENDERINGS)
    return tuple(dict.fromkeys(join(iter(forms)) for forms in combinations))


_BUILD: Final[Mapping[str, Build]] = {
    "span-seq-gen": _span_seq_gen,
    "qd": _question_disambiguation,
    "disambig-first": _disambig_first,
    "ambiguity": _ambiguity,
    "t5-closed": _t5_closed,
    "t5-open": _t5_open,
    "oracle": _oracle,
    "fid": build_fid,
    "pig": build_pig,
    "jpr": build_jpr,
}
_LONG: Final = ("t5-closed", "t5-open", "oracle")
