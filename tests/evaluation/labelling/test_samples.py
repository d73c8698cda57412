"""Samples by every scheme: what is drawn, their pages, files and the API, a team's own schemes."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.models import Question
from evaluation.labelling import services
from evaluation.labelling.schemes import BUILT_IN, Category, find_scheme
from evaluation.models import Labelling, LabelSample, LabelScheme, SampledItem
from evaluation.systems.policies import check_can_delete, check_texts_may_change
from evaluation.systems.queries import list_systems
from tests import factories
from tests.annotation.long_answers import helpers
from tests.evaluation import factories as made
from tests.evaluation.labelling.steps import draw, label, names, page_of
from tests.evaluation.reports.test_papers_read import LONG, bring, panels

pytestmark = pytest.mark.django_db


def test_every_scheme_has_a_digit_and_words_for_each_category():
    for scheme in BUILT_IN:
        assert 2 <= len(scheme.categories) <= 10
        assert all(each.hint for each in scheme.categories), scheme.key
        assert len({each.key for each in scheme.categories}) == len(scheme.categories)
    assert len(find_scheme("predictions").categories) == 7
    assert len(find_scheme("mismatches").categories) == 7


def test_predictions_are_drawn_in_an_order_that_follows_from_the_seed(project, team, now):
    system = project.systems.get()
    orders = []
    for seed in (3, 3, 4):
        sample = draw(project, "predictions", team, now, system=system, seed=seed)
        orders.append(names(sample))
        services.delete_sample(sample=sample, by=team["rosa"], now=now)
    assert orders[0] == orders[1] != orders[2]
    assert {*orders[0]} == {*orders[2]} == {"q0", "q1", "q2", "one"}
    system.outputs.filter(question__external_id="q2").delete()
    first = draw(project, "predictions", team, now, system=system, seed=3, size=2)
    again = draw(project, "predictions", team, now, system=system, seed=9, labellers=3)
    assert (again.pk, again.seed, again.labellers) == (first.pk, 3, 2)
    assert names(again) == [name for name in orders[0] if name != "q2"]
    with pytest.raises(Conflict, match="No other accepted question of dev was answered"):
        draw(project, "predictions", team, now, system=system)


def test_mismatches_are_questions_with_no_known_answer_among_the_accepted(project, team, now):
    sample = draw(project, "mismatches", team, now)
    assert {*names(sample)} == {"q0", "one"}
    shown = panels(project, now)["ambigqa-mismatches"]
    [row] = shown.rows
    assert row[:3] == ["dev", 3, 2]
    assert row[3].value == pytest.approx(2 / 3)


def test_long_answers_of_a_system_are_drawn_whatever_is_accepted(team, now):
    long = helpers.make_project()
    rosa = factories.make_member(long, "researcher")
    bring(long, {"dev": LONG}, "asqa", None, now)
    system = made.make_system(long, "T5")
    made.make_output(system, Question.objects.get(project=long), "It opened in 1843.")
    sample = draw(long, "long-errors", {"rosa": rosa}, now, system=system)
    assert names(sample) == ["q1"]


def test_a_sample_without_labels_can_be_deleted_and_no_other(sample, team, now):
    item = sample.items.first()
    label(item, team["eve"], now, "one-wrong")
    with pytest.raises(Conflict, match="are labelled, so it stays"):
        services.delete_sample(sample=sample, by=team["rosa"], now=now)
    with pytest.raises(Denied):
        services.delete_sample(sample=sample, by=team["eve"], now=now)
    Labelling.objects.all().delete()
    services.delete_sample(sample=sample, by=team["rosa"], now=now)
    assert not LabelSample.objects.exists()


def test_a_system_whose_answers_are_labelled_stays_as_it_is(project, sample, team, now):
    with pytest.raises(Conflict, match="The sample “Errors of predictions” uses SpanSeqGen"):
        check_can_delete(sample.system)
    check_texts_may_change(sample.system, 1)
    label(sample.items.first(), team["eve"], now, "one-wrong")
    with pytest.raises(Conflict, match="people labelled the texts as they are"):
        check_texts_may_change(sample.system, 1)
    assert [row.studies for row in list_systems(project)] == [0]


def test_from_a_draw_to_the_table_by_two_people(project, team, client_as, now):
    client = client_as(team["rosa"])
    listed = client.get(reverse("label-list", args=[project.slug])).text
    new = reverse("label-new", args=[project.slug, "predictions"])
    assert f'href="{new}"' in listed
    system = project.systems.get()
    posted = {"split": "dev", "size": "4", "system": system.pk, "labellers": "2", "seed": "7"}
    page = client.post(new, posted, follow=True)
    assert "Drew 4 questions." in page.text
    assert "0 of 4 labelled by 2 people" in page.text
    assert client.post(new, posted).status_code == 409
    sample = LabelSample.objects.get()
    assert (sample.seed, sample.labellers, sample.system) == (7, 2, system)
    first, second = sample.items.order_by("position")[:2]
    for name in ("rosa", "eve"):
        answer = client_as(team[name]).post(page_of(first), {"types": ["one-wrong"], "seen": ""})
        assert answer.url == page_of(second)
    assert "1 of 4 labelled by 2 people" in client.get(sample.get_absolute_url()).text
    rows = {row[0]: row[2] for row in panels(project, now)["ambigqa-table-6"].rows}
    assert rows["One answer is accepted: Not found"].value == 1


def test_the_file_has_pseudonyms_and_labels_of_finished_items(
    project, sample, team, client_as, now
):
    first, second = sample.items.order_by("position")[:2]
    for name, category in (("eve", "one-over"), ("ed", "one-wrong")):
        label(first, team[name], now, category)
    label(second, team["eve"], now, "one-over")
    client = client_as(team["rosa"])
    answer = client.get(reverse("label-file", args=[project.slug, sample.pk]))
    lines = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert [line["kind"] for line in lines] == ["sample", *["item"] * 4]
    assert lines[0]["system"] == "SpanSeqGen"
    assert [row["categories"] for row in lines[1]["labels"]] == [["one-over"], ["one-wrong"]]
    people = {row["labeller"] for row in lines[1]["labels"]}
    assert len(people) == 2
    assert not any("Reed" in name for name in people)
    assert (lines[1]["done"], lines[1]["final"], lines[1]["text"]) == (
        *(True, []),
        "It opened in 1843.",
    )
    assert (lines[2]["done"], lines[2]["labels"]) == (False, [])
    api = client.get(reverse("api-label-sample", args=[project.slug, sample.pk])).json()
    for row in (*api["rows"], *lines[1:]):
        for labels in row["labels"]:
            labels.pop("at")
    assert api["rows"] == lines[1:]
    [listed] = client.get(reverse("api-labels", args=[project.slug])).json()["samples"]
    assert (listed["size"], listed["done"]) == (4, 1)
    assert (
        client_as(team["eve"])
        .get(reverse("label-file", args=[project.slug, sample.pk]))
        .status_code
        == 403
    )


def test_experts_find_samples_by_a_tab_and_draw_none(project, sample, team, client_as):
    client = client_as(team["eve"])
    page = client.get(reverse("label-list", args=[project.slug])).text
    assert sample.get_absolute_url() in page
    assert "A scheme of your own" not in page
    assert client.post(sample.get_absolute_url(), {"split": "dev", "size": "1"}).status_code == 403
    elsewhere = factories.make_project(slug="elsewhere")
    other = reverse("label-sample", args=[elsewhere.slug, sample.pk])
    assert client_as(factories.make_member(elsewhere, "researcher")).get(other).status_code == 404


def test_a_scheme_of_the_team_is_defined_and_used(project, team, client_as, now):
    client = client_as(team["rosa"])
    address = reverse("label-scheme", args=[project.slug])
    lines = "Plain: as people talk\n\nStiff: as letters from an office"
    posted = {"title": "Tone", "kind": "accepted", "categories": lines}
    for wrong, sentence in (
        ({"categories": "Plain"}, "write two to 10"),
        ({"categories": "Plain\nplain: again"}, "a name of its own"),
        ({"categories": "Plain\n: nothing"}, "begin each line"),
        ({"categories": f"Plain\n{'x' * 61}"}, "begin each line"),
        ({"spans": "on"}, "in long answers only"),
        ({"kind": "long"}, "choose from the list"),
        ({"title": ""}, "Title"),
    ):
        page = client.post(address, posted | wrong)
        assert (page.status_code, sentence in page.text) == (422, True), wrong
    page = client.post(address, posted, follow=True)
    own = LabelScheme.objects.get()
    assert own.scheme.categories == (
        Category("c1", "Plain", "as people talk"),
        Category("c2", "Stiff", "as letters from an office"),
    )
    assert client.post(address, posted).status_code == 409
    page = client.post(
        reverse("label-new", args=[project.slug, f"own-{own.pk}"]),
        {"split": "dev", "size": "4", "labellers": "1"},
        follow=True,
    )
    assert "0 of 4 labelled" in page.text
    item = SampledItem.objects.order_by("position").first()
    assert client.post(page_of(item), {"types": ["c2"], "seen": ""}).status_code == 302
    rows = panels(project, now)["labels-own"].rows
    assert [row[:3] for row in rows] == [["Tone", "Plain", 0], ["Tone", "Stiff", 1]]
    strange = reverse("label-new", args=[project.slug, "own-999999"])
    assert client.get(strange).status_code == 404


def test_statements_do_not_grow_with_the_sample(project, sample, team, client_as, now):
    client = client_as(team["eve"])
    item = sample.items.first()

    def statements():
        counts = []
        for address in (sample.get_absolute_url(), page_of(item)):
            client.get(address)
            with CaptureQueriesContext(connection) as captured:
                client.get(address)
            counts.append(len(captured))
        return counts

    SampledItem.objects.filter(sample=sample).exclude(pk=item.pk).delete()
    before = statements()
    for question in Question.objects.filter(project=project).exclude(pk=item.question_id):
        made.make_label_item(sample, question, position=question.pk + 100)
    assert statements() == before
