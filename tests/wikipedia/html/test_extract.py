from wikipedia.html.extract import extract_article


def test_lead_sections_and_text():
    found = extract_article(
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
    found = extract_article(
        "<p>Seen<span style='display: none'>unseen</span><script>var x</script></p>", "T"
    )
    assert found.text == "Seen"


def test_nothing_in_nothing_out():
    for html in ("", "<html></html>", "<p> </p>", "<!-- -->", "\x00"):
        assert extract_article(html, "Empty").passages == ()
