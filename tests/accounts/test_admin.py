"""Every list page of the Django admin opens with rows in it, at a cost that does not grow."""

import uuid

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from accounts.models import Session, User
from accounts.services import create_token
from annotation import models
from evaluation.models import Consensus, LabelReader, LabelScheme, ReaderAnswers
from modeling.models import CachedReply, JudgeRun, ModelJudgment
from qampari.models import EvidenceOpinion, EvidenceVerdict, QuestionReview
from tests import factories
from tests.evaluation.factories import make_labelling
from tests.world import make_world
from validation.models import Decision, Validation
from wikipedia.models import Quote, ShownPage, WikiHost

pytestmark = pytest.mark.django_db
admin.autodiscover()  # as config/urls.py does
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
READ_ONLY = [
    *(model for model in MODELS if model._meta.app_label in ("annotation", "validation")),
    *(Quote, ShownPage, EvidenceOpinion, QuestionReview),
]
WAYS_IN = [Authenticator, AuthToken, SocialAccount]


def fill(number):
    """Make at least one more row of every model the admin shows."""
    now = timezone.now()
    world = make_world(slug=f"crossings-{number}")
    user = world.people["annotator"]
    page = ShownPage.objects.create(
        snapshot=world.snapshot,
        path=f"Bridge_{number}",
        title="Bridge",
        retrieved_at=now,
        text="A bridge",
        text_sha256="0" * 64,
    )
    quote = Quote.objects.create(
        page=page, block_kind="paragraph", exact="bridge", start=2, end=8, made_by="selection",
        created_by=user, created_at=now,
    )  # fmt: skip
    annotation = models.Annotation.objects.create(
        assignment=world.assignment, question=world.question, author=user, kind="single",
        created_at=now,
    )  # fmt: skip
    pair = models.QAPair.objects.create(annotation=annotation, position=0)
    models.Answer.objects.create(pair=pair, position=0, text="bridge", quote=quote)
    submission = models.Submission.objects.create(
        assignment=world.assignment, question=world.question, author=user, stage="ambiguity",
        response={"why": "A bridge"}, created_at=now,
    )  # fmt: skip
    submission.quotes.add(quote)
    models.KeptWarning.objects.create(
        annotation=annotation, rule="length", field="pair-0", reason="It is the name."
    )
    models.Event.objects.create(assignment=world.assignment, kind="search", at=now)
    models.PayEntry.objects.create(
        user=user, project=world.project, kind="bonus", amount=5, currency="USD", note="Thanks.",
        by=world.people["admin"], key=uuid.uuid4(), at=now,
    )  # fmt: skip
    models.Qualified.objects.create(
        qualification=world.exam, user=user, given_by=world.people["admin"], given_at=now
    )
    models.WalkThrough.objects.create(
        qualification=world.exam, user=user, held_on=now.date(),
        held_by=world.people["researcher"], created_at=now,
    )  # fmt: skip
    _validated(world, annotation, now)
    _written(world, quote, now)
    _made(world, user, now)
    ReaderAnswers.objects.create(
        output=world.system.outputs.get(), reader="A reader 1", answers=["1843"], digest="0" * 32,
        read_at=now,
    )  # fmt: skip
    Consensus.objects.create(
        item=world.study.items.get(), verdict="correct", justification="It is in the article.",
        made_by=user, created_at=now,
    )  # fmt: skip
    make_labelling(world.ambiguity, user, ["time"])
    LabelReader.objects.create(question=world.question, user=user, read_at=now)
    LabelScheme.objects.create(
        project=world.project, title="Tone", kind="accepted", made_by=user, created_at=now,
        categories=[{"key": "c1", "label": "Plain", "hint": ""}],
    )  # fmt: skip
    suggestion = models.Suggestion.objects.create(
        question=world.question, system="Reader 8B", version=str(number), position=0, kind="answer",
        content={"answers": ["1843"]}, created_at=now,
    )  # fmt: skip
    models.SuggestionUse.objects.create(
        assignment=world.assignment, suggestion=suggestion, shown_at=now
    )
    models.StoredFigures.objects.create(
        project=world.project, report="overview", figures={}, seconds=1, counted_at=now
    )
    models.AuditEntry.objects.create(at=now, action="made", target=f"question:{number}")
    plan = models.GoldPlan.objects.create(project=world.project, stage="validation", seed=1)
    gold = plan.items.create(kind="check", created_at=now)
    verdict = plan.verdicts.create(item=gold, user=user, given="bridge", missed=True, at=now)
    plan.flags.create(user=user, verdict=verdict, seen=1, missed=1, paused=False, at=now)
    models.SavedView.objects.create(
        user=user, project=world.project, number=1, name="Bridges", query="q=bridge",
        changed_at=now,
    )  # fmt: skip
    models.SubmissionChange.objects.create(
        assignment=world.assignment, draft_version=0, started_at=now, ends_at=now
    )
    models.ReplacedSubmission.objects.create(
        assignment=world.assignment, number=1, response={}, logged={}, submitted_at=now,
        replaced_at=now,
    )  # fmt: skip
    models.RememberedColumns.objects.create(
        project=world.project, columns="0" * 64, mapping={"uses": {}}, remembered_at=now
    )
    text = models.ConsentText.objects.create(
        project=world.project, version=1, body="bridge", asks=True, asks_training=True,
        created_at=now,
    )  # fmt: skip
    models.Consent.objects.create(user=user, project=world.project, text=text, given_at=now)
    models.Background.objects.create(
        user=user, project=world.project, native_speaker=True, country="GB", said_at=now
    )
    WikiHost.objects.create(host=f"w{number}.example.org", paused_until=now)
    SocialAccount.objects.create(user=user, provider="institution", uid=f"{number}")
    create_token(user=user, now=now)
    models.Delivery.objects.create(
        webhook=world.webhook, event="test", data={}, created_at=now, taken_at=now
    )
    Authenticator.objects.create(user=user, type="totp", data={})
    JudgeRun.objects.create(judge=world.judge_model, job=world.job)
    ModelJudgment.objects.create(
        judge=world.judge_model, item=world.study.items.get(), outcome="refused", created_at=now
    )
    CachedReply.objects.create(
        project=world.project, digest="0" * 64, tokens_in=1, tokens_out=1, created_at=now
    )


def _made(world, user, now):
    """What staff say of a made question and of the evidence for it."""
    verdict = EvidenceVerdict.objects.create(
        project=world.project, snapshot="demo", judge="words 2", wording="a", item=1, value=2,
        score=1, sentences=1, title="Bridge", path="Bridge", start=0, sentence=0, end=9,
    )  # fmt: skip
    EvidenceOpinion.objects.create(verdict=verdict, person=user, shows=True, at=now)
    QuestionReview.objects.create(
        project=world.project, query="P177 Q1", question="Which bridge?", verdict="good", by=user,
        at=now,
    )  # fmt: skip


def _written(world, quote, now):
    """A long answer with its evidence, and the paragraph its writer was shown."""
    question = world.long.question
    written = models.LongAnswer.objects.create(
        question=question, text="A bridge opened.", created_at=now
    )
    written.knowledge.create(position=0, content="A bridge", page="Bridge", quote=quote)
    written.overrides.create(disambiguation=0, words="bridge", start=2, end=8)
    models.ContextParagraph.objects.create(
        question=question, position=0, text="A bridge", title="Bridge", path="Bridge", score=0.5,
        shown=True, created_at=now,
    )  # fmt: skip
    models.ContextSearch.objects.create(
        question=question, fingerprint="0" * 32, pages=2, missing=["Tunnel"], created_at=now
    )


def _validated(world, annotation, now):
    """A validation of the question, with a verdict and what it accepted."""
    validator = world.people["validator"]
    world.project.policies.create(stage="validation", split="dev", people=1)
    task = factories.make_task(world.project, question=world.question, stage="validation")
    validation = Validation.objects.create(
        assignment=factories.make_assignment(task, validator, state="submitted"),
        question=world.question,
        validator=validator,
        created_at=now,
    )
    validation.verdicts.create(
        annotation=annotation, author=annotation.author, validator=validator, correct=True
    )
    decision = Decision.objects.create(
        question=world.question,
        source="validation",
        validation=validation,
        outcome="accepted",
        change="none",
        in_force=False,
        created_at=now,
    )
    pair = decision.accepted.create(position=0, kind="single").pairs.create(position=0)
    pair.questions.create(position=0, text="When?")
    pair.answers.create(position=0, text="1843")
    decision.outcomes.create(assignment=world.assignment, status="written")
    decision.excluded.create(position=0, answers=["1850"], reason="The bridge was open by then.")


@pytest.fixture
def chief(client):
    client.force_login(factories.make_user(name="Chief", is_staff=True, is_superuser=True))
    return client


def address_of(model, page="changelist", *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture
def no_sidebar(monkeypatch):
    """The list of all models beside each page is half of the work, and asks nothing."""
    monkeypatch.setattr(admin.site, "enable_nav_sidebar", False)


def open_lists(client):
    """Open the list of every model; return the number of statements of each, and what is wrong."""
    statements, wrong = {}, []
    for model in MODELS:
        with CaptureQueriesContext(connection) as captured:
            response = client.get(address_of(model))
        statements[model._meta.label] = len(captured)
        if response.status_code != 200 or not response.context["cl"].result_count:
            wrong.append(f"{model._meta.label}: {response.status_code}, or no row")
    return statements, wrong


def test_list_pages_take_no_more_statements_for_more_rows(chief, no_sidebar):
    fill(1)
    ContentType.objects.get_for_models(*MODELS)  # they are kept
    before, wrong = open_lists(chief)
    assert not wrong
    for number in (2, 3, 4):
        fill(number)
    assert open_lists(chief) == (before, [])


def test_lists_can_be_searched(chief, no_sidebar):
    fill(1)
    wrong = []
    for model in MODELS:
        searched = chief.get(address_of(model), {"q": "bridge"})
        fields = admin.site._registry[model].get_search_fields(searched.wsgi_request)
        if searched.status_code != 200 or not fields:
            wrong.append(f"{model._meta.label}: {searched.status_code}, fields {fields}")
    assert not wrong


def test_one_row_of_each_model_opens(chief):
    fill(1)
    addresses = [address_of(model, "change", model._default_manager.first().pk) for model in MODELS]
    found = {address: chief.get(address).status_code for address in addresses}
    assert set(found.values()) == {200}, {at: code for at, code in found.items() if code != 200}


def test_a_stage_is_listed_by_its_label(chief):
    fill(1)
    page = chief.get(reverse("admin:annotation_stagepolicy_changelist")).content.decode()
    assert '<td class="field-_stage">Validation</td>' in page
    assert 'class="sortable column-_stage' in page


def test_what_services_audit_cannot_be_changed_past_them(chief):
    fill(1)
    wrong = []
    for model in READ_ONLY:
        row, before = model._default_manager.first(), model.objects.count()
        found = (
            chief.get(address_of(model, "add")).status_code,
            chief.post(address_of(model, "change", row.pk), {}).status_code,
            chief.post(address_of(model, "delete", row.pk), {"post": "yes"}).status_code,
        )
        if found != (403, 403, 403) or model.objects.count() != before:
            wrong.append(f"{model._meta.label}: add, change and delete answer {found}")
    assert not wrong


def test_every_model_of_ours_is_there():
    from django.apps import apps

    ours = {
        model
        for label in ("accounts", "annotation", "validation", "wikipedia")
        for model in apps.get_app_config(label).get_models()
    }
    # Whoever reads the key of a session is signed in by it.
    assert ours - {Session} == ours & set(MODELS)


def test_an_address_of_sign_in_is_changed_with_its_account_only():
    assert EmailAddress not in MODELS


@pytest.mark.parametrize("model", WAYS_IN, ids=lambda model: model._meta.label_lower)
def test_nobody_makes_a_way_in_for_somebody_else(chief, model):
    """They could work in their name."""
    fill(1)
    row = model._default_manager.first()
    assert chief.get(address_of(model, "add")).status_code == 403
    assert chief.post(address_of(model, "change", row.pk), {}).status_code == 403
    deleted = chief.post(address_of(model, "delete", row.pk), {"post": "yes"}).status_code
    # The account of an institution is taken away here alone; all else on the page of the person.
    assert deleted == (302 if model is SocialAccount else 403)
    assert model._default_manager.filter(pk=row.pk).exists() == (model is not SocialAccount)


def test_it_is_entered_through_our_sign_in(client, stan):
    login = reverse("admin:login")
    assert client.get(login)["Location"].startswith(reverse("account_login"))
    client.force_login(stan)
    assert client.get(login).status_code == 403


def test_of_an_account_only_name_and_address_can_change(chief, stan):
    """All else is done in the administration, where it is in the audit."""
    before = (stan.password, stan.is_active, stan.is_superuser, stan.date_joined)
    given = {"is_superuser": "on", "is_staff": "on", "password": "x", "key": "x"}
    fields = {"email": "nora@example.org", "name": "Nora North", **given}
    assert chief.post(address_of(User, "change", stan.pk), fields).status_code == 302
    stan.refresh_from_db()
    assert (stan.email, stan.name) == ("nora@example.org", "Nora North")
    assert (stan.password, stan.is_active, stan.is_superuser, stan.date_joined) == before
    page = chief.get(address_of(User, "change", stan.pk)).content.decode()
    assert reverse("administration-person", args=[stan.pk]) in page
    assert chief.get(address_of(User, "add")).status_code == 403
    assert chief.post(address_of(User, "delete", stan.pk), {"post": "yes"}).status_code == 403


def test_the_first_page_says_what_it_is_for_and_offers_to_add_nothing(chief):
    page = chief.get(reverse("admin:index")).content.decode()
    assert "Rows of the database, for the last resort" in page
    assert 'class="addlink"' not in page
    assert "Groups" not in page
