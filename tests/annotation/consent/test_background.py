"""What people say about themselves, if they wish (S16, Q6): kept by consent, told as shares."""

import csv
import io

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import User
from annotation.consent import queries
from annotation.consent import services as consent_services
from annotation.consent.countries import list_countries
from annotation.consent.services import BackgroundSaid
from annotation.core.refusals import Conflict
from annotation.erasing.services import erase_person
from annotation.models import Background
from tests import factories
from tests.annotation.consent.helpers import agree, publish

pytestmark = pytest.mark.django_db
SAID = BackgroundSaid(native_speaker=True, full_time=False, country="GB")


@pytest.fixture
def text(project, ada, now):
    return publish(project, ada, now, asks_background=True)


def say(project, by, now, said=SAID):
    return consent_services.save_background(project=project, said=said, by=by, now=now)


def form(project, **said):
    return {f"about-{project.pk}-{name}": value for name, value in said.items()}


class TestSaying:
    def test_on_the_page_about_ones_data(self, client_as, project, text, ann, now):
        client, page = client_as(ann), reverse("consent-mine")
        address = reverse("consent-background", args=[project.slug])
        asked = client.get(reverse("consent-give", args=[project.slug])).text
        assert "whether the language of the questions is your first" in asked
        agree(project, ann, now)
        assert "I do not say" in client.get(page).text
        said = form(project, native_speaker="yes", full_time="no", country="GB")
        assert client.post(address, said).status_code == 302
        row = Background.objects.get()
        assert (row.user, row.native_speaker, row.full_time, row.country) == (
            ann,
            True,
            False,
            "GB",
        )
        assert '<option value="GB" selected>' in client.get(page).text
        client.post(address, form(project, native_speaker="", full_time="", country="US"))
        row = Background.objects.get()
        assert (row.native_speaker, row.full_time, row.country) == (None, None, "US")
        client.post(address, form(project, native_speaker="", full_time="", country=""))
        assert not Background.objects.exists()

    @pytest.mark.parametrize("bad", [{"country": "XX"}, {"country": "<b>"}, {"full_time": "maybe"}])
    def test_only_what_is_offered(self, client_as, project, text, ann, now, bad):
        agree(project, ann, now)
        address = reverse("consent-background", args=[project.slug])
        assert client_as(ann).post(address, form(project, **bad)).status_code == 409
        assert not Background.objects.exists()

    def test_only_where_the_text_that_was_agreed_to_asks(self, client_as, project, ada, ann, now):
        publish(project, ada, now)
        with pytest.raises(Conflict, match="not asked"):
            say(project, ann, now)
        agree(project, ann, now)
        publish(project, ada, now, asks=False, asks_background=True)
        with pytest.raises(Conflict, match="not asked"):
            say(project, ann, now)
        assert "I do not say" not in client_as(ann).get(reverse("consent-mine")).text
        agree(project, ann, now)
        assert say(project, ann, now).country == "GB"

    def test_strangers_and_who_has_not_agreed_get_404(self, client_as, project, text, ann):
        address = reverse("consent-background", args=[project.slug])
        said = form(project, country="GB")
        assert client_as(ann).post(address, said).status_code == 404
        assert client_as(factories.make_user()).post(address, said).status_code == 404

    @pytest.mark.parametrize(
        ("constraint", "fields"),
        [
            ("background_country_two_letters", {"country": "gb"}),
            ("background_says_something", {}),
            ("background_once_per_person", {"country": "US"}),
        ],
    )
    def test_the_database_refuses(self, project, text, ann, now, constraint, fields):
        agree(project, ann, now)
        say(project, ann, now)
        with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
            Background.objects.create(user=ann, project=project, said_at=now, **fields)


class TestGoing:
    @pytest.mark.parametrize("way", ["withdraw", "refuse", "erase"])
    def test_it_goes_with_the_agreement_and_with_the_person(
        self, project, text, ada, ann, ben, now, way
    ):
        for person in (ann, ben):
            agree(project, person, now)
            say(project, person, now)
        if way == "withdraw":
            consent_services.withdraw_consent(project=project, by=ann, now=now)
        elif way == "refuse":
            publish(project, ada, now, asks_background=True, body="More.")
            consent_services.refuse_consent(project=project, by=ann, now=now)
        else:
            root = User.objects.create_superuser("root@example.org", None, name="Root")
            erase_person(user=ann, by=root, now=now)
        assert [row.user for row in Background.objects.all()] == [ben]


class TestShares:
    def people(self, project, now, countries):
        for number, country in enumerate(countries):
            person = factories.make_member(project, "annotator", name=f"Person {number}")
            agree(project, person, now)
            native = None if number == 0 else number < 4
            say(project, person, now, BackgroundSaid(native_speaker=native, country=country))

    def test_too_few_are_not_told(self, client_as, project, text, ada, now):
        self.people(project, now, ["GB"] * 4)
        assert queries.list_background_shares(project) == []
        page = client_as(ada).get(reverse("project-consent", args=[project.slug])).text
        assert "once five people" in page
        assert "United Kingdom" not in page
        assert "Britain" not in page

    def test_as_a_file_that_names_nobody(self, client_as, project, text, ada, rosa, ann, now):
        self.people(project, now, ["US", "US", "US", "FR", "DE", "US"])
        address = reverse("project-consent-shares", args=[project.slug])
        sent = client_as(ada).get(address)
        assert list(csv.reader(io.StringIO(sent.text))) == [
            ["about", "said", "people", "of", "per_cent"],
            ["Native speaker", "yes", "3", "5", "60.0"],
            ["Native speaker", "no", "2", "5", "40.0"],
            ["Country", "United States", "4", "6", "66.7"],
            ["Country", "other countries", "2", "6", "33.3"],
        ]
        page = client_as(ada).get(reverse("project-consent", args=[project.slug])).text
        assert "other countries" in page
        assert "France" not in page
        for person in (rosa, ann):
            assert client_as(person).get(address).status_code == 403
        assert "Native speaker" not in client_as(ann).get(reverse("consent-mine")).text


def test_every_country_is_listed_once():
    codes = [code for code, _ in list_countries()]
    assert len(codes) == len(set(codes)) == 249
    assert all(len(code) == 2 and code.isupper() for code in codes)
