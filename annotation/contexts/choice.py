"""Choose the paragraph of the visited pages to show next to a disambiguation (S21).

ASQA, appendix A: of the paragraphs that hold an accepted short answer, the one most similar to the
disambiguated question by TF-IDF. A paragraph holds a short answer if it has it as whole words of
the normalised text. STR-EM compares normalised text, too, and all 240 paragraphs of the released
sample hold theirs as whole words; compared as mere characters, "1" would be in every year.

The idf is fitted on the paragraphs of the question's own pages, so that a score depends on no other
question and the same input gives the same score. Words of the topic, which every paragraph has,
count little; words that distinguish paragraphs count much. A word of the question that no paragraph
has counts as the rarest and lowers every similarity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import fsum, hypot, log
from typing import NamedTuple

from annotation.contexts.inputs import Disambiguation
from metrics.text import comparison_form, normalise_text, normalised_places

_WORD = re.compile(r"\w+")  # single characters too: "season 1" is not "season 2"
_ARTICLES = frozenset({"a", "an", "the"})
_DIGITS = 4  # decimals of a score; the last ones of a float differ between machines


class CandidateParagraph(NamedTuple):
    """A paragraph of a visited page."""

    text: str
    title: str
    path: str
    rev_id: int | None = None
    url: str = ""


class BestParagraph(NamedTuple):
    """The paragraph found for a disambiguation; `score` from 0 to 1."""

    position: int
    paragraph: CandidateParagraph
    score: float


def best_paragraphs(
    disambiguations: Sequence[Disambiguation], candidates: Sequence[CandidateParagraph]
) -> list[BestParagraph]:
    """Return the best paragraph of each disambiguation that has one.

    The first of equal ones wins. All `candidates` count for the weights of words, including those
    that hold no answer.
    """
    texts = [SearchedParagraph(candidate.text) for candidate in candidates]
    holding = {
        disambiguation.position: [
            place
            for place, text in enumerate(texts)
            if text.contains_answer(disambiguation.answers)
        ]
        for disambiguation in disambiguations
    }
    wanted = [
        disambiguation for disambiguation in disambiguations if holding[disambiguation.position]
    ]
    if not wanted:
        return []
    scores = tfidf_similarities(
        [disambiguation.question for disambiguation in wanted],
        [candidate.text for candidate in candidates],
    )
    best = []
    for disambiguation, row in zip(wanted, scores, strict=True):
        place = max(holding[disambiguation.position], key=lambda place: (row[place], -place))
        best.append(BestParagraph(disambiguation.position, candidates[place], row[place]))
    return best


def tfidf_similarities(questions: Sequence[str], paragraphs: Sequence[str]) -> list[list[float]]:
    """Return the TF-IDF cosine of each question with each paragraph, from 0 to 1.

    Logarithmic term frequencies, smoothed idf fitted on the paragraphs alone, no stop words: words
    common to the paragraphs weigh little in any language.
    """
    counts = [_words(paragraph) for paragraph in paragraphs]
    having = Counter(word for words in counts for word in words)

    def weights(words: Counter[str]) -> dict[str, float]:
        weighed = {
            word: (1 + log(number)) * (1 + log((1 + len(paragraphs)) / (1 + having[word])))
            for word, number in words.items()
        }
        length = hypot(*weighed.values())
        return {word: weight / length for word, weight in weighed.items()}

    rows = [weights(words) for words in counts]
    return [
        [_cosine(question, paragraph) for paragraph in rows]
        for question in (weights(_words(text)) for text in questions)
    ]


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _cosine(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    product = fsum(weight * second[word] for word, weight in first.items() if word in second)
    return min(1.0, round(product, _DIGITS))


class SearchedParagraph:
    """A paragraph in which short answers are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._normal = normalise_text(text)
        self._places: list[int] | None = None

    def contains_answer(self, answers: Sequence[str]) -> bool:
        """Whether one of the answers is in the paragraph as whole words."""
        return any(True for answer in answers for _ in self._found(answer))

    def mark_answers(self, answers: Sequence[str]) -> list[tuple[str, bool]]:
        """Return the paragraph cut into pieces, in order, each with whether it is an answer."""
        pieces, end = [], 0
        for start, stop in sorted({place for answer in answers for place in self._found(answer)}):
            if start < end:
                continue
            pieces += [(self.text[end:start], False), (self.text[start:stop], True)]
            end = stop
        return [
            (text, is_answer) for text, is_answer in (*pieces, (self.text[end:], False)) if text
        ]

    def _found(self, answer: str) -> Iterator[tuple[int, int]]:
        """Return (start, stop) in the original text wherever it has the answer as whole words."""
        wanted = normalise_text(answer)
        if not wanted:
            yield from self._unusual(answer)
            return
        at = self._normal.find(wanted)
        while at >= 0:
            if place := self._whole(at, at + len(wanted)):
                yield place
            at = self._normal.find(wanted, at + 1)

    def _whole(self, start: int, end: int) -> tuple[int, int] | None:
        before, after = self._normal[max(0, start - 1) : start], self._normal[end : end + 2]
        if before.isalnum():
            return None
        if self._places is None:
            self._places = normalised_places(self.text)[1]
        place = self._places[start], self._places[end - 1] + 1
        if after[:1].isalnum() and not self._is_genitive(place[1], after):
            return None
        return place

    def _is_genitive(self, end: int, after: str) -> bool:
        """Whether the s of "Charles's" follows, which normalising joins to the name."""
        return self.text[end : end + 1] == "'" and after[0] == "s" and not after[1:].isalnum()

    def _unusual(self, answer: str) -> Iterator[tuple[int, int]]:
        """Find answers of which normalising leaves nothing: "The The" as written, but not "a"."""
        if comparison_form(answer) in _ARTICLES | {""}:
            return
        pattern = rf"(?<!\w){re.escape(answer.strip())}(?!\w)"
        for match in re.finditer(pattern, self.text):
            yield match.span()
