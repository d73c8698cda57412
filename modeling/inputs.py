"""What the papers' models read and are trained to write, as text, before a tokenizer sees it.

Sources: ASQA (Stelmakh et al. 2022), appendix B; AmbigQA (Min et al. 2020), sections 5 and 6.1, and
the code its authors released, where the paper leaves the marks open; QAMPARI (Amouyal et al. 2022),
section 4.1 and appendix D, with the input of FiD (Izacard and Grave 2021); JPR (Min et al. 2021),
of which only ASQA is at hand. The length of the context, in tokens, is the tokenizer's matter; what
does not fit is cut at the end.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from modeling.base import AnsweredDisambiguation, ArticlePassage

SEPARATOR: Final = "[SEP]"  # in the paper; the released code calls the token <SEP>
ABLATIONS: Final = ("prompt", "others")  # what QD can be trained and asked without (A96)
# Without the answers nothing is written: each answer has the question as asked (A96).
ALWAYS_PROMPT: Final = "answers"
BETWEEN_ANSWERS: Final = "#"
NOT_RELEVANT: Final = "Not Relevant"
_BAR: Final = " | "
# What tokenizers read as one token of their own, wherever it is in a text.
MARKS: Final = re.compile(
    r"</?s>|<(?:pad|unk|mask)>|\[(?:CLS|PAD|UNK|MASK|SEP)\]|<SEP>|<extra_id_\d{1,3}>",
    re.IGNORECASE,
)
_BEGIN, _END = "<s>", "</s>"  # BART's marks for the beginning and the end of a text

# Tokens of input, by the number of passages, for T5-O-K (S55).
T5_OPEN_TOKENS: Final = {1: 512, 3: 1024, 5: 2048}
T5_CLOSED_TOKENS: Final = 128
BART_TOKENS: Final = 1024
JPR_TOKENS: Final = 256  # of each passage: 100 words, the title and the question

# --- ASQA: T5 -----------------------------------------------------------------------------------


def t5_closed(question: str) -> str:
    """Return the input of T5-C (S54): the question alone."""
    return _line(question)


def t5_open(question: str, passages: Sequence[ArticlePassage]) -> str:
    """Return the input of T5-O-K (S56): the question, then K passages with their pages."""
    return f"{_line(question)} context: {_sources(passages)}".rstrip()


def oracle_input(
    question: str, pairs: Sequence[AnsweredDisambiguation], knowledge: Sequence[ArticlePassage] = ()
) -> str:
    """Return the input of ORACLE (S57).

    Of each pair it has the first form of its first answer and the passage this is from. knowledge:
    the pieces of the annotator who wrote the longest answer.
    """
    contexts = [
        next((answer.passage for answer in pair.answers if answer.passage), None) for pair in pairs
    ]
    answers = _BAR.join(_line(pair.answers[0].text) for pair in pairs if pair.answers)
    parts = (
        ("answers", answers),
        ("disambiguations", _BAR.join(_line(pair.question) for pair in pairs)),
        ("context1", _sources([passage for passage in contexts if passage])),
        ("context2", _sources(knowledge)),
    )
    return " ".join([_line(question), *(f"{tag}: {text}".rstrip() for tag, text in parts)])


def _sources(passages: Iterable[ArticlePassage]) -> str:
    return _BAR.join(
        f"info: {_line(passage.text)} wikipage: {_line(passage.title)}" for passage in passages
    )


# --- AmbigQA: BART ------------------------------------------------------------------------------


def span_seq_gen(question: str, passages: Sequence[ArticlePassage]) -> str:
    """Return the input of SpanSeqGen (A89): the question, then the passages in their order.

    BART's tokenizer adds the marks at both ends. As in the released code the question has a second
    mark at its beginning and a question mark, and a passage is its title, a mark and its text.
    """
    return _END.join([f"{_BEGIN} {_asked(question)}", *map(_titled, passages)])


def span_seq_gen_output(answers: Iterable[str], separator: str = SEPARATOR) -> str:
    """Return what SpanSeqGen is trained to write: the distinct answers with separators between."""
    return f" {separator} ".join(map(_line, answers))


def question_disambiguation(
    question: str,
    answer: str,
    others: Iterable[str],
    passages: Sequence[ArticlePassage],
    separator: str = SEPARATOR,
    *,
    without: str = "",
) -> str:
    """Return the input of QD (A90) for one of the answers; the output is its question.

    In the order of the released code: the answer, the question as asked, the other answers, and the
    passages as SpanSeqGen has them. without: one of ABLATIONS (A96), "prompt" for the question as
    asked, "others" for the other answers.
    """
    prompt = "" if without == "prompt" else f" {separator} {_BEGIN} {_asked(question)}"
    head = f"{_BEGIN} {_line(answer)}{prompt}{_END}"
    kept = () if without == "others" else others
    rest = "".join(f" {separator} {_line(other)}" for other in kept)
    return _END.join([head + rest, *map(_titled, passages)])


def disambig_first(question: str) -> str:
    """Return what Disambig-first's classifier and its generator read (A91): the question alone."""
    return _asked(question)


def disambig_first_output(questions: Iterable[str], separator: str = SEPARATOR) -> str:
    """Return what Disambig-first's generator writes: the questions with separators between."""
    return f" {separator} ".join(map(_line, questions))


def _titled(passage: ArticlePassage) -> str:
    return f"{_line(passage.title)} {_END} {_line(passage.text)}"


def _asked(question: str) -> str:
    text = _line(question)
    return text if text.endswith("?") else f"{text}?"


# --- QAMPARI: FiD and PIG -----------------------------------------------------------------------


def fid_inputs(question: str, passages: Sequence[ArticlePassage]) -> list[str]:
    """Return the inputs of FiD (Q22): one for each passage; the decoder reads all of them."""
    return [
        f"question: {_line(question)} title: {_line(passage.title)} context: {_line(passage.text)}"
        for passage in passages
    ]


def fid_output(answers: Iterable[str]) -> str:
    """Return what FiD is trained to write: the answers, joined by a number sign."""
    return BETWEEN_ANSWERS.join(map(_line, answers))


def pig_inputs(question: str, passages: Sequence[ArticlePassage]) -> list[str]:
    """Return the inputs of PIG (Q21), which answers from each passage alone, as FiD's are."""
    return fid_inputs(question, passages)


def pig_output(answer: str | None) -> str:
    """Return what PIG is trained to write for one passage: an answer, or that there is none."""
    return NOT_RELEVANT if answer is None else _line(answer)


# --- JPR ----------------------------------------------------------------------------------------


def jpr_inputs(question: str, passages: Sequence[ArticlePassage]) -> list[str]:
    """Return the inputs of JPR (S53): one for each passage, which it calls by its place, from 1.

    It is a T5 with FiD's encoder, whose decoder writes places, so the input is FiD's with the place
    of the passage before its title. ASQA says no more than that JPR reranks DPR's passages; the
    tags are our choice, and weights must have been trained with them.
    """
    asked = f"question: {_line(question)}"
    return [
        f"{asked} passage: {place} title: {_line(passage.title)} context: {_line(passage.text)}"
        for place, passage in enumerate(passages, 1)
    ]


def jpr_output(places: Iterable[int]) -> str:
    """Return what JPR is trained to write: the places of the best passages, the best one first."""
    return " ".join(map(str, places))


def _line(text: str) -> str:
    """Return the text on one line, without surplus white space and without tokenizers' marks.

    A passage that holds "</s>" would otherwise be read as two.
    """
    return " ".join(MARKS.sub(" ", text).split())
