"""What judges can open never tells whose answer is whose (S24).

Two systems with telling names, and rows with telling ids; a judge with one judgment submitted and
one in hand opens every address there is, posts every form, and reads their own data.
"""

import copy
import re

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment
from evaluation.models import Item, Output, System
from tests import factories
from tests.access import ROWS
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.factories import LEFT, RIGHT
from tests.stages.examples import half_a_judgment, judgment
from tests.stages.window import HX, Window
from tests.world import make_world

# Ids that are nowhere by chance.
STUDY, ITEM, OUTPUT, SYSTEM = 71_930_001, 72_930_001, 73_930_001, 74_930_001
TELLING = ("Zanzibar", "v9-quixotic", "Hyacinth", "temperature-zz", "Balthazar", "Secretive title")
# An id is a number of its own: seconds and sums of the page of figures have any six digits in them.
IDS = "|".join(str(number)[:-1] for number in (STUDY, ITEM, OUTPUT, SYSTEM))
SECRETS = re.compile(rf"{'|'.join(TELLING)}|(?<![\d.])(?:{IDS})\d(?!\d)")


def make_pairs(project, author, count=3):
    """Two systems that tell a lot, and a study of them."""
    first, second = (
        studies.make_system(
            project,
            f"{name} {kind}",
            pk=SYSTEM + n,
            version="v9-quixotic",
            kind=kind,
            options={"setting": "temperature-zz"},
        )
        for n, (name, kind) in enumerate((("Zanzibar", "model"), ("Hyacinth", "human")))
    )
    study = studies.make_study(project, (first, second), pk=STUDY, title="Secretive title")
    for n in range(count):
        question = asqa.make_question(project)
        studies.make_output(first, question, LEFT, pk=OUTPUT + 2 * n)
        studies.make_output(second, question, RIGHT, pk=OUTPUT + 2 * n + 1, author=author)
        studies.make_item(study, question, first, second, pk=ITEM + n)
    studies.open_items(study)
    return study


@pytest.fixture
def world(db):
    """Everything there is, the addresses of assignments being those of the judge."""
    world = make_world(slug="blind-crossings")
    author = factories.make_user(name="Balthazar Quince")
    make_pairs(world.project, author)
    window = Window(world.people["judge"], world.project, "comparison").take()
    assert window.post("submit", judgment(window.fields, "walkers")).status_code == 302
    world.submitted = window.row()
    world.window = window.take()
    world.assignment = window.row()
    return world


def said(answer):
    """Everything that a browser or a program gets."""
    body = b"".join(answer).decode("utf-8", "replace") if answer.streaming else answer.text
    headers = "\n".join(f"{name}: {value}" for name, value in answer.items())
    return f"{headers}\n{answer.cookies}\n{body}"


def check(answer):
    text = said(answer)
    told = SECRETS.findall(text)
    assert not told, f"{answer.request['PATH_INFO']} tells {told}"
    return text


@pytest.mark.parametrize(("method", "headers"), [("get", {}), ("post", HX)])
def test_no_address_tells_anything(world, method, headers):
    """With the judgment in hand, and what is another request with the submitted one."""
    statuses, asked, signed_in = set(), set(), Client()
    signed_in.force_login(world.people["judge"])
    for assignment in (world.assignment, world.submitted):
        world.assignment = assignment
        for name, row in sorted(ROWS.items()):
            with transaction.atomic():
                data = row.data(world) if callable(row.data) else row.data
                request = reverse(name, args=row.args(world)), data if method == "post" else None
                if repr(request) not in asked:
                    asked.add(repr(request))
                    client = Client()
                    client.cookies = copy.deepcopy(signed_in.cookies)
                    answer = getattr(client, method)(*request, headers=headers)
                    check(answer)
                    statuses.add(answer.status_code)
                transaction.set_rollback(True)
    assert len(asked) > len(ROWS)
    assert {200, 302, 403, 404} <= statuses


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"/items/{ITEM}/", [str(ITEM)]),
        (f'"output":{OUTPUT + 3}}}', [str(OUTPUT + 3)]),
        ("by Zanzibar model", ["Zanzibar"]),
        (f"ambit_request_seconds_sum 0.0{ITEM}", []),
        (f"bytes 1{STUDY}77.0", []),
    ],
)
def test_ids_are_found_and_figures_are_not(text, told):
    assert SECRETS.findall(text) == told


def test_work_from_taking_to_changing_tells_nothing(world):
    window, client = world.window, world.window.client
    check(client.get("/"))
    page = check(client.get(window.url("page")))
    assert LEFT.lower() in page
    check(window.post("draft", half_a_judgment(window.fields, "x"), headers=HX))
    check(window.post("draft", judgment(window.fields, "y"), headers=HX))  # another window
    window.open()
    check(window.post("submit", half_a_judgment(window.fields, "x"), headers=HX))
    window.open()
    check(window.post("submit", half_a_judgment(window.fields, "x")))
    window.open()
    check(window.post("submit", judgment(window.fields, "z"), headers=HX))
    check(client.get(window.url("page")))
    check(client.get(reverse("submission-view", args=[window.assignment.pk])))
    check(window.post("change", {}, follow=True))
    check(window.post("park", {"reason": "Wait"}, follow=True))
    check(client.get("/"))
    drafts = str(list(Assignment.objects.values_list("draft", flat=True)))
    assert not SECRETS.findall(drafts)


def test_their_own_data_tells_nothing(world):
    """Lists for programs, with all that there is of an assignment."""
    client = Client()
    client.force_login(world.people["judge"])
    text = check(client.get(reverse("api-assignments", args=[world.slug])))
    assert "comparison" in text
    check(client.get(reverse("pay-mine-export")))
    assert client.get(reverse("export-page", args=[world.slug])).status_code == 403


@pytest.mark.parametrize(("name", "pk"), [("study-view", STUDY), ("system-view", SYSTEM)])
def test_the_team_is_told_where_judges_are_refused(world, client_as, name, pk):
    address = reverse(name, args=[world.slug, pk])
    refused = client_as(world.people["judge"]).get(address)
    assert refused.status_code == 403
    check(refused)
    page = client_as(world.people["researcher"]).get(address)
    assert page.status_code == 200
    assert "Zanzibar" in page.text


@pytest.mark.parametrize("stage", ["comparison", "accuracy"])
@pytest.mark.parametrize("change", ["sides", "systems"])
def test_swapping_the_systems_swaps_the_texts_and_no_other_byte(db, stage, change):
    project = asqa.make_project()
    item = studies.judged_question(project, alone=stage == "accuracy", names=("Zanzibar", "Ox"))
    judge = factories.make_member(project, "judge", name="Rita Rye")
    window = Window(judge, project, stage).take()
    before = plain(window.html)
    if change == "sides" and stage == "comparison":
        Item.objects.filter(pk=item.pk).update(swapped=True)
    else:
        systems = System.objects.in_bulk(Output.objects.values_list("system", flat=True))
        first, second = sorted(systems)
        Output.objects.filter(system=first).update(text=RIGHT)
        Output.objects.filter(system=second).update(text=LEFT)
        System.objects.filter(pk=first).update(kind="human", version="12", name="A quite long name")
    after = plain(window.open().html)
    assert after != before
    for one, other in ((LEFT.lower(), RIGHT.lower()),):
        after = after.replace(one, "\0").replace(other, one).replace("\0", other)
    assert after == before


def plain(html):
    """A page without what differs every time: tokens, and the time that is left."""
    html = re.sub(r'"[A-Za-z0-9]{64}"|data-now="[^"]*"', "", html)
    return re.sub(r"<span data-left>[^<]*</span>", "", html)
