"""Did you mean: replacements for words of a query that are not in the index.

Only words of the indexed text are suggested. Among those that differ in one or two letters, the
ones nearest to the rest of the query are tried first.
"""

from __future__ import annotations

import re
from typing import Final

from tantivy import Occur, Query

from wikipedia.search.analysis import MAX_QUERY_CHARACTERS, exact_key, query_terms, terms_of
from wikipedia.search.open_indexes import WORDS, OpenedIndex, text_of
from wikipedia.text.distance import edit_distance

# The text has misspellings as well: in a large index a word is unknown if at most one passage in a
# million has it, and a suggestion must be this many times as frequent.
_MILLION: Final = 1_000_000
MORE_FREQUENT: Final = 50
_SHORTEST: Final = 4
_ONE_ERROR_UP_TO: Final = 5
_MOST_WORDS: Final = 3
_LONGEST: Final = 30
_PASSAGES_READ: Final = 50


def suggest_query(query: str, passages: OpenedIndex) -> str:
    """Return the query with unknown words replaced by known ones, or "" if nothing is better."""
    text = query[:MAX_QUERY_CHARACTERS]
    unknown = [word for word in passages.language.word.finditer(text) if _unknown(word, passages)]
    if not unknown or len(unknown) > _MOST_WORDS:
        return ""
    terms = query_terms(text, passages.language)
    known = [term for term in terms if passages.found_in(term) > _few(passages)]
    better, done = "", 0
    for word in unknown:
        meant = _meant(word[0], known, passages)
        better += text[done : word.start()] + (meant or word[0])
        done = word.end()
    better += text[done:]
    return better if better != text else ""


def _unknown(word: re.Match[str], passages: OpenedIndex) -> bool:
    if not word[0].isalpha() or not _SHORTEST <= len(word[0]) <= _LONGEST:
        return False
    terms = passages.language.content_terms(word[0])
    return len(terms) == 1 and passages.found_in(terms[0]) <= _few(passages)


def _few(passages: OpenedIndex) -> int:
    return passages.searcher.num_docs // _MILLION


def _meant(word: str, known: list[str], passages: OpenedIndex) -> str:
    """Return the likeliest word of the text for one that is not in it, or ""."""
    term, typed = terms_of(word, passages.language)[0], exact_key(word)
    frequency = passages.found_in(term)
    most = 1 if frequency or len(typed) <= _ONE_ERROR_UP_TO else 2
    for apart in range(1, most + 1):
        ranked = []
        for candidate in _words_near({term, *_cut(typed)}, apart, known, passages):
            errors = _errors(typed, candidate, most)
            if 0 < errors <= most:
                found = passages.found_in(terms_of(candidate, passages.language)[0])
                if found > frequency * MORE_FREQUENT:
                    ranked.append((errors, candidate[0] != typed[0], -found, candidate))
        if ranked and min(ranked)[0] <= apart:
            best = min(ranked)[-1]
            return best.capitalize() if word[0].isupper() else best
    return ""


def _cut(typed: str) -> list[str]:
    """Return the word without its last letters, since stemmers keep the endings of non-words."""
    return [typed[:-1], typed[:-2]] if len(typed) > _ONE_ERROR_UP_TO else []


def _words_near(terms: set[str], apart: int, known: list[str], passages: OpenedIndex) -> set[str]:
    """Return words of the passages with a similar term and the most of the known ones."""
    similar = [
        (Occur.Should, Query.fuzzy_term_query(passages.schema, WORDS, term, apart))
        for term in sorted(terms)
    ]
    clauses = [
        (Occur.Must, Query.const_score_query(Query.boolean_query(similar), 0.0)),
        (Occur.Should, passages.any_of(known, ((WORDS, 1.0),))),
    ]
    question = Query.boolean_query(clauses)
    words: set[str] = set()
    for _, address in passages.searcher.search(question, _PASSAGES_READ, count=False).hits:
        document = passages.searcher.doc(address)
        text = f"{text_of(document, 'shown')} {text_of(document, 'kept')}"
        words.update(passages.language.word.findall(text.lower()))
    return {word for word in words if word.isalpha()}


def _errors(typed: str, word: str, most: int) -> int:
    """Return how many letters to change, add or drop; a swap counts once. At most `most` + 1."""
    if abs(len(typed) - len(word)) > most:
        return most + 1
    candidate = exact_key(word)
    if len(typed) == len(candidate):
        pairs = enumerate(zip(typed, candidate, strict=True))
        differ = [at for at, (one, other) in pairs if one != other]
        if len(differ) == 2 and differ[1] == differ[0] + 1:
            first, second = differ
            if typed[first] == candidate[second] and typed[second] == candidate[first]:
                return 1
    return min(edit_distance(typed, candidate), most + 1)
