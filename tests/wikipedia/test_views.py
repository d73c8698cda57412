import pytest
from django.urls import reverse

from tests import factories


def asset(name, path):
    return reverse("wikipedia:asset", args=[name, path])


@pytest.fixture
def ann(snapshot):
    """Someone in a project with the snapshot."""
    return factories.make_member(factories.make_project(snapshot=snapshot), "annotator")


def test_pictures_are_served_to_people_of_a_project_with_the_snapshot(snapshot, client_as, ann):
    response = client_as(ann).get(asset("lund", "_assets_/boat.png"))
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "max-age=2592000" in response["Cache-Control"]
    assert "private" in response["Cache-Control"]


def test_strangers_must_sign_in(snapshot, client):
    response = client.get(asset("lund", "_assets_/boat.png"))
    assert response.status_code == 302
    assert "login" in response["Location"]


def test_for_others_there_are_none(snapshot, client_as, stan):
    """Not even those that it lacks: each costs a live wiki's budget."""
    for person in (stan, factories.make_member(factories.make_project(), "admin")):
        answer = client_as(person).get(asset("lund", "_assets_/boat.png"))
        assert answer.status_code == 404


@pytest.mark.parametrize("right", ["is_staff", "is_superuser"])
def test_who_runs_the_installation_sees_them(snapshot, client_as, right):
    person = factories.make_user(name="Sue Staff", **{right: True})
    assert client_as(person).get(asset("lund", "_assets_/boat.png")).status_code == 200


def test_an_svg_can_do_nothing(snapshot, client_as, ann):
    response = client_as(ann).get(asset("lund", "_assets_/boat.svg"))
    assert response["Content-Type"] == "image/svg+xml"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"


@pytest.mark.parametrize(
    "path", ["_assets_/style.css", "Ferry_of_Lund", "none.png", "../../etc/passwd", "x" * 3_000]
)
def test_only_pictures_that_exist(snapshot, client_as, ann, path):
    assert client_as(ann).get(asset("lund", path)).status_code == 404


def test_wrong_method_and_unknown_snapshot(snapshot, client_as, ann):
    client = client_as(ann)
    assert client.post(asset("lund", "_assets_/boat.png")).status_code == 405
    assert client.get(asset("malmo", "_assets_/boat.png")).status_code == 404


def test_a_lost_archive_is_explained(data_dir, client_as, ann):
    made = factories.make_snapshot()
    factories.make_member(factories.make_project(snapshot=made), "annotator", user=ann)
    response = client_as(ann).get(asset(made.name, "a.png"))
    assert response.status_code == 503
    assert "Tell the person who runs Ambit" in response.content.decode()
    assert "max-age" not in response.get("Cache-Control", "")  # it may be back in a minute


def test_the_list_is_for_staff(snapshot, data_dir, client_as, ann):
    url = reverse("wikipedia:snapshot-list")
    assert client_as(ann).get(url).status_code == 404
    factories.make_snapshot(name="gone")
    staff = factories.make_user(name="Sue Staff", is_staff=True)
    page = client_as(staff).get(url).content.decode()
    assert "lund" in page
    assert "index_wikipedia" not in page
    pointer = data_dir / "index" / "lund" / "current.json"
    pointer.write_text(pointer.read_text().replace('"format": 3', '"format": 2'))
    assert "index_wikipedia" in client_as(staff).get(url).text
    assert "Cannot be used: The archive of snapshot “gone”" in page
