"""Releases are sent to a hub and to Zenodo, here to both on loopback: what goes, again, and not."""

import io
import json
import socket

import httpx2
import huggingface_hub
import pytest
from django.core.management import CommandError, call_command

from annotation.core.refusals import Conflict
from annotation.log.sentences import build_sentence_parts
from annotation.models import AuditEntry
from tests import factories
from tests.validation.release.conftest import ambignq, record, single
from tests.validation.release.endpoints import Hub, Zenodo
from validation.release import publishing
from validation.release.publishing import parse_target

pytestmark = pytest.mark.django_db
NAMES = [
    "README.md",
    "crossings-ambignq-light.json",
    "crossings-ambignq-light.json.croissant.json",
    "crossings-ambignq-light.json.dev.table.json.gz",
    "crossings-ambignq-light.json.manifest.json",
]


@pytest.fixture
def hub(settings, monkeypatch):
    # The library reads the variable when it is first loaded, maybe in a test that set it.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    server = Hub()
    settings.HUB_URL, settings.HUB_TOKEN = server.url, server.token
    yield server
    server.close()


@pytest.fixture
def zenodo(settings):
    server = Zenodo()
    settings.ZENODO_URL, settings.ZENODO_TOKEN = server.url, server.token
    yield server
    server.close()


@pytest.fixture
def crossings(project, bring_in):
    project.slug = "crossings"
    project.save()
    bring_in(ambignq(record(1, single("1843"))))
    return project


def push(target, *args, format="ambignq-light"):
    """Run the command; return what it prints."""
    out = io.StringIO()
    call_command(
        "release", "crossings", f"--format={format}", f"--push={target}", *args, stdout=out
    )
    return out.getvalue()


def refused(target, *args, status=1):
    """Run the command, which fails; return its sentence."""
    with pytest.raises(CommandError) as failure:
        push(target, *args)
    assert failure.value.returncode == status
    return str(failure.value)


def test_all_files_of_a_release_come_to_the_hub_in_one_commit(crossings, hub):
    said = push("hub:our-lab/crossings")
    assert hub.commits == 1
    [found] = hub.repositories.values()
    assert found["visibility"] == "private"
    assert sorted(found["files"]) == NAMES
    manifest = json.loads(found["files"][NAMES[4]])
    assert manifest["counts"]["questions"] == 1
    assert json.loads(found["files"][NAMES[1]])[0]["annotations"] == [single("1843")]
    assert b"path: crossings-ambignq-light.json.dev.table.json.gz" in found["files"]["README.md"]
    assert f"{hub.url}/datasets/our-lab/crossings: 5 files sent, 0 there already." in said


def test_a_new_data_set_is_public_only_where_it_was_asked(crossings, hub):
    push("hub:our-lab/crossings", "--public")
    assert hub.repositories["our-lab/crossings"]["visibility"] == "public"


def test_sending_again_changes_nothing_and_sends_what_has_changed(crossings, hub, bring_in):
    push("hub:our-lab/crossings")
    said = push("hub:our-lab/crossings")
    assert hub.commits == 1
    assert "0 files sent, 5 there already." in said
    bring_in(ambignq(record(2, single("1869"))))
    assert "5 files sent, 0 there already." in push("hub:our-lab/crossings")
    assert hub.commits == 2


def test_what_was_not_committed_is_sent_by_the_next_try(crossings, hub):
    hub.fails["POST", "/commit/"] = 409
    said = refused("hub:our-lab/crossings")
    assert "409" in said
    assert "what has arrived is not sent twice" in said
    assert hub.repositories["our-lab/crossings"]["files"] == {}
    hub.fails.clear()
    push("hub:our-lab/crossings")
    assert sorted(hub.repositories["our-lab/crossings"]["files"]) == NAMES


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "does not accept the token in HF_TOKEN. Make a new one"),
        (403, "The token in HF_TOKEN may not write there"),
        (500, "has a problem of its own (500)"),
        (503, "has a problem of its own (503)"),
        (429, "asks to wait (429)"),
    ],
)
def test_what_a_hub_answers_is_said_in_words(crossings, hub, status, words):
    hub.fails["POST", "/api/repos/create"] = status
    hub.fails["GET", "/api/datasets"] = status
    said = refused("hub:our-lab/crossings")
    assert words in said
    assert hub.url in said
    assert hub.token not in said
    assert not AuditEntry.objects.filter(action="release_pushed").exists()


def test_a_hub_that_takes_too_long_or_is_not_there(crossings, hub, settings, monkeypatch):
    def wait(*args, **kwargs):
        raise httpx2.ReadTimeout("late")

    with monkeypatch.context() as patched:
        patched.setattr(huggingface_hub.HfApi, "create_repo", wait)
        assert "did not answer within 60 seconds" in refused("hub:our-lab/crossings")
    settings.HUB_URL = f"http://127.0.0.1:{find_closed_port()}"
    assert "cannot be reached" in refused("hub:our-lab/crossings")


def test_a_library_that_was_told_to_stay_offline_says_so(crossings, hub, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert (
        refused("hub:our-lab/crossings") == "HF_HUB_OFFLINE is set, so nothing was sent. Unset it."
    )
    assert hub.asked == []


def find_closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_dry_run_says_what_would_go_and_asks_nobody(crossings, hub, zenodo, settings):
    settings.HUB_TOKEN = ""
    said = push("hub:our-lab/crossings", "--dry-run")
    assert [line.split()[-1] for line in said.splitlines()[:-1]] == NAMES
    assert said.splitlines()[-1].startswith("5 files, ")
    assert "as the data set our-lab/crossings, private if it is new. Nothing was sent." in said
    assert "as a draft. Nothing was sent." in push("zenodo", "--dry-run")
    assert hub.asked == zenodo.asked == []
    assert not AuditEntry.objects.filter(action__startswith="release").exists()


def test_sizes_of_a_dry_run_are_those_of_the_files(crossings, hub):
    said = push("hub:our-lab/crossings", "--dry-run")
    push("hub:our-lab/crossings")
    files = hub.repositories["our-lab/crossings"]["files"]
    sizes = {line.split()[2]: int(line.split()[0].replace(",", "")) for line in
        said.splitlines()[:-1]}  # fmt: skip
    assert sizes == {name: len(content) for name, content in files.items()}


def test_a_draft_on_zenodo_has_the_files_and_is_not_published(crossings, zenodo):
    said = push("zenodo")
    [draft] = zenodo.depositions.values()
    assert sorted(draft["files"]) == NAMES
    assert draft["published"] is False
    assert "creators" not in draft["metadata"]
    assert draft["metadata"]["upload_type"] == "dataset"
    assert "ambit:crossings/ambignq-light/all" in draft["metadata"]["keywords"]
    assert ("POST", "/api/deposit/depositions/1/actions/publish") not in zenodo.asked
    assert "It is a draft: look at it there, add who made it, and publish it." in said


def test_a_broken_upload_goes_on_where_it_stopped(crossings, zenodo):
    zenodo.fails["PUT", NAMES[3]] = 503
    said = refused("zenodo")
    assert "has a problem of its own (503)" in said
    zenodo.fails.clear()
    zenodo.asked.clear()
    said = push("zenodo")
    assert [route for method, route in zenodo.asked if method == "PUT" and "files" in route] == [
        f"/api/files/1/{name}" for name in NAMES[3:]
    ]
    assert "2 files sent, 3 there already." in said
    assert sorted(zenodo.depositions[1]["files"]) == NAMES
    assert "0 files sent, 5 there already." in push("zenodo")
    assert len(zenodo.depositions) == 1


def test_files_that_are_no_longer_of_the_release_go(crossings, zenodo, bring_in):
    push("zenodo")
    zenodo.depositions[1]["files"]["old.json"] = b"{}"
    bring_in(ambignq(record(2, single("1869"))))
    assert "5 files sent, 0 there already." in push("zenodo")
    assert sorted(zenodo.depositions[1]["files"]) == NAMES


def test_what_is_published_is_left_alone_and_other_data_is_a_new_version(
    crossings, zenodo, bring_in
):
    push("zenodo")
    zenodo.depositions[1]["published"] = True
    assert "This version is published there already." in push("zenodo")
    assert len(zenodo.depositions) == 1
    bring_in(ambignq(record(2, single("1869"))))
    push("zenodo")
    assert len(zenodo.depositions) == 2
    before, after = (zenodo.depositions[number]["files"][NAMES[1]] for number in (1, 2))
    assert before != after


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "refused it (400). It said: “No, sorry.”."),
        (401, "does not accept the token in ZENODO_TOKEN"),
        (403, "may not write there"),
        (404, "has no such place"),
        (409, "has something else there, or somebody else is sending to it (409)"),
        (413, "does not take files this large (413)"),
        (302, "refused it (302)"),
    ],
)
def test_what_zenodo_answers_is_said_in_words(crossings, zenodo, status, words):
    zenodo.fails["GET", "/api/deposit/depositions"] = status
    said = refused("zenodo")
    assert words in said
    assert zenodo.token not in said


def test_zenodo_that_takes_too_long_is_gone_or_is_something_else(
    crossings, zenodo, settings, monkeypatch
):
    monkeypatch.setattr("validation.release.zenodo.SECONDS", 0.05)
    zenodo.wait = 0.3
    assert "did not answer within" in refused("zenodo")
    zenodo.wait = 0
    zenodo.fails["GET", "/api/deposit/depositions"] = 200
    assert "answered with something else than Zenodo does" in refused("zenodo")
    settings.ZENODO_URL = f"http://127.0.0.1:{find_closed_port()}"
    assert "cannot be reached" in refused("zenodo")


def test_the_token_is_not_sent_to_an_address_elsewhere(crossings, zenodo):
    zenodo.bucket_url = "http://127.0.0.1:9"
    assert "named an address elsewhere: http://127.0.0.1:9/api/files/1" in refused("zenodo")


def test_nothing_goes_beyond_what_a_release_holds(crossings, hub, zenodo):
    for person in ("Ada Lovelace", "rosa@lake.example"):
        factories.make_member(crossings, "annotator", name=person)
    push("hub:our-lab/crossings")
    push("zenodo")
    files = [*hub.repositories["our-lab/crossings"]["files"].items()]
    files += zenodo.depositions[1]["files"].items()
    assert sorted({name for name, _ in files}) == NAMES
    everything = (
        b"".join(content for _, content in files)
        + json.dumps(zenodo.depositions[1]["metadata"]).encode()
    )
    assert b"Lovelace" not in everything
    assert b"lake.example" not in everything


def test_sending_is_logged_with_its_place(crossings, hub):
    push("hub:our-lab/crossings")
    entry = AuditEntry.objects.get(action="release_pushed")
    assert entry.data == {
        "format": "ambignq-light",
        "split": "all",
        "place": "hub:our-lab/crossings",
    }
    values = {"who": "Ambit", "of_split": "", **entry.data}
    assert "".join(build_sentence_parts("release_pushed", values)) == (
        "Ambit sent a release, ambignq-light, to hub:our-lab/crossings."
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--push=hub:crossings"], "is not a place to send a release to"),
        (["--push=hub:../etc/x"], "is not a place"),
        (["--push=ftp:x"], "hub:ORG/NAME, such as hub:our-lab/crossings, or zenodo"),
        ([], "either --output FILE or --push TARGET"),
        (["--push=zenodo", "--output=x"], "either --output FILE or --push TARGET"),
        (["--output=x.json", "--dry-run"], "for --push alone"),
        (["--push=zenodo", "--public"], "--public is for a hub"),
        (["--push=zenodo"], "ZENODO_TOKEN is not set"),
        (["--push=hub:a/b"], "HF_TOKEN is not set"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(crossings, settings, args, words):
    settings.HUB_TOKEN = settings.ZENODO_TOKEN = ""
    with pytest.raises(CommandError, match=words) as failure:
        call_command("release", "crossings", "--format=ambignq", *args)
    assert failure.value.returncode == 2
    assert not AuditEntry.objects.filter(action__startswith="release").exists()


def test_without_the_library_a_hub_is_refused_with_what_to_install(crossings, hub, monkeypatch):
    monkeypatch.setattr("validation.release.hub.find_spec", lambda name: None)
    assert "with the extra hub" in refused("hub:a/b", status=2)


def test_targets_are_read_as_they_are_written():
    assert str(parse_target("hub:our-lab/crossings")) == "hub:our-lab/crossings"
    assert str(parse_target("zenodo")) == "zenodo"
    with pytest.raises(Conflict):
        parse_target("hub:a/b/c")
    assert set(publishing.TOKENS) == {"hub", "zenodo"}
