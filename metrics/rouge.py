"""ROUGE-L over sentences, ROUGE-L and ROUGE-1, with the numbers of the rouge-score package.

Source: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", sections 2 to 3.2, as
rouge-score 0.1.2 computes it with its stemmer on. It has no option here: what differs between two
calls is the text, and for ROUGE-Lsum how the caller cut it into sentences.

Tokens are runs of a-z and 0-9 in the lower-cased text; those longer than three are stemmed
(``metrics.porter``). A letter with an accent ends a token: ``café`` is ``caf``.

Longest common subsequences are found with one bit per token of the candidate (Crochemore et al.
2001, Hyyrö 2004): a row of the usual table is one integer, and the next row a few operations.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metrics.porter import stem_word

_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789\n"
_TO_SPACES = bytes(byte if byte in _LETTERS else 32 for byte in range(256))
_STEMS_KEPT = 200_000


class _Stems(dict[bytes, str]):
    """What each token counts as, found once; emptied before it grows beyond tens of megabytes."""

    def __missing__(self, token: bytes) -> str:
        if len(self) >= _STEMS_KEPT:
            self.clear()
        word = token.decode("ascii")
        found = self[token] = stem_word(word) if len(word) > 3 else word
        return found


_STEMS = _Stems()


class Rouge(NamedTuple):
    """Shares from 0 to 1: of the candidate's tokens, of the reference's, and their F1."""

    precision: float
    recall: float
    f1: float


def tokenise_and_stem(text: str) -> list[str]:
    """Return the tokens of a text, stemmed, in order."""
    return list(map(_STEMS.__getitem__, _spaced(text).split()))


def tokenise_sentences(sentences: Iterable[str]) -> list[list[str]]:
    """Return the tokens of each sentence that has any. A newline in a sentence ends it, too."""
    lines = _spaced("\n".join(sentences)).split(b"\n")
    stems = _STEMS.__getitem__
    return [list(map(stems, words)) for line in lines if (words := line.split())]


def _spaced(text: str) -> bytes:
    """Return the lower-cased text with a space for each character that is no token's."""
    # Bytes are translated in one loop of C; a regular expression would be half of the scoring.
    return text.lower().encode("ascii", "replace").translate(_TO_SPACES)


def rouge_lsum(reference: Iterable[str], candidate: Iterable[str]) -> Rouge:
    """Return ROUGE-L at summary level of two texts, each given as its sentences.

    For each sentence of the reference, the places of it that are in a longest common subsequence
    with any sentence of the candidate are united; a token counts at most as often as the candidate
    has it. precision = hits / tokens of the candidate, recall = hits / tokens of the reference.
    All are 0 where one of the two has no token.
    """
    return RougeCandidate(tokenise_sentences(candidate)).score_against(
        tokenise_sentences(reference)
    )


def rouge_l(reference: str, candidate: str) -> Rouge:
    """Return ROUGE-L of two texts, each as one sequence.

    precision = longest common subsequence / tokens of the candidate, recall = the same over the
    tokens of the reference. All are 0 where one of the two has no token.
    """
    ref, can = tokenise_and_stem(reference), tokenise_and_stem(candidate)
    _, row = RougeCandidate([can]).lcs_rows(ref)
    return _rouge(len(can) - row.bit_count(), len(can), len(ref))


def rouge_1(reference: str, candidate: str) -> Rouge:
    """Return ROUGE-1: the tokens in common, each as often as both have it, over those of each."""
    ref, can = Counter(tokenise_and_stem(reference)), Counter(tokenise_and_stem(candidate))
    return _rouge((ref & can).total(), can.total(), ref.total())


def _rouge(hits: int, of_candidate: int, of_reference: int) -> Rouge:
    precision, recall = hits / max(of_candidate, 1), hits / max(of_reference, 1)
    both = precision + recall
    return Rouge(precision, recall, 2 * precision * recall / both if both else 0.0)


class RougeCandidate:
    """A text made ready to be compared with several references.

    ``sentences`` has shape (sentences, tokens), no sentence empty. They lie side by side in one
    integer, the first token lowest, so that all are compared in the same steps. Above each is a
    bit that belongs to no token: it takes up the carry of an addition and is cleared.
    """

    __slots__ = ("_fields", "_full", "_places", "length")

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        self._places: dict[str, int] = {}
        self._fields: list[tuple[int, int]] = []
        self._full = 0
        places = self._places
        place = 0
        for sentence in sentences:
            start = place
            for token in sentence:
                places[token] = places.get(token, 0) | 1 << place
                place += 1
            self._fields.append((start, place))
            self._full |= (1 << place) - (1 << start)
            place += 1
        self.length = self._full.bit_count()

    def score_against(self, reference: Sequence[Sequence[str]]) -> Rouge:
        """Return ROUGE-L at summary level; ``reference`` as the sentences of this text are."""
        united: list[str] = []
        for sentence in reference:
            united += [sentence[place] for place in self._union(sentence)]
        hits = len(united)
        for token, count in Counter(united).items():
            if count > 1:
                hits -= max(0, count - self._places[token].bit_count())
        return _rouge(hits, self.length, sum(map(len, reference)))

    def lcs_rows(self, sentence: Sequence[str]) -> tuple[list[tuple[int, int, int]], int]:
        """Return (place in ``sentence``, where its token is here, row before it), and the last row.

        Only the places of tokens that are here. In a row, the number of bits that are 0 below a
        place is the length of the longest common subsequence of the sentence up to here with the
        candidate's sentence up to that place.
        """
        found = []
        known = self._places.get
        row = full = self._full
        for place, token in enumerate(sentence):
            if matches := known(token):
                found.append((place, matches, row))
                new = row & matches
                row = ((row + new) | (row - new)) & full
        return found, row

    def _union(self, sentence: Sequence[str]) -> set[int]:
        """Return the places that are in the subsequence with one of the candidate's sentences.

        Of several longest ones it is the one that rouge-score reads off its table: from the end,
        it takes a match where both tokens are equal, otherwise drops the reference's token if that
        costs nothing, otherwise the candidate's.
        """
        steps, last = self.lcs_rows(sentence)
        steps.reverse()
        union: set[int] = set()
        for start, end in self._fields:
            within = (1 << end) - (1 << start)
            common = end - start - (last & within).bit_count()
            if common == len(steps):
                return {place for place, _, _ in steps}
            if not common:
                continue
            for place, match, before in steps:
                if not (here := match & within):
                    continue
                at = here.bit_length() - 1
                if at + 1 == end or end - start - (before & within).bit_count() < common:
                    union.add(place)
                    if not (common := common - 1):
                        break
                    end = at
                    within = (1 << end) - (1 << start)
        return union
