"""Where English words begin and end: Penn Treebank tokens as the AmbigQA scorer saw them.

The official scorer tokenised with the Stanford PTB tokeniser of 2014. This module restates the
parts of its grammar that still matter once ASCII punctuation is deleted from the tokens: where a
run of characters is cut, and which symbols are rewritten. What only decides between two kinds of
full stop, or between two spellings of a quotation mark, is left out, because both are deleted.

The scanner works as a lexer does: at each position every rule is tried, the longest match wins
(with the context it looks at counted in), and of equally long ones the first.
"""

import re
from collections.abc import Iterator

# Characters that str.isalnum() takes for letters but that are numbers by themselves: superscripts,
# fractions, Roman numerals and circled digits.
_NUMBERLIKE = (
    "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u207e\u2080-\u208e\u2150-\u218b\u2460-\u249b"
    "\u2776-\u2793"
)
# Marks that belong to the letter before them, and the soft hyphen, which is inside a word.
_MARKS = (
    "\u00ad\u02c2-\u02c5\u02d2-\u02df\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0615-\u061a"
    "\u064b-\u065e\u0670\u06d6-\u06ed\u0900-\u0903\u093c-\u094e\u0951-\u0955\u0981-\u0983"
    "\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4f\u0abc-\u0acd\u0bbe-\u0bcd\u0c3e-\u0c56\u0d3e-\u0d4d"
    "\u0e30-\u0e3a\u0e47-\u0e4e"
)
_LETTER = rf"(?:[^\W\d_{_NUMBERLIKE}]|[{_MARKS}])"
_ALNUM = rf"(?:[^\W_{_NUMBERLIKE}]|[{_MARKS}])"
_WORD = rf"{_LETTER}{_ALNUM}*(?:[.!?]{_LETTER}{_ALNUM}*)*"
_APOSTROPHE = r"(?:['\u0092\u2019\u00b4]|&apos;)"
_APOSTROPHE_WIDE = rf"(?:{_APOSTROPHE}|[`\u0091\u2018\u201b])"
_CLITIC = rf"{_APOSTROPHE}(?:re|ve|ll|[msd])"
_NEGATION = rf"n{_APOSTROPHE_WIDE}t"
_NUM = r"(?:\d*(?:[.,]\d+)+|\d+(?:[.:,\u00ad\u066b\u066c]\d+)*)"
_NUMBER = rf"[-+]?{_NUM}"
_ELISION = rf"(?-i:[dDoOlL]){_APOSTROPHE_WIDE}{_ALNUM}"
_HYPHEN = r"[-_\u058a\u2010\u2011]"
_ACRONYM = r"[a-z](?:\.[a-z])+"
_SPACE = r"[ \t\u00a0\u2000-\u200a\u3000\r\n\u2028\u2029\x0b\x0c\x85]"

# Words whose apostrophe is inside. Letter classes here are sensitive to case, on purpose.
_INNER_APOSTROPHE = "|".join(
    (
        rf"{_APOSTROPHE}n{_APOSTROPHE}?",
        rf"[ldj]{_APOSTROPHE}",
        rf"(?:dunkin|somethin|ol){_APOSTROPHE}",
        rf"{_APOSTROPHE}(?:em|till?|cause|[2-9]0s)",
        rf"(?-i:[A-HJ-XZn]){_APOSTROPHE_WIDE}{_LETTER}{{2,}}",
        rf"{_LETTER}+(?-i:[aeiouyAEIOUY]){_APOSTROPHE_WIDE}(?-i:[aeiouA-Z]){_LETTER}*",
        r"'twas|nor'easter|c'mon|e'er|s'mores|ev'ry|li'l|nat'l|cont'd\.?",
        rf"cap{_APOSTROPHE}n|c{_APOSTROPHE}est",
    )
)

# (rule, context it must be followed by). The order decides between equally long matches.
_GRAMMAR: tuple[tuple[str, str], ...] = (
    (r"can", r"not"),
    (r"gon|got", r"(?:na|ta)"),
    (r"lem|gim", r"me"),
    (r"wan", r"na"),
    (r"</?[a-z!?][^>\r\n]*>", ""),
    (r"&(?:md|mdash|ndash);|[\u0096\u0097\u2013-\u2015]", ""),
    (r"&(?:amp|quot|lt|gt|nbsp);", ""),
    (_WORD, _CLITIC),
    (r"[a-z\u00ad]*(?-i:[A-MO-Za-mo-z])\u00ad*", _NEGATION),
    (_WORD, ""),
    (_INNER_APOSTROPHE, ""),
    (rf"y{_APOSTROPHE}", _LETTER),
    (r"(?:https?|ftp)://[^\s\"<>|()]+[^\s\"<>|.!?(){},-]", ""),
    (
        r"(?:www\.(?:[^\s\"<>|.!?(){},]+\.)+[a-z]{2,4}|(?:[^\s\"`'<>|.!?(){},_$-]+\.)+"
        r"(?:com|net|org|edu))(?:/[^\s\"<>|()]+[^\s\"<>|.!?(){},-])?",
        "",
    ),
    (r"[a-z0-9][^\s\"<>|()]*@(?:[^\s\"<>|().]+\.)*[^\s\"<>|().]+", ""),
    (rf"@[a-z_][a-z_0-9]*|\#{_LETTER}+", ""),
    (_CLITIC, r"[^a-z]"),
    (_NEGATION, r"[^a-z]"),
    (r"\d{1,2}[-/]\d{1,2}[-/]\d{2,4}", ""),
    (_NUMBER, ""),
    (r"[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+", ""),
    (r"[\u208a\u208b]?[\u2080-\u2089]+", ""),
    (r"(?:\d{1,4}[- \u00a0])?\d{1,4}(?:\\?/|\u2044)\d{1,4}", ""),
    (r"[\u00bc-\u00be\u2153-\u215e]", ""),
    (r"pro-|anti-|s(?:&amp;|&)p-500", ""),
    (r"[a-z0-9]+(?:-[a-z]+){0,2}(?:\\?/[a-z0-9]+(?:-[a-z]+){0,2}){1,2}", ""),
    (r"(?-i:[A-Z])*\$|\#", ""),
    (r"[\u00a2-\u00a5\u0080\u20a0\u20a4\u20aa\u20ac\u20b9\u0e3f]", ""),
    (_ACRONYM, ""),
    (r"\(\d{2,3}\)[ \u00a0]?\d{3,4}[- \u00a0]?\d{3,5}", ""),
    (r"[a-z0-9][a-z0-9.,\u00ad]*(?:-(?:[a-z0-9\u00ad]+|" + _ACRONYM + r"\.))+", ""),
    (
        rf"(?:{_ELISION})?(?:{_ALNUM}+|{_NUMBER})"
        rf"(?:{_HYPHEN}(?:{_ELISION})?(?:{_ALNUM}+|{_NUM}))*",
        "",
    ),
    (r"(?-i:[A-Z]+(?:(?:&amp;|[+&])[A-Z]+)+)", ""),
)
_RULES = [
    (re.compile(rf"(?P<token>{rule})(?P<context>{context})", re.IGNORECASE))
    for rule, context in _GRAMMAR
]

# Most of a question: a plain word, then a space or the final question mark.
_PLAIN = re.compile(r"[A-Za-z]+(?=[?,]?[ \n])")
_SPLIT_WORDS = {"cannot", "gonna", "gotta", "lemme", "gimme", "wanna"}

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
        **dict.fromkeys("\u0096\u0097\u2013\u2014\u2015", "--"),
        **dict.fromkeys("\u0091\u0092\u2018\u2019\u201a\u201b\u2039\u203a\u00b4", "'"),
        **dict.fromkeys("\u0093\u0094\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        "\u2026": "...",
        **dict.fromkeys("\u0080\u00a4\u20a0\u20ac", "$"),
        "\u00a2": "cents",
        "\u00a3": "#",
        "\u00bc": "1/4",
        "\u00bd": "1/2",
        "\u00be": "3/4",
        "\u2153": "1/3",
        "\u2154": "2/3",
        "\u00ad": "",
    }
)
_ENTITIES = {"&amp;": "&", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&nbsp;": ""}
# Symbols that stay, each as a token of its own; any other unknown character is dropped.
_SYMBOL = re.compile(
    "[\u00a1\u00a7\u00a8\u00a9\u00ac\u00ae-\u00b3\u00b5-\u00ba\u00bf\u00d7\u00f7\u0387\u2016\u2017"
    "\u2020-\u2025\u2030-\u2038\u203b\u203c\u203e-\u2044\u207a-\u207f\u208a-\u208e\u2100-\u214f"
    "\u2190-\u2bff\u3001-\u3006\u3008-\u3020\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40"
    "\uff5b-\uff65]"
)


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, token) for each token of the text, in code points of the text.

    Tokens are lower-cased and rewritten (brackets to ``-lrb-``, dashes to ``--``), punctuation
    included. A token can be empty where only a soft hyphen stood.
    """
    line = text + "\n"  # the official scorer wrote one question per line, so a newline follows
    position, end = 0, len(text)
    while position < end:
        if line[position].isspace():
            position += 1
            continue
        stop = _longest(line, position)
        if stop > position:
            yield position, min(stop, end), _rewrite(line[position:stop])
            position = stop
            continue
        character = line[position]
        if character in _BRACKETS:
            yield position, position + 1, _BRACKETS[character]
        elif character.isascii() and character.isprintable():
            yield position, position + 1, character
        elif character != (rewritten := character.translate(_REWRITES)):
            yield position, position + 1, rewritten
        elif _SYMBOL.match(character):
            yield position, position + 1, character.lower()
        position += 1


def _longest(line: str, position: int) -> int:
    """Return where the token at this position ends; the position itself where no rule fits."""
    plain = _PLAIN.match(line, position)
    if plain and plain[0].lower() not in _SPLIT_WORDS:
        return plain.end()
    reach, stop = position, position
    for rule in _RULES:
        found = rule.match(line, position)
        if found and found.end() > reach:
            reach, stop = found.end(), found.end("token")
    return stop


def _rewrite(token: str) -> str:
    token = _ENTITIES.get(token.lower(), token)
    return token.translate(_REWRITES).replace("(", "-lrb-").replace(")", "-rrb-").lower()
