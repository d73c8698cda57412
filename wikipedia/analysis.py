"""How text becomes search terms: one analyser for indexing and for queries."""

from __future__ import annotations

import re
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


def analyser(language: str) -> tantivy.TextAnalyzer:
    """Words, lower case, accents folded, stemmed where the language has a stemmer."""
    builder = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_LONGEST_TOKEN))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
    )
    stemmer = _STEMMERS.get(language.split(",")[0].strip().lower())
    if stemmer:
        builder = builder.filter(tantivy.Filter.stemmer(stemmer))
    return builder.build()


def query_terms(query: str, text_analyser: tantivy.TextAnalyzer) -> list[str]:
    """The distinct terms to look for, in order; stop words only when there is nothing else.

    Only letters and digits of the query count, so no character of it is an operator.
    """
    words = re.findall(r"\w+", query[:MAX_QUERY_CHARACTERS].lower())
    content = [word for word in words if word not in STOP_WORDS] or words
    terms = text_analyser.analyze(" ".join(content))
    return list(dict.fromkeys(terms))[:MAX_QUERY_TERMS]


def exact_key(text: str) -> str:
    """The form in which titles are compared as a whole: words in lower case, nothing else."""
    return " ".join(re.findall(r"\w+", text[:MAX_QUERY_CHARACTERS].lower()))[:300]
