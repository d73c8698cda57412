from hypothesis import given
from hypothesis import strategies as st

from wikipedia.extract import PASSAGE_WORDS, extract, passages


def test_lead_sections_and_text():
    found = extract(
        "<body><h1>Lund</h1><table class='infobox'><tr><th>Mayor</th><td>Ida</td></tr></table>"
        "<p>Lund is a <b>town</b>.<sup class='reference'>[1]</sup></p>"
        "<h2>Trade<span class='mw-editsection'>[edit]</span></h2><p>It sells salt.</p>"
        "<ul><li>salt</li><li>rope</li></ul>"
        "<h2>References</h2><ol class='references'><li>A book</li></ol>"
        "<table class='navbox'><tr><td>Other towns</td></tr></table></body>",
        "Lund",
    )
    assert found.lead == "Lund is a town."
    assert [(s.title, s.text) for s in found.sections] == [
        ("", "Lund is a town. Mayor; Ida;"),
        ("Trade", "Trade. It sells salt. salt; rope;"),
    ]
    assert found.passages == ("Lund is a town. Mayor; Ida; Trade. It sells salt. salt; rope;",)
    for dropped in ("[1]", "edit", "A book", "Other towns"):
        assert dropped not in found.text


def test_hidden_text_and_scripts_are_not_text():
    found = extract(
        "<p>Seen<span style='display: none'>unseen</span><script>var x</script></p>", "T"
    )
    assert found.text == "Seen"


def test_passages_end_with_sentences_where_they_can():
    sentence = " ".join(["word"] * 29) + " end."
    cut = list(passages([" ".join([sentence] * 7)]))
    assert [len(p.split()) for p in cut] == [90, 90, 30]
    assert all(p.endswith("end.") for p in cut)


def test_nothing_in_nothing_out():
    for html in ("", "<html></html>", "<p> </p>", "<!-- -->", "\x00"):
        assert extract(html, "Empty").passages == ()


@given(st.lists(st.text(max_size=400), max_size=12))
def test_passages_lose_no_word_and_are_never_too_long(texts):
    cut = list(passages(texts))
    assert " ".join(cut).split() == " ".join(texts).split()
    assert all(0 < len(p.split()) <= PASSAGE_WORDS for p in cut)
