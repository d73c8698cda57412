"""How text becomes search terms: one analyser for indexing and for queries."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import tantivy

from wikipedia.words import words

ANALYSER: Final = "wikipedia"
MAX_QUERY_CHARACTERS: Final = 1_000
MAX_QUERY_TERMS: Final = 48
_LONGEST_TOKEN: Final = 40

# English function words and the words every question has. They match everything, so they only
# cost time and reward long articles.
STOP_WORDS: Final = words(
    "a an and are as at be been being but by can could d did do does doing for from had has have"
    " having he her hers him his how i if in into is it its ll m may me might my nor not of on or"
    " our ours re s shall she should so some such t than that the their theirs them then there"
    " these they this those to too ve was we were what when where which while who whom whose why"
    " will with would you your yours"
)

# Archives name their language in ISO 639-3 or 639-1; tantivy's stemmers go by English names.
_STEMMERS: Final = {
    "eng": "english", "en": "english", "fra": "french", "fr": "french", "deu": "german",
    "de": "german", "spa": "spanish", "es": "spanish", "ita": "italian", "it": "italian",
    "por": "portuguese", "pt": "portuguese", "nld": "dutch", "nl": "dutch", "dan": "danish",
    "da": "danish", "fin": "finnish", "fi": "finnish", "hun": "hungarian", "hu": "hungarian",
    "nor": "norwegian", "nob": "norwegian", "no": "norwegian", "nb": "norwegian",
    "ron": "romanian", "ro": "romanian", "rus": "russian", "ru": "russian", "swe": "swedish",
    "sv": "swedish", "tur": "turkish", "tr": "turkish", "ara": "arabic", "ar": "arabic",
    "ell": "greek", "el": "greek", "tam": "tamil", "ta": "tamil",
}  # fmt: skip
# Languages written without spaces: each character is a term, since nothing says where words end.
_UNSPACED: Final = frozenset(["zho", "zh", "jpn", "ja"])
_WORD: Final = re.compile(r"[^\W_]+")
_UNSPACED_RANGES: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED_WORD: Final = re.compile(f"[{_UNSPACED_RANGES}]|[^\\W_{_UNSPACED_RANGES}]+")
_UNSPACED_TOKEN: Final = f"[{_UNSPACED_RANGES}]|[[\\p{{L}}\\p{{M}}\\p{{N}}]--[{_UNSPACED_RANGES}]]+"


@dataclass(frozen=True, eq=False)
class Language:
    """How the text of one language is read: `text` gives all terms, `content` no stop words.

    `word` finds the words of a text where they stand; each is one or more terms of `text`.
    """

    text: tantivy.TextAnalyzer
    content: tantivy.TextAnalyzer
    word: re.Pattern[str]


def analyser(language: str) -> tantivy.TextAnalyzer:
    """Words, lower case, accents folded, stemmed where the language has a stemmer."""
    return _analyser(_key(language), content=False)


def language_named(language: str) -> Language:
    """What is needed to search text in the language of an archive."""
    return _language(_key(language))


@lru_cache(maxsize=64)
def _language(key: str) -> Language:
    return Language(
        text=_analyser(key, content=False),
        content=_analyser(key, content=True),
        word=_UNSPACED_WORD if key in _UNSPACED else _WORD,
    )


def query_terms(query: str, language: Language) -> list[str]:
    """The distinct terms to look for, in order; stop words only when there is nothing else.

    Only letters and digits of the query count, so no character of it is an operator.
    """
    text = unicodedata.normalize("NFC", query[:MAX_QUERY_CHARACTERS])
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    terms = language.content.analyze(text) or language.text.analyze(text)
    return list(dict.fromkeys(terms))[:MAX_QUERY_TERMS]


@lru_cache(maxsize=100_000)
def terms_of(word: str, language: Language) -> tuple[str, ...]:
    """The terms of one word; texts repeat their words, so they are remembered."""
    return tuple(language.text.analyze(word))


def exact_key(text: str) -> str:
    """The form in which titles are compared as a whole: plain words in lower case."""
    plain = unicodedata.normalize("NFKD", text[:MAX_QUERY_CHARACTERS].lower())
    bare = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(re.findall(r"\w+", bare))[:300]


def _key(language: str) -> str:
    return language.split(",")[0].strip().lower()


def _analyser(key: str, *, content: bool) -> tantivy.TextAnalyzer:
    unspaced = key in _UNSPACED
    split = tantivy.Tokenizer.regex(_UNSPACED_TOKEN) if unspaced else tantivy.Tokenizer.simple()
    builder = (
        tantivy.TextAnalyzerBuilder(split)
        .filter(tantivy.Filter.remove_long(_LONGEST_TOKEN))
        .filter(tantivy.Filter.lowercase())
    )
    name = _STEMMERS.get(key)
    if content and name == "english":
        builder = builder.filter(tantivy.Filter.custom_stopword(sorted(STOP_WORDS)))
    elif content and name:
        builder = builder.filter(tantivy.Filter.stopword(name))
    builder = builder.filter(tantivy.Filter.ascii_fold())
    return (builder.filter(tantivy.Filter.stemmer(name)) if name else builder).build()
