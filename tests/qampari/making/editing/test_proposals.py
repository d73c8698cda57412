"""Wordings that a language model proposes: cost first, hostile replies, taken field by field."""

import json
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import Job
from modeling.replies import BadReply
from qampari.making.editing import proposals, services
from qampari.making.editing.prompts import estimate_tokens, parse_wording
from qampari.models import MadeRelation
from tests import factories
from tests.modeling.chat import Reply
from tests.modeling.conftest import KEY

pytestmark = pytest.mark.django_db
NOW = timezone.now
GOOD = {
    "question": "What spans {subject}?",
    "statement": "{answer} spans {subject}.",
    "noun": "spans",
    "phrase": "span {subject}",
    "values": "waters",
    "cues": ["span", "Over", "<i>", 7, "span", "carry"],
}
READ = {name: text for name, text in GOOD.items() if name != "cues"} | {"cues": "span, carry"}
SCRIPT = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def office(client_as, rosa):
    return client_as(rosa)


@pytest.fixture
def added(project, rosa):
    """A relation without a wording."""
    services.add_relation(project=project, ids=(177, None), by=rosa, now=NOW())
    return "P177"


def ask(project, rosa, key=""):
    job = proposals.start_wording_job(project=project, graph="bridges", key=key, by=rosa, now=NOW())
    jobs_services.claim_and_run(job_id=job.pk, clock=NOW)
    job.refresh_from_db()
    return job


def propose_address(project, **query):
    words = "&".join(f"{name}={value}" for name, value in {"graph": "bridges", **query}.items())
    return f"{reverse('propose-wordings', args=[project.slug])}?{words}"


# --- replies -------------------------------------------------------------------------------------


def test_a_good_reply_is_read_and_what_is_no_cue_left_out():
    assert parse_wording(json.dumps(GOOD), 177, None) == READ
    assert parse_wording(f"Sure!\n```json\n{json.dumps(GOOD)}\n```", 177, 12280) == READ


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"question": "What spans it?"}, "needs {subject} once"),
        ({"question": "<script>alert(1)</script> {subject}?"}, "signs that belong in no sentence"),
        ({"statement": "{answer} spans {subject}.\u0000"}, "signs that belong in no sentence"),
        ({"statement": "{subject} spans."}, "needs {answer} once"),
        ({"noun": ["spans"]}, "has no text “noun”"),
        ({"values": "x" * 10_000}, "longer than 300 characters"),
        ({"phrase": None}, "has no text “phrase”"),
    ],
)
def test_a_reply_passes_the_checks_that_people_pass(changes, sentence):
    with pytest.raises(BadReply) as refused:
        parse_wording(json.dumps(GOOD | changes), 177, None)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "text", ["", "No.", "[]", "{", "[" * 90 + "{}", '{"question": 1' + "0" * 9]
)
def test_what_is_no_object_is_refused(text):
    with pytest.raises(BadReply):
        parse_wording(text, 177, None)


def test_the_estimate_of_tokens_is_no_lower_than_usual():
    assert estimate_tokens([{"content": "four words are here"}]) >= 5


# --- cost, and the job ---------------------------------------------------------------------------


def test_without_a_model_there_is_no_button(office, project, graph, added, address, settings):
    settings.LLM_URL = ""
    assert "Propose" not in office.get(address()).content.decode()
    assert "Propose" not in office.get(address(added)).content.decode()
    assert office.get(propose_address(project)).status_code == 404
    assert office.post(propose_address(project)).status_code == 404
    assert not Job.objects.exists()


def test_the_cost_is_shown_before(office, project, graph, added, address, chat, settings):
    assert "Propose wordings" in office.get(address()).content.decode()
    assert "Propose a wording" in office.get(address(added)).content.decode()
    page = office.get(propose_address(project)).content.decode()
    assert "asked for a wording of 1 relation." in page
    assert "tiny-1 at 127.0.0.1" in page
    assert "not known: no prices are set" in page
    settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT = Decimal(1000), Decimal(10_000)
    page = office.get(propose_address(project)).content.decode()
    cost = proposals.estimate_cost("bridges", proposals.choose_relations(project, "P177"))
    assert cost.cost == (cost.tokens_in * 1000 + 400 * 10_000) / Decimal(1_000_000)
    assert f"{cost.cost:.4f}" in page
    assert not chat.bodies


def test_the_model_is_told_names_and_facts_and_nothing_is_saved(
    office,
    project,
    graph,
    added,
    address,
    chat,
    rosa,
):
    chat.replies = [Reply(json.dumps(GOOD), tokens=(700, 90))]
    answer = office.post(propose_address(project))
    job = Job.objects.get()
    assert answer["Location"] == reverse("job-detail", args=[project.slug, job.pk])
    jobs_services.claim_and_run(job_id=job.pk, clock=NOW)
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.result["wordings"]) == (
        "done", 1, 1, {"P177": READ},
    )  # fmt: skip
    assert (job.result["tokens_in"], job.result["tokens_out"]) == (700, 90)
    told = json.loads(chat.said[1])
    assert (told["relation"], told["type"], len(told["facts"])) == ("crosses", None, 3)
    assert told["facts"][0] == {"answer": "Bridge 900003100", "subject": "River 1"}
    row = MadeRelation.objects.get()
    assert (row.question, row.version) == ("", 1)
    page = office.get(answer["Location"]).content.decode()
    assert "What spans {subject}?" in page
    assert "1 proposed" in page
    assert "Proposal" in office.get(address()).content.decode()


def test_each_field_is_taken_by_a_person_and_saved_by_a_person(
    office,
    project,
    graph,
    added,
    address,
    chat,
    rosa,
    words,
):
    chat.replies = [Reply(json.dumps(GOOD))]
    ask(project, rosa)
    opened = office.get(address(added), **SCRIPT).content.decode()
    assert 'Proposed: <q dir="auto">What spans {subject}?</q>' in opened
    assert 'value="use cues"' in opened
    typed = words(version=1, question="Mine {subject}?", statement="", included=None)
    typed |= {"action": "use question"}
    page = office.post(address(added), typed, **SCRIPT).content.decode()
    assert 'value="What spans {subject}?"' in page
    assert "Error" not in page
    assert f'value="{words()["phrase"]}"' in page
    assert MadeRelation.objects.get().question == ""
    office.post(address(added), words(version=1, **READ))
    assert MadeRelation.objects.get().question == "What spans {subject}?"
    assert "Proposed" not in office.get(address(added), **SCRIPT).content.decode()


def test_a_hostile_reply_is_no_proposal_and_escaped(
    office,
    project,
    graph,
    added,
    address,
    chat,
    rosa,
):
    chat.replies = [
        Reply(json.dumps(GOOD | {"question": "<img src=x onerror=alert(1)> {subject}?"}))
    ]
    job = ask(project, rosa)
    assert (job.state, job.result["wordings"], job.result["failed"]) == ("done", {}, 1)
    page = office.get(reverse("job-detail", args=[project.slug, job.pk])).content.decode()
    assert "No proposal for P177" in page
    assert "<img src=x" not in page
    assert "Proposal" not in office.get(address()).content.decode()


def test_the_key_is_nowhere(project, graph, added, chat, rosa):
    chat.replies = [Reply(json.dumps(GOOD | {"question": f"What of {KEY} is {{subject}}?"}))]
    job = ask(project, rosa)
    assert KEY not in json.dumps(job.result)


def test_a_silent_endpoint_ends_the_job_and_it_goes_on_where_it_was(
    project,
    graph,
    added,
    chat,
    naps,
    rosa,
):
    services.add_relation(project=project, ids=(177, 12_281), by=rosa, now=NOW())
    chat.replies = [Reply(json.dumps(GOOD)), Reply(status=503)]
    job = ask(project, rosa)
    assert (job.state, job.done, len(chat.bodies)) == ("failed", 1, 5)
    assert "It was asked 4 times" in job.problem
    chat.replies = [Reply(json.dumps(GOOD))]
    Job.objects.filter(pk=job.pk).update(state="queued", ended_at=None)
    jobs_services.claim_and_run(job_id=job.pk, clock=NOW)
    job.refresh_from_db()
    assert (job.state, len(chat.bodies)) == ("done", 6)
    assert set(job.result["wordings"]) == {"P177", "P177/Q12281"}


def test_two_presses_are_one_job_and_another_waits(project, graph, added, chat, rosa):
    def start(key=""):
        return proposals.start_wording_job(
            project=project, graph="bridges", key=key, by=rosa, now=NOW()
        )

    first = start()
    assert start() == first
    with pytest.raises(Conflict, match="Wait until it has ended"):
        start("P177/Q12280")
    assert proposals.task_of(first.options) == "modeling.tasks.run_job"
    Job.objects.update(state="failed", ended_at=NOW())
    assert proposals.start_again(first, rosa, NOW()).options == first.options


def test_where_everything_is_worded_nothing_is_asked(office, project, graph, chat, rosa):
    with pytest.raises(Conflict, match="Every relation has a wording"):
        proposals.start_wording_job(project=project, graph="bridges", key="", by=rosa, now=NOW())
    assert "Every relation has a wording" in office.get(propose_address(project)).content.decode()


def test_a_worker_without_the_graph_passes_it_on(
    project,
    graph,
    added,
    chat,
    rosa,
    settings,
    tmp_path,
):
    job = proposals.start_wording_job(project=project, graph="bridges", key="", by=rosa, now=NOW())
    settings.AMBIT_DATA = tmp_path / "other"
    jobs_services.claim_and_run(job_id=job.pk, clock=NOW)
    job.refresh_from_db()
    assert job.state == "queued"


def test_only_staff_ask(project, graph, client_as, chat):
    person = client_as(factories.make_member(project, "annotator"))
    assert person.post(propose_address(project)).status_code == 403
    assert not Job.objects.exists()
