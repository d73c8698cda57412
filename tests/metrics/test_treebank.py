"""The official tokeniser's cuts, and what holds for any text."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from metrics import text, treebank
from metrics.text import normalise_text, tokenise_words

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=60)
PIECES = st.lists(
    st.sampled_from(
        [
            *("cannot", "gonna", "'tis", "(212)", "555", "1212", "1/2", ".", "<b", "x='y'>", "’90"),
            *("R&amp;B", "C#", "Jr.ª", "...", "6ft", "a@b.c", "http://a.b/c?", "U.S.", "e.g."),
            *("don't", "O'Brien", "½", "“a”", "–", "\u2028", "\x85", "\xa0", "Σ", "İ", "\ud800"),
            *(":o)", "2012.jpg"),
        ]
    ),
    max_size=8,
).map(" ".join)

# Each as the original tokeniser cuts it; tokens that normalisation deletes are left out.
CUTS = [
    ("J.R.R. Tolkien's 25th", "jrr tolkien s 25th"),
    ("Who shot J.R.1st", "who shot jr 1st"),
    ("class of ’90 ", "class of ’90"),
    ("12:30pm or 1.5m", "1230 pm or 15 m"),
    ("R&amp;B and r&amp;b", "rb and r b"),
    ("'tis 'twas cannot gonna", "t is t was can not gon na"),
    ("photo 2012.jpg, 2012.foo", "photo 2012jpg 2012 foo"),
    ("in C# or C++", "in c or c"),
    ("'new' 'not'", "new not"),
    ("+394421-1045903", "394421 1045903"),
    (".30-06 1.5-2", "30 06 152"),
    ("[a.com] (a)", "lsb acom rsb lrb rrb"),
    ("Ra’ad O’Hara-Smith d’Arc", "ra’ad o’harasmith d’arc"),
    ("it’s can’t can`t", "it s ca nt ca nt"),
    ("₹5 €5 £5 ¢", "5 5 5 cents"),
    ("²x m²/s H₂O", "² x m ² s h ₂ o"),
    ("call (212) 555-1212x", "call lrb212rrb 5551212 x"),
    (":o) (^_^) :D-x", "orrb lrbrrb d x"),
    ("Inc.X St.X Co.txt", "inc x stx cotxt"),
    ("1---2-3 ...6ft @@T1", "1 23 6ft t1"),
    ("<b class='x'>y</b> <3 <é>", "b classx y b 3 é"),
    ("Ⅳ ① ✓ ‚a‟", "① ✓ ‚ ‟"),
    ("עִבְרִית हिन्दी русский 中文。", "עִבְרִית हिन्दी русский 中文 。"),
    ("𝒜x 😀y", "x y"),
    ("caf&eacute; &#39; &nbsp;x", "cafeacute 39 x"),
    ("Sino-U.S. a-U.S", "sinous au s"),
]


@pytest.mark.parametrize(("question", "words"), CUTS)
def test_cuts(question, words):
    assert " ".join(tokenise_words(question)) == words


@given(ANY_TEXT | PIECES)
@example("1 1/2x")
@example(". . . .")
@example("a <b c> d")
def test_cutting_part_by_part_changes_nothing(question):
    whole = normalise_text(" ".join(token for _, _, token in treebank.list_token_spans(question)))
    assert tokenise_words(question) == whole.split()


@given(ANY_TEXT | PIECES)
def test_spans_follow_each_other_inside_the_text(question):
    before = 0
    for start, end, token in treebank.list_token_spans(question):
        assert before <= start < end <= len(question)
        assert question[start:end].strip()
        assert token
        before = end


@given(ANY_TEXT)
def test_a_text_without_tokens_holds_no_ascii_letter_or_digit(question):
    if not list(treebank.list_token_spans(question)):
        assert not any(character.isascii() and character.isalnum() for character in question)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\n", "\r\n"])
@given(first=PIECES, second=PIECES)
def test_separators_are_white_space(separator, first, second):
    assert tokenise_words(first + separator + second) == tokenise_words(first) + tokenise_words(
        second
    )


def test_words_are_kept_within_bounds():
    assert text._parts.bound == 65_536
    memo = text.Memo(str.upper, bound=2)
    assert [memo[word] for word in ("a", "b", "c", "a")] == ["A", "B", "C", "A"]
    assert len(memo) == 2
    assert treebank._rules.cache_info().maxsize == 4096


@given(st.text(max_size=30) | st.text(st.characters(min_codepoint=1, max_codepoint=255)))
@example("C# can't pay $1.5 to O'Neil's (U.S.) co. at http://a.b/c.d?")
@example("S&L's pro-life c.d.s 3/4 :-) n't")
@example("Éireann’s 1⁄4 of 66°33′48.0″ – III–VI, \u200bТоруń you’re l’été")
def test_rules_without_the_long_sets_match_the_same(question):
    assume(treebank._is_common(question))
    line = question + "\n"
    for place, character in enumerate(question):
        whole, narrow = treebank._rules(character, False), treebank._rules(character, True)
        for (rule, how), (short, same) in zip(whole, narrow, strict=True):
            found, again = rule.match(line, place), short.match(line, place)
            assert how == same
            assert (found and found.span(1)) == (again and again.span(1))
            assert (found and found.end()) == (again and again.end())


@given(st.from_regex(r"[A-Za-z0-9]{1,8}[?.,]?", fullmatch=True))
def test_plain_words_need_no_rule(word):
    cut = " ".join(token for _, _, token in treebank.list_token_spans(word))
    assert tokenise_words(word) == normalise_text(cut).split()
