"""What holds in every stage for clients of the API, who see no page."""

import copy
import json

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from knox.models import AuthToken

from annotation.models import Assignment
from annotation.stages import registry as stages
from tests.stages.test_every_stage import submissions
from tests.stages.test_strangers import names_of
from tests.stages.window import HX

MINE, THEIRS = "costermongers", "ferrymen"


class Api:
    """Somebody's client."""

    def __init__(self, user):
        self.client = Client(
            headers={"Authorization": f"Token {AuthToken.objects.create(user)[1]}"}
        )

    def get(self, assignment):
        return self.client.get(reverse("api-work", args=[assignment.pk]))

    def post(self, name, *args, **data):
        address = reverse(f"api-work-{name}", args=args)
        return self.client.post(address, data, content_type="application/json")


@pytest.fixture
def api(work):
    return Api(work.user)


@pytest.fixture
def written(work, example, api):
    """The work as a client sees it, once a response that can be submitted is its draft."""
    assert work.post("draft", example.write(work.fields, MINE), headers=HX).status_code == 200
    return api.get(work.assignment).json()


def sendable(shown):
    return {"version": shown["version"], "response": shown["response"]}


def test_it_is_taken_and_taken_again(scene, stage):
    api = Api(scene.worker)
    first, again = (api.post("take", scene.project.slug, stage) for _ in range(2))
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["id"] == again.json()["id"]
    assert first.json()["question"]["prompt"] == scene.question.prompt
    assert Assignment.objects.filter(user=scene.worker, stage=stage).count() == 1


def test_nothing_ready_has_no_content(scene, stage, work):
    assert Api(scene.colleague).post("take", scene.project.slug, stage).status_code == 204


def test_what_is_shown_can_be_sent_back_and_changes_nothing(work, api, written):
    draft = work.row().draft
    answer = api.post("draft", work.assignment.pk, **sendable(written))
    assert answer.status_code == 200, answer.text
    assert work.row().draft == draft
    assert answer.json()["response"] == written["response"]
    assert MINE in json.dumps(written["response"])


def test_what_is_shown_fits_the_schema_and_other_things_do_not(scene, stage, api, written):
    shown = api.client.get(reverse("api-stage", args=[scene.project.slug, stage])).json()
    assert (shown["key"], shown["role"]) == (stage, stages.get_stage(stage).role)
    fits = Draft202012Validator(shown["response"]).is_valid
    response = written["response"]
    assert fits(response)
    assert response.keys() <= shown["response"]["properties"].keys()
    assert not fits(response | {"unknown": 1})
    for name in response:
        assert not fits(response | {name: {"unknown": 1}}), name


def test_it_is_listed_while_it_is_in_hand(work, api, written, scene):
    def listed(query="", by=api):
        rows = by.client.get(reverse("api-work-list") + query).json()["results"]
        return [(row["id"], row["state"], row["version"]) for row in rows]

    mine = (work.assignment.pk, "active", written["version"])
    assert listed() == [mine]
    assert listed(f"?project={scene.project.slug}&state=active") == [mine]
    assert listed("?state=parked") == listed("?project=elsewhere") == []
    assert listed(by=Api(scene.staff)) == []
    api.post("park", work.assignment.pk, reason="Which town?")
    assert [state for _, state, _ in listed()] == ["parked"]
    api.post("resume", work.assignment.pk)
    api.post("submit", work.assignment.pk, **sendable(written))
    assert listed() == []


def test_it_is_submitted_once(work, api, written):
    for _ in range(2):
        answer = api.post("submit", work.assignment.pk, **sendable(written))
        assert answer.status_code == 200, answer.text
        assert answer.json()["state"] == "submitted"
        assert answer.json()["given"] is None
    assert (work.row().state, submissions(work)) == ("submitted", 1)
    assert MINE in work.open().words


def test_what_is_still_to_do_is_said_and_saved(work, example, api):
    work.post("draft", example.block(work.fields, MINE), headers=HX)
    shown = api.get(work.assignment).json()
    assert not shown["can_submit"]
    answer = api.post("submit", work.assignment.pk, **sendable(shown))
    assert answer.status_code == 422
    findings = answer.json()["findings"]
    assert findings
    assert all(finding["sentence"] for finding in findings)
    assert work.row().state == "active"


@pytest.mark.parametrize("name", ["draft", "submit"])
def test_what_another_window_saved_is_not_overwritten(work, example, api, written, name):
    work.open()
    assert work.post("draft", example.write(work.fields, THEIRS), headers=HX).status_code == 200
    answer = api.post(name, work.assignment.pk, **sendable(written))
    assert answer.status_code == 409
    assert THEIRS in json.dumps(answer.json()["response"])
    assert THEIRS in json.dumps(work.row().draft)
    merged = {"version": answer.json()["version"], "response": written["response"]}
    assert api.post(name, work.assignment.pk, **merged).status_code == 200


def test_others_do_not_see_it(scene, work, written):
    for other in (scene.colleague, scene.staff):
        api = Api(other)
        assert api.get(work.assignment).status_code == 404
        for name in ("draft", "submit", "park", "resume", "skip", "release"):
            assert api.post(name, work.assignment.pk, **sendable(written)).status_code == 404


def test_nobody_else_is_named_in_it(scene, work, api, written):
    submitted = api.post("submit", work.assignment.pk, **sendable(written))
    for text in (json.dumps(written), submitted.text):
        for secret in (*names_of(scene, work.user), *scene.example.secret):
            assert secret not in text


def test_park_resume_release_reopen_and_skip(work, api):
    steps = [
        ("park", {"reason": "Which town?"}, "parked"),
        ("resume", {}, "active"),
        ("release", {}, "returned"),
        ("resume", {}, "active"),
        ("skip", {"reason": "subjective"}, "skipped"),
    ]
    for name, data, state in steps:
        answer = api.post(name, work.assignment.pk, **data)
        assert (answer.status_code, answer.json()["state"]) == (200, state), answer.text
        assert work.row().state == state


# --- hostile clients ------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=8), parts),
    max_leaves=8,
)


def places(value, path=()):
    """Every place in a value of JSON, by its keys."""
    yield path
    steps = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in steps:
        yield from places(part, (*path, key))


def put(value, path, new):
    """Return the value with another one at a place."""
    if not path:
        return new
    value = copy.copy(value)
    value[path[0]] = put(value[path[0]], path[1:], new)
    return value


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
@given(data=st.data())
def test_any_json_is_read_or_refused(work, api, written, data):
    path = data.draw(st.sampled_from(list(places(written["response"]))))
    response = put(written["response"], path, data.draw(JSON))
    with transaction.atomic():
        before = work.row()
        sent = {"version": before.draft_version, "response": response}
        for name, refusals in (("draft", (400, 409, 413)), ("submit", (400, 409, 413, 422))):
            answer = api.post(name, work.assignment.pk, **sent)
            assert answer.status_code in (200, *refusals), answer.text
            row = work.row()
            if answer.status_code == 200:
                # Whatever was taken can be shown, on the page too.
                assert api.get(work.assignment).status_code == 200
                work.open()
            else:
                # A refusal changes nothing: what was taken before was shown then.
                assert (row.draft, row.state) == (before.draft, before.state)
            before = row
        transaction.set_rollback(True)
