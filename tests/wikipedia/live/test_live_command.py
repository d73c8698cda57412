"""manage.py add_wiki, and what /healthz makes of a live snapshot."""

import datetime as dt
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.wikipedia.live.fake import Reply
from wikipedia.models import Snapshot
from wikipedia.snapshots.queries import index_problem, index_problems

pytestmark = pytest.mark.django_db


def add(wiki, *more, name="river-2017", day="2017-12-31", api=None):
    out, err = StringIO(), StringIO()
    call_command(
        "add_wiki",
        name,
        "--api",
        api or wiki.address,
        "--as-of",
        day,
        *more,
        stdout=out,
        stderr=err,
    )
    return out.getvalue(), err.getvalue()


def test_a_wiki_becomes_a_snapshot(wiki):
    out, err = add(wiki)
    snapshot = Snapshot.objects.get(name="river-2017")
    assert (snapshot.kind, snapshot.state) == ("live", "ready")
    assert snapshot.title == "Rivertown, 31 December 2017"
    assert (snapshot.address, snapshot.as_of) == (wiki.address, dt.date(2017, 12, 31))
    assert (snapshot.language, snapshot.licence) == ("en", "CC BY-SA")
    assert "can be read as “river-2017”" in out
    assert err == ""


def test_the_same_again_changes_nothing(wiki):
    add(wiki)
    out, _ = add(wiki, "--json", "--title", "Other")
    assert json.loads(out)["title"] == "Rivertown, 31 December 2017"
    assert json.loads(out)["search"] is True
    assert Snapshot.objects.count() == 1


def test_a_name_never_comes_to_mean_another_day(wiki):
    add(wiki)
    with pytest.raises(CommandError, match="already names Rivertown, 31 December 2017") as refused:
        add(wiki, day="2018-12-31")
    assert refused.value.returncode == 2


def test_a_wiki_whose_search_is_down_is_added_with_a_word(wiki):
    disabled = {"error": {"code": "search-text-disabled", "info": "Search is disabled."}}
    wiki.queue = [Reply(wiki._site()), Reply(disabled)]
    out, err = add(wiki)
    assert "can be read as “river-2017”" in out
    assert "Its search does not answer yet" in err
    assert "Search is disabled." in err
    assert Snapshot.objects.count() == 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"name": "Not A Name"}, "is not a valid name for a snapshot"),
        ({"day": "2999-01-01"}, "is in the future"),
        ({"day": "31.12.2017"}, "is not a date; write it as 2017-12-31"),
        ({"api": "en.wikipedia.org"}, "is not a web address"),
        ({"api": "ftp://x.test/api.php"}, "is not a web address"),
        ({"api": "http://[broken/api.php"}, "is not a web address"),
        ({"api": "http://127.0.0.1:99999/w/api.php"}, "is not a web address"),
        ({"api": "http://127.0.0.1:eighty/w/api.php"}, "is not a web address"),
        ({"api": "https://en.wikipedia.org/wiki/"}, "not the address of an api.php"),
        ({"api": "http://u:p@x.test/api.php"}, "not the address of an api.php"),
        ({"api": "https://en.wikipedia.org/w/api.php"}, "set WIKI_USER_AGENT"),
    ],
)
def test_what_cannot_be_added_is_told(wiki, settings, more, told):
    settings.WIKI_USER_AGENT = ""
    with pytest.raises(CommandError, match=told):
        add(wiki, **more)
    assert not Snapshot.objects.exists()


@pytest.mark.parametrize(
    "reply",
    [
        Reply("<html>A shop</html>", status=404, type="text/html"),
        Reply({"shop": True}),
        Reply(status=302, headers={"Location": "https://elsewhere.example/"}),
    ],
)
def test_what_is_no_wiki_is_told(wiki, naps, reply):
    wiki.queue = [reply] * 5
    with pytest.raises(CommandError) as refused:
        add(wiki)
    assert refused.value.returncode == 1
    assert not Snapshot.objects.exists()


def test_a_live_snapshot_is_usable_without_asking_the_wiki(wiki, settings):
    add(wiki)
    count = len(wiki.requests)
    assert index_problems() == {}
    assert len(wiki.requests) == count
    settings.WIKI_USER_AGENT = ""
    away = Snapshot(name="enwiki", kind="live", address="https://en.wikipedia.org/w/api.php")
    assert "set WIKI_USER_AGENT" in index_problem(away)
