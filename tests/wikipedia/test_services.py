import dataclasses
import datetime as dt
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.utils.html import strip_tags

from tests import factories
from tests.wikipedia.archives.zims import write_zim
from wikipedia.archives.zim import ArchiveError
from wikipedia.articles.reader import render_article
from wikipedia.articles.services import record_shown_page
from wikipedia.html.page import PageMissing
from wikipedia.models import Quote, ShownPage, Snapshot
from wikipedia.providers import zim as zim_provider
from wikipedia.providers.base import Provider, ProviderUnavailable
from wikipedia.providers.registry import forget_providers, provider_for
from wikipedia.quotes.services import QuoteRefused, save_quote
from wikipedia.search.index import IndexBusy
from wikipedia.snapshots import queries as snapshots_queries
from wikipedia.snapshots import services as snapshots_services


def shown(snapshot, path):
    page = provider_for(snapshot).load_page(path)
    return page, render_article(page, page_url=lambda p: f"/r/{p}", asset_url=lambda p: f"/f/{p}")


def test_a_snapshot_knows_its_archive(snapshot):
    assert snapshot.state == Snapshot.State.READY
    assert (snapshot.title, snapshot.language) == ("Lund, 2 January 2024", "en")
    assert snapshot.as_of == dt.date(2024, 1, 2)
    assert (snapshot.articles, snapshot.passages) == (3, 3)
    assert snapshots_queries.index_problem(snapshot) is None
    assert snapshots_queries.index_problems() == {}


def test_making_it_again_changes_nothing(snapshot, zim, now):
    again = snapshots_services.create_snapshot(name="lund", archive=zim, now=now)
    snapshots_services.index_snapshot(snapshot=again)
    assert again.pk == snapshot.pk
    assert Snapshot.objects.count() == 1


@pytest.mark.parametrize("name", ["", "Has Space", "../up", "a/b", "x" * 61, "UPPER"])
def test_names_are_slugs(db, data_dir, zim, now, name):
    with pytest.raises(
        snapshots_services.SnapshotRefused, match="is not a valid name for a snapshot"
    ):
        snapshots_services.create_snapshot(name=name, archive=zim, now=now)


def test_a_name_with_quotes_never_means_another_wikipedia(snapshot, ann, now, tmp_path):
    other = write_zim(tmp_path / "other.zim")
    save_quote(
        snapshot=snapshot, path="Ferry_of_Lund", exact="every hour", made_by="selection", by=ann,
        now=now,
    )  # fmt: skip
    with pytest.raises(snapshots_services.SnapshotRefused, match="Choose a new name"):
        snapshots_services.create_snapshot(name="lund", archive=other, now=now)
    moved = tmp_path / "moved.zim"
    moved.write_bytes(Path(snapshot.archive).read_bytes())
    assert snapshots_services.create_snapshot(name="lund", archive=moved, now=now).archive == str(
        moved
    )


def test_a_failed_index_is_kept_on_the_snapshot(db, data_dir, tmp_path, now):
    path = write_zim(tmp_path / "empty.zim", articles={}, redirects=())
    made = snapshots_services.create_snapshot(name="empty", archive=path, now=now)
    assert "still being indexed" in snapshots_queries.index_problem(made)
    start = path.read_bytes()[:200]
    path.unlink()  # a new file, as the old one may still be open
    path.write_bytes(start)
    with pytest.raises(ArchiveError):
        snapshots_services.index_snapshot(snapshot=made)
    made.refresh_from_db()
    assert made.state == Snapshot.State.FAILED
    assert "empty.zim" in snapshots_queries.index_problem(made)
    assert snapshots_queries.index_problems() == {}


def test_health_names_what_is_missing(snapshot, data_dir):
    (data_dir / "index" / "lund" / "current.json").unlink()
    assert "no search index" in snapshots_queries.index_problems()["lund"]
    Snapshot.objects.update(archive="/nowhere/x.zim")
    assert "/nowhere/x.zim" in snapshots_queries.index_problems()["lund"]


def test_an_index_of_another_version_comes_with_the_command_that_builds_it_again(
    snapshot, data_dir, zim
):
    assert (snapshots_queries.outdated_indexes(), snapshots_queries.index_advice(snapshot)) == (
        [],
        None,
    )
    pointer = data_dir / "index" / "lund" / "current.json"
    pointer.write_text(pointer.read_text().replace('"format": 3', '"format": 2'))
    assert snapshots_queries.outdated_indexes() == ["lund"]
    assert f"manage.py index_wikipedia {zim} --name lund" in snapshots_queries.index_advice(
        snapshot
    )
    assert snapshots_queries.index_problem(snapshot) is None, "it is still searched"


def test_the_provider_keeps_the_contract(snapshot):
    provider = provider_for(snapshot)
    assert isinstance(provider, Provider)
    assert provider is provider_for(snapshot)
    assert provider.search("harbour").hits[0].path == "Harbour_of_Lund"
    page = provider.load_page("Ferryboat")
    assert (page.path, page.title, page.redirect_from) == (
        "Ferry_of_Lund",
        "Ferry of Lund",
        "Ferryboat",
    )
    assert page.url == "https://en.wikipedia.org/wiki/Ferry_of_Lund"
    assert provider.load_asset("_assets_/boat.png").content_type == "image/png"


def test_what_is_not_there(snapshot):
    provider = provider_for(snapshot)
    for path in ("Nowhere", "", "../x", "_assets_/boat.png", "x" * 5_000):
        with pytest.raises(PageMissing, match="Lund"):
            provider.load_page(path)
    for path in ("nothing.png", "Ferry_of_Lund"):
        with pytest.raises(PageMissing):
            provider.load_asset(path)


def test_a_lost_archive_is_unavailable_not_a_crash(snapshot):
    Snapshot.objects.update(archive="/nowhere/x.zim")
    snapshot.refresh_from_db()
    provider = provider_for(snapshot)
    with pytest.raises(ProviderUnavailable, match="Tell the person who runs Ambit"):
        provider.load_page("Ferry_of_Lund")
    Snapshot.objects.update(kind="live", address="https://w.test/api.php", archive="")
    snapshot.refresh_from_db()
    snapshot.kind = "google"
    with pytest.raises(ProviderUnavailable, match="cannot read"):
        provider_for(snapshot)
    forget_providers()


def test_a_quote_keeps_its_provenance(snapshot, ann, now):
    quote = save_quote(
        snapshot=snapshot, path="Ferryboat", exact="Boats  leave at\nnoon", prefix="Timetable ",
        made_by=Quote.MadeBy.SELECTION, by=ann, now=now,
    )  # fmt: skip
    assert quote.exact == "Boats leave at noon"
    assert (quote.section_path, quote.section_anchor) == (["Timetable"], "w-Timetable")
    assert quote.block_kind == "paragraph"
    assert quote.page.path == "Ferry_of_Lund"
    assert quote.page.text[quote.start : quote.end] == quote.exact
    assert quote.page.text[: quote.start].endswith(quote.prefix)
    assert quote.page.text[quote.end :].startswith(quote.suffix)
    assert quote.created_by == ann


def test_pages_are_kept_once_per_content(snapshot, ann, now):
    for exact in ("noon", "small passenger ferry"):
        save_quote(
            snapshot=snapshot, path="Ferry_of_Lund", exact=exact, made_by="paste", by=ann, now=now
        )
    page, article = shown(snapshot, "Ferry_of_Lund")
    record_shown_page(snapshot=snapshot, page=page, article=article)
    assert ShownPage.objects.count() == 1
    assert ShownPage.objects.get().text == article.text


@pytest.mark.parametrize(
    ("exact", "says"),
    [
        ("", "Nothing is selected"),
        (" \n", "Nothing is selected"),
        ("Boats leave at midnight", "is not in the text of “Ferry of Lund”"),
        ("x" * 20_001, "longer than"),
        ("noon\x00", "is not in the text"),
    ],
)
def test_words_that_are_not_there_are_refused(snapshot, ann, now, exact, says):
    with pytest.raises(QuoteRefused, match=says):
        save_quote(
            snapshot=snapshot, path="Ferry_of_Lund", exact=exact, made_by="typed", by=ann, now=now
        )
    assert not Quote.objects.exists()


def test_the_database_refuses_nonsense(snapshot, ann, now):
    quote = save_quote(
        snapshot=snapshot, path="Ferry_of_Lund", exact="noon", made_by="typed", by=ann, now=now
    )
    for change in ({"exact": ""}, {"start": 9, "end": 9}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Quote.objects.filter(pk=quote.pk).update(**change)


def test_the_article_fragment_attributes(snapshot):
    page, article = shown(snapshot, "Ferryboat")
    html = render_to_string(
        "wikipedia/articles/_article.html",
        {"article": article, "source": page, "snapshot": snapshot},
    )
    assert '<h2 id="article-title" tabindex="-1">Ferry of Lund</h2>' in html
    assert 'href="#w-Timetable"' in html
    assert "as in the archive of 2 January 2024" in html
    assert 'href="https://en.wikipedia.org/wiki/Ferry_of_Lund"' in html
    assert "CC BY-SA" in html
    assert 'src="/f/_assets_/boat.png"' in html
    assert 'href="/r/Harbour_of_Lund#w-History"' in html
    assert "style=" not in html


def test_the_results_fragment(snapshot):
    provider = provider_for(snapshot)
    found = provider.search("ferry boat")
    rows = [{"hit": hit, "url": f"/read/{hit.path}"} for hit in found.hits]
    html = render_to_string(
        "wikipedia/search/_results.html",
        {"results": found, "rows": rows, "next_url": "/s?offset=10", "previous_url": ""},
    )
    assert 'href="/read/Ferry_of_Lund"' in html
    assert "also called Ferry boat" in html
    assert "<b>ferry</b>" in html
    assert "Next 10" in html
    empty = render_to_string(
        "wikipedia/search/_results.html", {"results": provider.search("<i>xyzzy"), "rows": []}
    )
    assert "Nothing for “&lt;i&gt;xyzzy”. Remove words, or try the title." in empty


def test_factories_make_snapshots_without_archives(db, data_dir):
    made = factories.make_snapshot()
    assert "missing.zim" in snapshots_queries.index_problem(made)


@pytest.mark.parametrize(
    ("footer", "revision", "day"),
    [
        ('<a title="last edited on 2023-11-05" href="/?t=T&amp;oldid=77">', 77, "2023-11-05"),
        ("<a href='/T?oldid=5'>W</a> - version of the Sunday, May 31, 2015.", 5, "2015-05-31"),
        ("version of the Sunday, Smarch 31, 2015", None, None),
        ("version of the February 31, 2015", None, None),
        ("last edited on 2023-13-45", None, None),
        # As the mobile archives of 2020 sign; and the same in another language.
        (
            'issued from <a class="external text" title="Last edited on 2020-03-26" '
            'href="https://en.wikipedia.org/wiki/?title=T&amp;oldid=947402059">Wikipedia</a>.',
            947402059,
            "2020-03-26",
        ),
        ('<a href="/?t=T&oldid=8" title="Zuletzt bearbeitet am 2020-03-26">', 8, "2020-03-26"),
        # The date in an address is that of another thing, and only the last link is the maker's.
        ('<a title="T" href="/w/2019-01-01?oldid=9">', 9, None),
        ('<a title="on 2001-01-01" href="/T?oldid=1">x</a><a href="/T?oldid=2">y</a>', 2, None),
        ("", None, None),
    ],
)  # fmt: skip
def test_revisions_are_read_from_the_makers_footer(footer, revision, day):
    found, edited = zim_provider._revision("<p>text</p>" * 1_000 + footer)
    assert found == revision
    assert (edited.date().isoformat() if edited else None) == day


def test_a_live_wiki_needs_no_index(db, settings):
    settings.WIKI_USER_AGENT = "BridgeStudy/1.0 (bridges@example.org)"
    live = factories.make_snapshot(kind="live", archive="", address="https://w.test/api.php")
    assert snapshots_queries.index_problem(live) is None
    assert snapshots_queries.snapshot_named(live.name) == live
    assert snapshots_queries.snapshot_named("nobody") is None


def test_an_archive_does_not_take_the_name_of_a_live_wiki(db, data_dir, zim, now):
    factories.make_snapshot(name="live", kind="live", archive="", address="https://w.test/api.php")
    with pytest.raises(snapshots_services.SnapshotRefused, match="name of a live Wikipedia"):
        snapshots_services.create_snapshot(name="live", archive=zim, now=now)


def test_a_second_build_leaves_the_first_ones_state_alone(db, data_dir, zim, now, monkeypatch):
    snapshot = snapshots_services.create_snapshot(name="twice", archive=zim, now=now)

    def busy(*args, **kwargs):
        raise IndexBusy("Another process is building the index. Wait until it is done.")

    monkeypatch.setattr(snapshots_services, "build_index", busy)
    with pytest.raises(IndexBusy, match="Another process"):
        snapshots_services.index_snapshot(snapshot=snapshot)
    snapshot.refresh_from_db()
    assert (snapshot.state, snapshot.problem) == ("indexing", "")


FOOTER = (
    '<p>A page.</p><div>This article is issued from <a title="{}" '
    'href="https://en.wikipedia.org/wiki/?title=T&amp;oldid={}">Wikipedia</a>.</div>'
)
EDITED = FOOTER.format("Last edited on 2019-03-22", 889028167)


def test_a_date_nobody_gave_is_not_kept(db, data_dir, tmp_path, ann, now):
    pages = {"Dated": ("Dated", EDITED), "Undated": ("Undated", FOOTER.format("", 77))}
    archive = write_zim(tmp_path / "old.zim", pages, ())
    snapshot = snapshots_services.create_snapshot(name="old", archive=archive, now=now)
    for path, revision, day in (
        ("Dated", 889028167, dt.datetime(2019, 3, 22, tzinfo=dt.UTC)),
        ("Undated", 77, None),
    ):
        quote = save_quote(
            snapshot=snapshot, path=path, exact="A page.", made_by="selection", by=ann, now=now
        )
        assert (quote.page.rev_id, quote.page.rev_timestamp) == (revision, day)


@pytest.mark.parametrize(
    ("revision", "day", "above", "below"),
    [
        (5, dt.datetime(2015, 5, 31, tzinfo=dt.UTC), "Revision 5 of 31 May 2015",
         "revision 5 of 31 May 2015, Wikipedia"),
        (5, None, "Revision 5", "revision 5 in the archive of 2 January 2024, Wikipedia"),
        (None, None, "", "as in the archive of 2 January 2024, Wikipedia"),
        (None, dt.datetime(2015, 5, 31, tzinfo=dt.UTC), "Last edited on 31 May 2015",
         "last edited on 31 May 2015, Wikipedia"),
    ],
)  # fmt: skip
def test_the_archives_day_is_never_shown_as_the_revisions(snapshot, revision, day, above, below):
    page, article = shown(snapshot, "Ferry_of_Lund")
    page = dataclasses.replace(page, rev_id=revision, rev_timestamp=day)
    context = {"source": page, "article": article, "snapshot": snapshot}
    text = " ".join(
        strip_tags(render_to_string("wikipedia/articles/_article.html", context)).split()
    )
    head = "From Wikipedia · archive “Lund” of 2 January 2024"
    assert f"{head}{'. ' * bool(above)}{above} Contents" in text
    assert f"“Ferry of Lund”, {below} contributors" in text


@pytest.mark.parametrize(
    ("language", "way"), [("en", "ltr"), ("ar", "rtl"), ("he", "rtl"), ("fas", "rtl"), ("", "ltr")]
)
def test_an_article_is_written_as_its_language_is(snapshot, language, way):
    page, article = shown(snapshot, "Ferry_of_Lund")
    snapshot.language = language
    context = {"source": page, "article": article, "snapshot": snapshot}
    html = render_to_string("wikipedia/articles/_article.html", context)
    assert f'lang="{language}" dir="{way}"' in html
    assert html.count('lang="en" dir="ltr"') >= 2  # what Ambit says itself
