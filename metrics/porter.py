"""The Porter stemmer, with the extensions of NLTK, which ROUGE's official scorer counts words by.

Source: Porter 1980, "An algorithm for suffix stripping", Program 14(3), with the rules that its
author added later (``bli``, ``logi``) and those of NLTK's default mode: a list of irregular words,
``ies`` and ``ied`` in words of four letters, ``y`` only after a consonant, ``fulli``, ``alli``, and
a vowel with a consonant as a short word. It is our own because importing NLTK takes longer than
all of the scoring does (docs/adr/0010).

A letter is a vowel (v) if it is one of ``aeiou``, or a ``y`` after a consonant; everything else,
digits too, is a consonant (c). The *measure* of a stem is how often a vowel is followed by a
consonant in it: ``tree`` 0, ``trouble`` 1, ``private`` 2.
"""

from collections.abc import Iterable, Mapping

_IRREGULAR = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

# Ending -> its replacement, if the measure of the part before it is above 0.
_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "fulli": "ful",
    "logi": "log",
}
_STEP_3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
# Endings that are removed, if the measure of the part before them is above 1.
_STEP_4 = frozenset(
    ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou")
) | {"ism", "ate", "iti", "ous", "ive", "ize"}


def _by_tail(endings: Iterable[str]) -> dict[str, list[str]]:
    """Return the endings by their last two letters, which most words do not have; longest first."""
    found: dict[str, list[str]] = {}
    for ending in sorted(endings, key=len, reverse=True):
        found.setdefault(ending[-2:], []).append(ending)
    return found


_TAILS_2, _TAILS_3, _TAILS_4 = _by_tail(_STEP_2), _by_tail(_STEP_3), _by_tail(_STEP_4)
_KINDS = dict.fromkeys(range(128), "c") | dict.fromkeys(map(ord, "aeiou"), "v")


def stem_word(word: str) -> str:
    """Return the stem of a word, which is lower-cased first.

    Words of one or two letters are their own stems. Never raises.
    """
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _past(_plural(word))
    if word[-1:] == "y" and len(word) > 2 and _kinds(word[:-1])[-1] == "c":
        word = word[:-1] + "i"
    return _tidy(_step_4(_step_3(_step_2(word))))


def _kinds(text: str) -> str:
    """Return ``c`` or ``v`` for each character."""
    if "y" not in text and text.isascii():
        return text.translate(_KINDS)
    kinds: list[str] = []
    for letter in text:
        after_consonant = letter == "y" and kinds[-1:] == ["c"]
        kinds.append("v" if after_consonant or letter in "aeiou" else "c")
    return "".join(kinds)


def _measure(text: str) -> int:
    return _kinds(text).count("vc")


def _is_short(text: str) -> bool:
    """Whether it ends consonant, vowel, consonant other than w, x, y; or is vowel, consonant."""
    kinds = _kinds(text)
    return kinds == "vc" or (kinds[-3:] == "cvc" and text[-1] not in "wxy")


def _is_double(text: str) -> bool:
    return text[-1:] == text[-2:-1] and _kinds(text)[-1:] == "c"


def _plural(word: str) -> str:
    """Step 1a: caresses, ponies, ties, cats."""
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _past(word: str) -> str:
    """Step 1b: agreed, plastered, motoring, and the ``e`` or the single letter that was there."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    if word.endswith("ed"):
        rest = word[:-2]
    elif word.endswith("ing"):
        rest = word[:-3]
    else:
        return word
    if "v" not in _kinds(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _is_double(rest):
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _is_short(rest) else rest


def _ending(word: str, tails: Mapping[str, list[str]]) -> str:
    """Return the longest of the endings that the word has; empty where it has none."""
    for ending in tails.get(word[-2:], ()):
        if word.endswith(ending):
            return ending
    return ""


def _step_2(word: str) -> str:
    if not (ending := _ending(word, _TAILS_2)):
        return word
    before = word[: -len(ending)]
    # The ``l`` of ``logi`` counts as part of the stem, so that ``apology`` is not too short.
    if _measure(before + "l" if ending == "logi" else before) == 0:
        return word
    if ending == "alli":
        return _step_2(before + "al")
    return before + _STEP_2[ending]


def _step_3(word: str) -> str:
    if not (ending := _ending(word, _TAILS_3)):
        return word
    before = word[: -len(ending)]
    return before + _STEP_3[ending] if _measure(before) > 0 else word


def _step_4(word: str) -> str:
    if not (ending := _ending(word, _TAILS_4)):
        return word
    before = word[: -len(ending)]
    if _measure(before) > 1 and (ending != "ion" or before[-1] in "st"):
        return before
    return word


def _tidy(word: str) -> str:
    """Step 5: an ``e`` at the end, a double ``l`` at the end."""
    if word.endswith("e"):
        before = word[:-1]
        measure = _measure(before)
        if measure > 1 or (measure == 1 and not _is_short(before)):
            word = before
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
