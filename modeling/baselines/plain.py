"""A language model that is too small to write JSON (Q24): it is asked twice, in plain words.

First for a long answer, then for a list of short answers; where a list is asked for, only for that.
Small models add answers of their own to a list, so one counts only where a passage has its words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from metrics.text import normalise_text
from modeling.base import (
    ANSWERS,
    LONG_ANSWER,
    PASSAGES,
    ArticlePassage,
    BaselineQuestion,
    Corpus,
    ShortAnswer,
)
from modeling.baselines.llm import Reader, Talk, build_passage_prompt
from modeling.llm import Message
from modeling.options import parse_whole_number
from modeling.outputs import clean_long_answer, clean_short_answer
from modeling.replies import BadReply, Reply
from modeling.retrieval import RETRIEVAL_OPTIONS

_PROMPT = 1  # raise it with every change of the texts below
_TOKENS = 120  # of a reply
_PASSAGES = 3
_MOST_PASSAGES = 100
_MOST_WORDS = 6  # of a short answer
_LONG: Final = (
    "Answer the question from the numbered passages. The question may be read in several ways: "
    "give every answer, and say how they differ. Write one short paragraph."
)
_LIST: Final = "List the short answers to the question, one on each line, and nothing else."
_TUNNEL: Final = ArticlePassage(
    "",
    "Thames Tunnel",
    "The tunnel under the Thames opened to walkers in 1843. Trains have used it since 1869.",
)
# One example says more to a small model than a description.
_EXAMPLE: Final[list[Message]] = [
    {"role": "system", "content": _LIST},
    {
        "role": "user",
        "content": build_passage_prompt("When did the Thames Tunnel open?", [_TUNNEL]),
    },
    {"role": "assistant", "content": "1843\n1869"},
]
_NUMBER = re.compile(r"\A(?:\s*(?:\[\d{1,3}\]|\d{1,3}[.)](?=\s)|[-*•]\s))+\s*")
_END = re.compile(r"[.!?](?=\s|\Z)")


class PlainReader(Reader):
    """The model with the best passages, asked in plain words.

    Options: `tokens`, how many a reply may have; `passages`, how many; and those of retrieval.
    """

    key = "llm-plain"
    label = "Small language model with passages"
    gives = frozenset({PASSAGES, ANSWERS, LONG_ANSWER})
    prompt = _PROMPT
    _options: tuple[str, ...] = ("tokens", "passages", *RETRIEVAL_OPTIONS)
    _system = _LONG

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        super().__init__(corpus, options)
        self._tokens = parse_whole_number(options, "tokens", _TOKENS, most=32_000)
        self.passages_read = parse_whole_number(options, "passages", _PASSAGES, most=_MOST_PASSAGES)
        self._as_json = False

    def _reply(
        self, talk: Talk, question: BaselineQuestion, passages: Sequence[ArticlePassage]
    ) -> Reply:
        if question.as_list:
            return Reply((), "", self._list(talk, question, passages))
        said = talk.request_completion(self._messages(question, passages))
        text = _whole(said.text) if said.cut else said.text
        if not (long_answer := clean_long_answer(_NUMBER.sub("", text))):
            raise BadReply("It says nothing.")
        return Reply((), long_answer, self._list(talk, question, passages))

    def _list(
        self, talk: Talk, question: BaselineQuestion, passages: Sequence[ArticlePassage]
    ) -> tuple[ShortAnswer, ...]:
        if not passages:
            return ()
        content = build_passage_prompt(question.question, passages)
        listed = talk.request_completion([*_EXAMPLE, {"role": "user", "content": content}])
        return tuple(_found(listed.text, question.question, passages))


def _whole(text: str) -> str:
    """Return a text that was cut up to the end of its last sentence, all of it without one."""
    ends = [match.end() for match in _END.finditer(text)]
    return text[: ends[-1]] if ends else text


def _found(text: str, question: str, passages: Sequence[ArticlePassage]) -> Iterator[ShortAnswer]:
    """Give the lines whose words stand in a passage, and not all in the question, with it."""
    asked = f" {normalise_text(question)} "
    texts = [f" {normalise_text(passage.text)} " for passage in passages]
    for line in text.splitlines():
        answer = clean_short_answer(_NUMBER.sub("", line)).rstrip(".;,")
        words = normalise_text(answer)
        if not words or len(words.split()) > _MOST_WORDS or f" {words} " in asked:
            continue
        place = next((n for n, have in enumerate(texts) if f" {words} " in have), None)
        if place is not None:
            yield ShortAnswer(answer, passage=passages[place])
