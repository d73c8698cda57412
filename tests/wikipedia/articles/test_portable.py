"""Articles for files that leave Ambit: text with its headings, HTML that needs nothing of ours."""

import pytest

from tests import factories
from tests.factories import make_shown
from wikipedia.articles import stored_articles
from wikipedia.articles.portable import portable_pages
from wikipedia.models import ShownPage

pytestmark = pytest.mark.django_db

HTML = """<p>The <a href="./Tunnel">tunnel</a> opened in <b>1843</b>.<sup class="reference"><a
href="#cite_note-1">[1]</a></sup></p>
<img src="//upload.wikimedia.org/a.png" alt='a > b "c" &lt;img&gt;'>
<h2>History</h2><p>It was dug.</p><h3>Floods</h3><ul><li>One in 1827</li><li>One in 1828</li></ul>
<table><tr><th>Length</th><td>396 m</td></tr></table>
<p><a href="https://example.org/x?a=1&amp;b=2">Elsewhere</a></p>"""

PAGE = {"title": "Thames <Tunnel>", "html": HTML, "hosts": ("upload.wikimedia.org",)}


@pytest.fixture
def snapshot():
    return factories.make_snapshot("live", kind="live", address="http://127.0.0.1:9/w/api.php")


def test_text_marks_headings_and_lists(snapshot):
    kept = make_shown(snapshot, **PAGE)
    page = portable_pages([kept.pk])[kept.pk]
    assert page.text == (
        "# Thames <Tunnel>\n"
        "The tunnel opened in 1843.\n\n"
        "## History\n\n"
        "It was dug.\n\n"
        "### Floods\n\n"
        "* One in 1827\n"
        "* One in 1828\n"
        "Length\n"
        "396 m\n"
        "Elsewhere"
    )


def test_html_has_no_pictures_and_no_address_of_ours(snapshot):
    kept = make_shown(snapshot, **PAGE)
    assert "<img" in stored_articles.html_of(kept)
    page = portable_pages([kept.pk])[kept.pk]
    assert page.html.startswith("<h1>Thames &lt;Tunnel&gt;</h1>\n")
    assert "<img" not in page.html
    assert 'b "c"' not in page.html
    assert stored_articles.PAGES not in page.html
    assert stored_articles.FILES not in page.html
    assert "tunnel</a> opened" in page.html
    assert ">History</h2>" in page.html
    assert ">Floods</h3>" in page.html
    assert "https://example.org/x?a=1&amp;b=2" in page.html
    assert (page.rev_id, page.url) == (kept.rev_id, kept.url)


def test_damaged_and_bare_pages_are_left_out(snapshot):
    whole, damaged, bare = (make_shown(snapshot, title) for title in "ABC")
    ShownPage.objects.filter(pk=damaged.pk).update(html=b"x")
    ShownPage.objects.filter(pk=bare.pk).update(html=None, html_sha256="")
    assert list(portable_pages([whole.pk, damaged.pk, bare.pk])) == [whole.pk]
