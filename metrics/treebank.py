"""Where English words begin and end: Penn Treebank tokens as the AmbigQA scorer saw them.

The official scorer tokenised with the Stanford PTB tokeniser of 2014 (CoreNLP 3.4.1). This module
restates what of its behaviour still matters once ASCII punctuation is deleted from the tokens:
where a run of characters is cut, which characters count as letters, and which symbols are
rewritten. What only decides between two kinds of full stop, or between two spellings of a
quotation mark, is left out, because both are deleted.

The scanner works as a lexer does: at each position every rule is tried, the longest match wins
(with the context it looks at counted in), and of equally long ones the first.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

# Letters and digits are those of the Unicode of 2010, in the first plane. What Python holds to be
# one and the tokeniser did not: letters assigned since, and superscripts, fractions, Roman numerals
# and circled digits.
_NEWER = (
    r"\xb2\xb3\xb9\xbc-\xbe\u037f\u0528-\u052f\u0560\u0588\u05ef\u0860-\u088e\u08a1"
    r"\u08ad-\u08c9\u0978\u0980\u09f4-\u09fc\u0af9\u0b72-\u0b77\u0bf0-\u0bf2\u0c34"
    r"\u0c5a-\u0c5d\u0c78-\u0c80\u0cdd\u0d04\u0d54-\u0d5f\u0d70-\u0d78\u0e86\u0e89\u0e8c"
    r"\u0e8e-\u0e93\u0e98\u0ea0\u0ea8\u0ea9\u0eac\u0f2a-\u0f33\u1369-\u137c\u13f5-\u13fd"
    r"\u16ee-\u16f8\u170d\u171f\u17f0-\u17f9\u1878\u191d\u191e\u19b0-\u19c0\u19c8\u19c9\u19da"
    r"\u1b4c\u1c80-\u1cbf\u1cf2\u1cf3\u1cfa\u2070\u2074-\u2079\u2080-\u2089\u2150-\u2182"
    r"\u2185-\u2793\u2c2f\u2c5f\u2cfd\u3007-\u3029\u3038-\u303a\u312e\u312f\u3192-\u3195"
    r"\u31bb-\u31bf\u3220-\u32bf\u4db6-\u4dbf\u9fcd-\u9fff\ua698-\ua69d\ua6e6-\ua6ef\ua78f"
    r"\ua794-\ua79f\ua7ab-\ua7f7\ua830-\ua835\ua8fd\ua8fe\ua9e0-\ua9fe\uaa7e\uaa7f"
    r"\uab30-\uabbf"
)
_ASTRAL = r"\U00010000-\U0010ffff"
_NEWER_DIGITS = r"\u0de6-\u0def\ua9f0-\ua9f9"
# Marks that belong to the letter before them, and the soft hyphen, which is inside a word.
_MARKS = (
    r"\xad\u02c2-\u02c5\u02d2-\u02df\u02e5-\u02eb\u02ed\u02ef-\u036f\u0375\u0378\u0379\u0384"
    r"\u0385\u03f6\u0483-\u0487\u055a-\u055f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u0615-\u061a\u064b-\u065e\u0670\u06d6-\u06e4\u06e7-\u06ed\u06fd\u06fe\u070f\u0711"
    r"\u0730-\u074c\u07a6-\u07b0\u07eb-\u07f3\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955"
    r"\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09c4\u09c7\u09c8\u09cb-\u09cd\u09d7\u09e2\u09e3"
    r"\u0a01-\u0a03\u0a3c\u0a3e-\u0a4f\u0a81-\u0a83\u0abc\u0abe-\u0acf\u0b82\u0bbe-\u0bc2"
    r"\u0bc6-\u0bc8\u0bca-\u0bcd\u0c01-\u0c03\u0c3e-\u0c56\u0d3e-\u0d44\u0d46-\u0d48\u0e31"
    r"\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u1885\u1886"
)
# Symbols that stay, each as a token of its own; any other unknown character is dropped.
_SYMBOLS = (
    r"\xa1\xa5-\xa9\xac\xae-\xb4\xb6-\xb9\xbf\xd7\xf7\u037e\u0387\u0589\u05be\u05c0\u05c3"
    r"\u05c6\u05f3\u05f4\u0600-\u0603\u0606-\u060c\u0614\u061b\u061e\u061f\u066a\u066d\u06d4"
    r"\u0700-\u070d\u07f6-\u07f8\u0964\u0965\u0e3f\u0e4f\u1fbd\u2016\u2017\u201a\u201e-\u2023"
    r"\u2030-\u2038\u203b\u203e-\u2042\u2044\u2070\u2074-\u207e\u2080-\u208e\u20a4\u2100\u2101"
    r"\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2125\u2127\u2129\u212e\u213a"
    r"\u213b\u2140-\u2144\u214a-\u214d\u214f\u2155-\u215e\u2190-\u2bff\u3001\u3002\u3012\u30fb"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0\uffe1\uffe5\uffe6"
)

_NOT = _NEWER + _NEWER_DIGITS + _ASTRAL
_NOT_IN_NUMBERS = _NEWER_DIGITS + _ASTRAL
_L = rf"[^\W\d_{_NOT}]"
_N = rf"[^\D{_NOT_IN_NUMBERS}]"
_LN = rf"[^\W_{_NOT}]"


def _word(words: str) -> str:
    """Match any of the words in any case: in ASCII only, so that ``ſ`` is no ``s``."""
    return rf"(?ai:{'|'.join(words.split())})"


_ENTITY_LETTER = rf"&[aeiouAEIOU]{_word('acute grave uml')};"
_LETTER = rf"(?:[^\W\d_{_NOT}]|[{_MARKS}]|{_ENTITY_LETTER})"
_ALNUM = rf"(?:[^\W_{_NOT}]|[{_MARKS}]|{_ENTITY_LETTER})"
_WORD = rf"{_LETTER}{_ALNUM}*(?:[.!?]{_LETTER}{_ALNUM}*)*"
_APOSTROPHE = rf"(?:['\u0092\u2019]|{_word('&apos;')})"
_APOSTROPHE_WIDE = rf"(?:['\u0092\u2019`\u0091\u2018\u201b]|{_word('&apos;')})"
_CLITIC = rf"{_APOSTROPHE}(?:[msdMSD]|{_word('re ve ll')})"
_NEGATION = rf"[nN]{_APOSTROPHE_WIDE}[tT]"
_NUM = rf"(?:{_N}*(?:[.:,\xad\u066b\u066c]{_N}+)+|{_N}+)"
_ELISION = rf"(?:[dDoOlL]{_APOSTROPHE_WIDE}{_LN})?"
_PIECE = rf"{_ELISION}{_LN}+"
_ACRONYM = r"[A-Za-z](?:\.[A-Za-z])+"
_UNION = rf"(?:{_word('canada sino korean eu japan non')}-[uU]\.[sS]|[uU]\.[sS]\.-[uU]\.[kK])"
_SPACE = r"[ \t\xa0\u2000-\u200a\u3000\r\n\u2028\u2029\x0b\x0c\x85]"
_ADDRESS = r"[^ \t\n\f\r\"<>|()]+[^ \t\n\f\r\"<>|.!?(){},-]"
_FILES = _word(
    "bat bmp c class cgi cpp dll docx? exe gif gz h html? jar java jpe?g mov mp3 pdf php pl "
    "png ppt ps py sql tar txt wav x xml zip"
)
# Abbreviations with their full stop: those that can end a sentence, and those that hardly do.
_CLOSING = _word(
    "jan feb mar apr jun jul aug sept? oct nov dec mon tues? wed thu thurs fri ala ariz calif "
    "colo conn ct dak fla ga ind kans? ky md mich minn mo mont neb nev okla penn tenn va vt "
    r"wisc? wyo rt jr sr bros (?:ed|ph)\.d blvd rd esq inc cos? corp pp?t[ye]s? ltd plc "
    "bancorp bhd assn univ intl sys tel est ext sq etc al seq bldg"
)
_CLOSING = rf"(?:{_CLOSING}|[A]rk|[A]z|[D]el|[I]ll|[L]a|[M]ass|[M]iss|[O]re|[P]a|[T]ex|[W]ash)\."
_OPENING = _word(
    "mrs? ms drs? profs? sens? reps? attys? lt col gen messrs govs? adm rev maj sgt cpl pvt "
    "mt ft capt ste? ave pres lieut hon brig co?mdr pfc spc supts? det adj asst assoc ens "
    "insp mlle mme msgr sfc dept invt elec natl m[ft]g nos? prop ph vs alex wm jos cie cf "
    "treas pp op figs? ca art"
)
# A tag: a comment or declaration, or a name with attributes.
_NAME = r"[A-Za-z][A-Za-z0-9_:.-]*"
_ATTRIBUTE = rf"{_NAME}(?: *= *(?:'[^'\r\n]*'|\"[^\"\r\n]*\"|{_NAME}))?"
_TAG = rf"<(?:[!?][A-Za-z-][^>\r\n]*|{_NAME}(?: +{_ATTRIBUTE})* */?|/{_NAME}) *>"

# Words whose apostrophe is inside; of those that fit, the longest stands first.
_INNER_APOSTROPHE = "|".join(
    (
        rf"[A-HJ-XZn]{_APOSTROPHE_WIDE}{_L}{{2,}}",
        rf"{_L}+[aeiouyAEIOUY]{_APOSTROPHE_WIDE}[aeiouA-Z]{_L}*",
        _word(r"nor'easter c'mon e'er s'mores ev'ry li'l nat'l cont'd\.?"),
        rf"{_APOSTROPHE}(?:{_word('em till? cause')}|[2-9]0[sS])",
        rf"{_APOSTROPHE}[nN]{_APOSTROPHE}?|[oO]{_APOSTROPHE_WIDE}[oO]",
        rf"(?:[lLdDjJ]|{_word('dunkin somethin ol')}){_APOSTROPHE}",
    )
)

# What a rule can start with: only such rules are tried at a character.
_ANY = r"[\s\S]"
_IN_WORD = rf"[^\W\d_{_NOT}]|[{_MARKS}&]"
_WITH_APOSTROPHE = rf"['\u0092\u2019&]|{_L}"

_AS_IT_IS, _HYPHENS, _MARKED, _ENTITY = range(4)  # how a token is rewritten: see _rewrite

# (first character, rule, context, rewriting). A context must follow, is no part of the token, and
# counts in its length. The order decides between equally long matches.
_GRAMMAR: tuple[tuple[str, str, str, int], ...] = (
    (r"[cC]", _word("can"), _word("not"), _AS_IT_IS),
    (r"'", _word("'t"), _word("is was"), _AS_IT_IS),
    (r"[gG]", _word("gon got"), _word("na ta"), _AS_IT_IS),
    (r"[lLgG]", _word("lem gim"), _word("me"), _AS_IT_IS),
    (r"[wW]", _word("wan"), _word("na"), _AS_IT_IS),
    (r"[cCfF]", _word(r"c\+\+ [cf]\#"), "", _AS_IT_IS),
    (r"<", _TAG, "", _AS_IT_IS),
    (
        r"[&\x96\x97\u2013-\u2015]",
        rf"{_word('&md; &mdash; &ndash;')}|[\x96\x97\u2013-\u2015]",
        "",
        _MARKED,
    ),
    (r"&", _word("&amp; &quot; &apos; &lt; &gt; &nbsp;"), "", _ENTITY),
    (r"&", _word("&(?:ht|tl|ur|lr|qc|ql|qr|odq|cdq|#[0-9]+);"), "", _AS_IT_IS),
    (_IN_WORD, _WORD, rf"(?:{_CLITIC})?", _HYPHENS),
    (r"[A-Za-z\xad]", r"[A-Za-z\xad]*[A-MO-Za-mo-z]\xad*", _NEGATION, _HYPHENS),
    (_WITH_APOSTROPHE, _INNER_APOSTROPHE, "", _AS_IT_IS),
    (r"[yY]", rf"[yY]{_APOSTROPHE}", _L, _AS_IT_IS),
    (
        r"[hH]",
        rf"{_word('https?')}://[^ \t\n\f\r\"<>|(){{}}]+[^ \t\n\f\r\"<>|.!?(){{}},-]",
        "",
        _AS_IT_IS,
    ),
    (
        _ANY,
        rf"(?:{_word('www')}\.(?:[^ \t\n\f\r\"<>|.!?(){{}},]+\.)+[a-zA-Z]{{2,4}}"
        rf"|(?:[^ \t\n\f\r\"`'<>|.!?(){{}},-_$]+\.)+{_word('com net org edu')})"
        rf"(?:/{_ADDRESS})?",
        "",
        _AS_IT_IS,
    ),
    (
        r"[a-zA-Z0-9]",
        r"[a-zA-Z0-9][^ \t\n\f\r\"<>|(){}\xa0]*@(?:[^ \t\n\f\r\"<>|(){}.\xa0]+\.)*"
        r"[^ \t\n\f\r\"<>|(){}.\xa0]+",
        "",
        _AS_IT_IS,
    ),
    (r"[@#]", rf"@[a-zA-Z_][a-zA-Z_0-9]*|#{_LETTER}+", "", _AS_IT_IS),
    (_WITH_APOSTROPHE, _CLITIC, r"[^A-Za-z]", _MARKED),
    (r"[nN]", _NEGATION, r"[^A-Za-z]", _MARKED),
    (_N, rf"{_N}{{1,2}}[-/]{_N}{{1,2}}[-/]{_N}{{2,4}}", "", _AS_IT_IS),
    (rf"[-+.:,\xad\u066b\u066c]|{_N}", rf"[-+]?{_NUM}", "", _HYPHENS),
    (r"[-@#]", r"-+|@+|#+", "", _AS_IT_IS),
    (r"\.", r"\.{3,5}|(?:\.[ \xa0]){2,4}\.", "", _AS_IT_IS),
    (
        _ANY,
        r"[\u207a\u207b\u208a\u208b]?(?:[\u2070\xb9\xb2\xb3\u2074-\u2079]+|[\u2080-\u2089]+)",
        "",
        _AS_IT_IS,
    ),
    (_N, rf"(?:{_N}{{1,4}}[- \xa0])?{_N}{{1,4}}(?:\\?/|\u2044){_N}{{1,4}}", "", _AS_IT_IS),
    (_ANY, r"[\xbc-\xbe\u2153-\u215e]", "", _MARKED),
    (
        r"[pPaAsScC-]",
        rf"{_word('pro- anti- s&ls s&amp;ls s&p-500 s&amp;p-500 c.d.s')}"
        rf"|-{_word('[lr][rcs]b')}-|{_word('cap')}{_APOSTROPHE}[nN]|[cC]{_APOSTROPHE}{_word('est')}",
        "",
        _ENTITY,
    ),
    (
        r"[A-Za-z0-9]",
        r"[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:\\?/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2}",
        "",
        _AS_IT_IS,
    ),
    (r"[A-Z$#]", r"[A-Z]*\$|#", "", _AS_IT_IS),
    (r"[A-Za-z]", _CLOSING, r"(?:[\s\S]{2})?", _AS_IT_IS),
    (r"[A-Za-z]", rf"(?:{_ACRONYM}|{_UNION}|{_OPENING}|[A-Za-z])\.", "", _AS_IT_IS),
    (r"[A-Za-z]", rf"{_ACRONYM}|{_UNION}", _SPACE, _AS_IT_IS),
    (_WITH_APOSTROPHE, rf"{_APOSTROPHE}[0-9][0-9]", _SPACE, _AS_IT_IS),
    (_LN, rf"{_LN}+(?:\.{_LN}+)*\.{_FILES}", rf"{_SPACE}|[.?!,]", _AS_IT_IS),
    (
        r"[0-9(+]",
        r"(?:\([0-9]{2,3}\)[ \xa0]?|(?:\+\+?)?(?:[0-9]{2,4}[- \xa0])?[0-9]{2,4}[- \xa0])"
        r"[0-9]{3,4}[- \xa0]?[0-9]{3,5}"
        r"|(?:(?:\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5}",
        "",
        _AS_IT_IS,
    ),
    (r"[<>:;=]", r"[<>]?[:;=][-o*']?[()DPdpO{@|\[\]\\]", r"[^A-Za-z0-9]", _AS_IT_IS),
    (r"\(", r"\([-^x=~<>'][_.]?[-^x=~<>']\)|\([\^x=~<>']-[\^x=~<>'`]\)", "", _AS_IT_IS),
    (r"[-^x=~<>']", r"[-^x=~<>']_[-^x=~<>']", "", _AS_IT_IS),
    (
        r"[A-Za-z0-9]",
        rf"[A-Za-z0-9][A-Za-z0-9.,\xad]*(?:-(?:{_ACRONYM}\.|[A-Za-z0-9\xad]+))+",
        "",
        _HYPHENS,
    ),
    (_LN, rf"{_PIECE}(?:[-_\u058a\u2010\u2011]{_PIECE})*", "", _AS_IT_IS),
    (r"[A-Z]", r"[A-Z]+(?:(?:&(?ai:amp);|[+&])[A-Z]+)+", "", _ENTITY),
    (r"'", r"'", r"[A-Za-z][^ \t\n\r\xa0]", _AS_IT_IS),
    (_WITH_APOSTROPHE, _CLITIC, "", _MARKED),
    (_ANY, r"[`\u2018\u2019\u201a-\u201f\x91-\x94\u2039\u203a\xab\xbb]{1,2}|''", "", _MARKED),
)

# Most of a question: a plain word, then a space or the final question mark.
_PLAIN = re.compile(r"[A-Za-z]+(?=[?,]?[ \n])")
SPLIT_WORDS = {"cannot", "gonna", "gotta", "lemme", "gimme", "wanna"}
"""Plain words that are two tokens, in lower case."""

_BRACKETS = {
    "(": "-lrb-",
    ")": "-rrb-",
    "[": "-lsb-",
    "]": "-rsb-",
    "{": "-lcb-",
    "}": "-rcb-",
}
# Symbols rewritten to ASCII (most are then deleted as punctuation).
_REWRITES = str.maketrans(
    {
        **dict.fromkeys("\x96\x97\u2013\u2014\u2015", "--"),
        **dict.fromkeys("\x91\x92\u2018\u2019\u201b\u2039\u203a", "'"),
        **dict.fromkeys("\x93\x94\u201c\u201d\xab\xbb", '"'),
        "\u2026": "...",
        **dict.fromkeys("\x80\xa4\u20a0\u20ac", "$"),
        "\xa2": "cents",
        "\xa3": "#",
        "\xbc": "1/4",
        "\xbd": "1/2",
        "\xbe": "3/4",
        "\u2153": "1/3",
        "\u2154": "2/3",
    }
)
# The tokeniser knew capitals in some entities and not in others.
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"))
_ENTITIES = re.compile(r"&(?ai:amp|lt|gt|nbsp);|&quot;|&apos;")
_SYMBOL = re.compile(f"[{_SYMBOLS}]")


def list_token_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, token) for each token of the text, in code points of the text.

    Tokens are lower-cased and rewritten (brackets to ``-lrb-``, dashes to ``--``), punctuation
    included. Never raises, whatever the text holds.
    """
    # The official scorer wrote one question per line, so a newline follows. What else ends a line
    # (U+2028, U+0085) is one here, so that no address or tag runs across it.
    line = text.translate(_LINE_ENDS) + "\n"
    position, end = 0, len(text)
    while position < end:
        character = line[position]
        if character.isspace():
            position += 1
            continue
        plain = _PLAIN.match(line, position)
        if plain and (word := plain[0].lower()) not in SPLIT_WORDS:
            yield position, plain.end(), word
            position = plain.end()
            continue
        stop, rewriting = _longest(line, position)
        if stop > position:
            yield position, min(stop, end), _rewrite(line[position:stop], rewriting)
            position = stop
            continue
        if alone := _alone(character):
            yield position, position + 1, alone
        position += 1


def _longest(line: str, position: int) -> tuple[int, int]:
    """Return where the token at this position ends (the position itself where no rule fits)."""
    reach, stop, how = position, position, _AS_IT_IS
    for rule, rewriting in _rules(line[position], _is_common(line)):
        found = rule.match(line, position)
        if found and found.end() > reach:
            reach, stop, how = found.end(), found.end(1), rewriting
    return stop, how


def _is_common(line: str) -> bool:
    """Whether a text has none of the long sets' characters, the soft hyphen apart."""
    return line.isascii() or not _compiled(rf"(?!\xad)[{_NOT}{_MARKS}]", False).search(line)


@lru_cache(4096)
def _rules(character: str, common: bool) -> tuple[tuple[re.Pattern[str], int], ...]:
    """Return the rules that can match at a character, compiled when first needed."""
    return tuple(
        (_compiled(f"({rule})(?:{context})", common), rewriting)
        for first, rule, context, rewriting in _GRAMMAR
        if _compiled(first, common).fullmatch(character)
    )


@lru_cache(None)
def _compiled(pattern: str, common: bool) -> re.Pattern[str]:
    if common:  # without the long sets, which such a text does not meet, it compiles far sooner
        for beyond, within in ((_NOT, ""), (_NOT_IN_NUMBERS, ""), (_MARKS, r"\xad")):
            pattern = pattern.replace(beyond, within)
    return re.compile(pattern)


def _rewrite(token: str, how: int) -> str:
    if how == _HYPHENS:
        token = token.replace("\xad", "") or "-"
    elif how == _MARKED:
        token = token.translate(_REWRITES)
    elif how == _ENTITY:
        token = _ENTITIES.sub("&", token)
    if not token.startswith("<") or not token.endswith(">"):  # in a tag brackets stay
        token = token.replace("(", "-lrb-").replace(")", "-rrb-")
    return token.lower()


def _alone(character: str) -> str:
    """Return the token that a character is on its own, empty where it is dropped."""
    if character in _BRACKETS:
        return _BRACKETS[character]
    if character.isascii() and character.isprintable():
        return character
    rewritten = character.translate(_REWRITES)
    return rewritten if rewritten != character or _SYMBOL.match(character) else ""
