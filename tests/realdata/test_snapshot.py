"""The real 2015 snapshot around Ray Charles: an archive of the old layout, indexed and shown."""

import re
from html.parser import HTMLParser

import pytest

from wikipedia.archives.zim import open_archive
from wikipedia.articles.reader import render_article
from wikipedia.html.sanitise import TEXT_TAGS
from wikipedia.quotes.locating import find_on_page, locate_selection

pytestmark = pytest.mark.realdata
VOID = {"img", "br", "hr", "wbr"}


@pytest.fixture(scope="module")
def file(request):
    from tests.conftest import REALDATA

    path = REALDATA / "wikipedia" / "wikipedia_en_ray_charles_2015-06.zim"
    if not path.is_file():
        pytest.skip(f"the Ray Charles snapshot is not at {path}; set AMBIT_REALDATA")
    return path


@pytest.fixture
def ray(db, settings, tmp_path, file, now):
    from wikipedia.providers.registry import forget_providers
    from wikipedia.snapshots import services as snapshots_services

    settings.AMBIT_DATA = tmp_path
    forget_providers()
    made = snapshots_services.create_snapshot(name="ray", archive=file, now=now)
    return snapshots_services.index_snapshot(snapshot=made)


class Structure(HTMLParser):
    """What axe and a browser care about, without a browser."""

    def __init__(self):
        super().__init__()
        self.stack, self.ids, self.levels, self.targets, self.pictures = [], [], [], [], 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert tag in TEXT_TAGS
        assert not any(name == "style" or name.startswith("on") for name in attrs)
        parent = self.stack[-1] if self.stack else ""
        if tag == "li":
            assert parent in ("ul", "ol")
        if parent in ("ul", "ol"):
            assert tag == "li"
        if tag in ("dt", "dd"):
            assert parent == "dl"
        if tag in ("td", "th"):
            assert parent == "tr"
        if tag == "table" and "infobox" not in attrs.get("class", "") and "table" not in self.stack:
            assert parent == "div"
        if tag == "img":
            self.pictures += 1
            assert attrs["src"].startswith("/files/I/")
            assert "alt" in attrs
            assert attrs["loading"] == "lazy"
        if tag == "a":
            assert attrs["href"]
            if attrs["href"].startswith("#"):
                self.targets.append(attrs["href"][1:])
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.stack.pop() == tag


def test_all_85_articles_are_shown_soundly(ray, file):
    from wikipedia.providers.registry import provider_for

    provider, pictures, seen = provider_for(ray), set(), 0
    for raw in open_archive(file).iterate_articles():
        page = provider.load_page(raw.path)
        article = render_article(
            page,
            page_url=lambda p: f"/read/{p}",
            asset_url=lambda p: pictures.add(p) or f"/files/{p}",
        )
        structure = Structure()
        structure.feed(article.html)
        structure.close()
        assert structure.stack == [], raw.title
        assert len(structure.ids) == len(set(structure.ids)), raw.title
        previous = 2
        for level in structure.levels:
            assert 2 <= level <= previous + 1, raw.title
            previous = level
        assert "issued from" not in article.text
        if raw.title != "Summary":
            assert page.rev_id, raw.title
            assert 2005 < page.rev_timestamp.year < 2016
            assert f"oldid={page.rev_id}" in page.url
            assert len(article.text) > 200, raw.title
        seen += 1
    assert seen == 85
    assert len(pictures) > 100
    for path in pictures:
        assert provider.load_asset(path).content_type.startswith("image/")


def test_the_article_on_ray_charles(ray):
    from wikipedia.providers.registry import provider_for

    page = provider_for(ray).load_page("Ray Charles")
    article = render_article(
        page, page_url=lambda p: f"/read/{p}", asset_url=lambda p: f"/files/{p}"
    )
    assert page.rev_id == 664852951
    assert page.rev_timestamp.date().isoformat() == "2015-05-31"
    assert "/read/A/Quincy_Jones.html" in article.html
    assert "Awards and honors" in [heading.text for heading in article.outline]
    assert find_on_page(article.text, "september 23, 1930")
    at = locate_selection(article, "Charles was blind from the age of seven")
    assert article.block_at(at.start).kind == "paragraph"
    box = locate_selection(article, "Ray Charles Robinson")
    assert article.block_at(box.start).kind == "infobox"
    assert ray.articles == 85


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("who wrote Georgia on My Mind?", "Georgia on My Mind"),
        ("when was ray charles born", "Ray Charles"),
        ("What'd I say drums", "What'd I Say"),
        ("who directed the film The Blues Brothers", "The Blues Brothers (film)"),
        ("Hicky Burr", "Quincy Jones"),
        ("who sang hit the road jack with ray charles", "Hit the Road Jack"),
        ("where did quincy jones grow up", "Quincy Jones"),
        ("Jones, Quincy", "Quincy Jones"),
    ],
)
def test_questions_find_their_articles(ray, question, title):
    from wikipedia.providers.registry import provider_for

    hits = provider_for(ray).search(question).hits
    assert title in [hit.title for hit in hits[:2]]
    assert all(hit.snippet for hit in hits)


def test_a_truncated_copy_is_refused(file, tmp_path):
    from wikipedia.archives.zim import ArchiveError

    cut = tmp_path / "cut.zim"
    cut.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(ArchiveError, match="download it again"):
        open_archive(cut)
