"""How text becomes search terms: one analyser for indexing and for queries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import tantivy

from wikipedia.text.words import word_set

ANALYSER: Final = "wikipedia"
MAX_QUERY_CHARACTERS: Final = 1_000
MAX_QUERY_TERMS: Final = 48
_LONGEST_TOKEN: Final = 40

# English function words and words that most questions have. They match everything, so they only
# cost time and favour long articles.
STOP_WORDS: Final = word_set(
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
# These scripts do not mark where words end, or words carry endings (Korean). Neighbouring letters
# are taken in pairs, as in Lucene's CJK analyser: 東京 is found and 京東 is not.
_PAIRED: Final = word_set("zho zh yue wuu jpn ja kor ko tha th lao lo mya my khm km")
_HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PAIRED_LETTERS: Final = (
    f"{_HAN}\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u1100-\u11ff\uac00-\ud7a3"  # Hangul
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd"  # Thai, Lao
    "\u1000-\u103f\u1050-\u108f\u1780-\u17d3"  # Burmese, Khmer
)
# Vowels and other signs that belong to the letter before them; Python's \w leaves them out.
_SIGNS: Final = "".join(
    sign for sign in map(chr, range(0x300, 0x2000)) if unicodedata.category(sign).startswith("M")
)
_PLAIN_WORD: Final = re.compile(r"[^\W_]+")
_WORD: Final = re.compile(f"[^\\W_]+(?:[{_SIGNS}]+[^\\W_]*)*")
_PAIRED_WORD: Final = re.compile(f"[{_PAIRED_LETTERS}]+|(?:(?![{_PAIRED_LETTERS}])[^\\W_])+")
_WORD_OR_LINE: Final = re.compile(f"[\\w{_SIGNS}]+")
_PAIRED_RUN: Final = re.compile(f"[{_PAIRED_LETTERS}]+")
_LETTER: Final = re.compile(f".[{_SIGNS}]*", re.DOTALL)
_IS_HAN: Final = re.compile(f"[{_HAN}]")
# tantivy's own tokeniser cuts words at vowel signs; these stemmers were made with it in mind.
_PLAIN_SCRIPTS: Final = frozenset(_STEMMERS) - word_set("ara ar tam ta")
_SIGNED_WORDS: Final = r"[\p{L}\p{M}\p{N}]+"
# tantivy has a stemmer for these but no stop words; BM25 gives such words little weight.
_WITHOUT_STOP_WORDS: Final = word_set("arabic greek romanian tamil turkish")
# Accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic: ignored in titles.
_ACCENTS: Final = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")


@dataclass(frozen=True, eq=False)
class Language:
    """How the text of one language is read."""

    text: tantivy.TextAnalyzer
    content: tantivy.TextAnalyzer
    word: re.Pattern[str]
    paired: bool = False
    dotted: bool = False

    def prepare_text(self, text: str) -> str:
        """Return the text as passed to tantivy, whose tokenisers do not know pairs of letters.

        Runs of letters become pairs that overlap; a Chinese character is a term of its own too,
        since it is often a word.
        """
        if self.dotted:
            text = text.replace("İ", "i")  # lower case would be two characters
        if not self.paired:
            return text
        text = unicodedata.normalize("NFKC", text)
        return _PAIRED_RUN.sub(lambda run: f" {' '.join(_pairs_and_characters(run[0]))} ", text)

    def list_terms(self, text: str) -> list[str]:
        """Return every term of a text, in order."""
        return self.text.analyze(self.prepare_text(text))

    def content_terms(self, text: str) -> list[str]:
        """Return the terms of a text without stop words."""
        return self.content.analyze(self.prepare_text(text))

    def locate_words(self, text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Yield the words of a text as (start, end, terms); pairs of letters overlap."""
        for word in self.word.finditer(text):
            if self.paired and _PAIRED_RUN.match(word[0]):
                for start, end in _pairs(word[0]):
                    terms = terms_of(text[word.start() + start : word.start() + end], self)
                    yield word.start() + start, word.start() + end, terms[:1]
            else:
                yield word.start(), word.end(), terms_of(word[0], self)


def _pairs(run: str) -> list[tuple[int, int]]:
    """Return the places of each two neighbouring letters of a run, or of its single letter."""
    letters = [(letter.start(), letter.end()) for letter in _LETTER.finditer(run)]
    if len(letters) == 1:
        return letters
    return [(start, end) for (start, _), (_, end) in pairwise(letters)]


def _pairs_and_characters(run: str) -> Iterator[str]:
    pairs = _pairs(run)
    yield from (run[start:end] for start, end in pairs)
    if len(run) > 1:
        yield from _IS_HAN.findall(run)


def build_analyser(language: str) -> tantivy.TextAnalyzer:
    """Return an analyser: lower-case words, accents folded, stemmed if there is a stemmer."""
    return _analyser(_key(language), content=False)


def language_named(language: str) -> Language:
    """Return how to search text in the language of an archive, named in ISO 639-1 or 639-3."""
    return _language(_key(language))


@lru_cache(maxsize=64)
def _language(key: str) -> Language:
    paired = key in _PAIRED
    return Language(
        text=_analyser(key, content=False),
        content=_analyser(key, content=True),
        word=_PAIRED_WORD if paired else _PLAIN_WORD if key in _PLAIN_SCRIPTS else _WORD,
        paired=paired,
        dotted=key in ("tr", "tur", "az", "aze"),
    )


def query_terms(query: str, language: Language) -> list[str]:
    """Return the distinct terms to look for, in order; stop words only if there is nothing else.

    Only letters and digits of the query count, so no character of it is an operator.
    """
    text = unicodedata.normalize("NFC", query[:MAX_QUERY_CHARACTERS])
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is not text
    terms = language.content_terms(text) or language.list_terms(text)
    return list(dict.fromkeys(terms))[:MAX_QUERY_TERMS]


@lru_cache(maxsize=100_000)
def terms_of(word: str, language: Language) -> tuple[str, ...]:
    """Return the terms of one word; cached, since texts repeat their words."""
    return tuple(language.list_terms(word))


def exact_key(text: str) -> str:
    """Return the form in which whole titles are compared: plain words in lower case."""
    plain = unicodedata.normalize("NFKD", text[:MAX_QUERY_CHARACTERS].lower())
    bare = unicodedata.normalize("NFC", _ACCENTS.sub("", plain))
    return " ".join(_WORD_OR_LINE.findall(bare))[:300]


def _key(language: str) -> str:
    return language.split(",")[0].strip().lower()


def _analyser(key: str, *, content: bool) -> tantivy.TextAnalyzer:
    plain = key in _PLAIN_SCRIPTS
    split = tantivy.Tokenizer.simple() if plain else tantivy.Tokenizer.regex(_SIGNED_WORDS)
    builder = (
        tantivy.TextAnalyzerBuilder(split)
        .filter(tantivy.Filter.remove_long(_LONGEST_TOKEN))
        .filter(tantivy.Filter.lowercase())
    )
    name = _STEMMERS.get(key)
    if content and name == "english":
        builder = builder.filter(tantivy.Filter.custom_stopword(sorted(STOP_WORDS)))
    elif content and name and name not in _WITHOUT_STOP_WORDS:
        builder = builder.filter(tantivy.Filter.stopword(name))
    builder = builder.filter(tantivy.Filter.ascii_fold())
    return (builder.filter(tantivy.Filter.stemmer(name)) if name else builder).build()
