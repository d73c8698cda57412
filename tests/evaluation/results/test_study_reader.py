"""Disambig-F1 among the correlations of a study: from what one reader answered, or why not."""

import csv
import io
import json
import math
from statistics import correlation

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Question
from evaluation.models import Output, ReaderAnswers
from evaluation.results import files as tables
from evaluation.results.automatic import average_by_system
from evaluation.results.stored import find_results
from evaluation.scores import reading
from metrics import asqa as scorer
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.results.judged_study import make_judged
from tests.figures import compute_results, store_results

MISSING = "Disambig-F1 is missing: no reader has answered questions from these answers."


@pytest.fixture
def study(db):
    return make_judged(asqa.make_project())


def read(study, reader="squad 1", systems=("Strong", "Middling", "Weak & poor"), most=6):
    """Let a reader answer the first questions right from what Strong says, the others in part."""
    for output in Output.objects.filter(system__studies=study, system__name__in=systems):
        question = output.question
        if int(question.external_id.removeprefix("key-")) > most:
            continue
        asked = reading.questions_of(question)
        right = [pair.short_answers[0] for pair in _pairs(question)]
        some = {"Strong": right, "Middling": [right[0], ""], "Weak & poor": ["", ""]}
        ReaderAnswers.objects.update_or_create(
            output=output,
            defaults={
                "reader": reader,
                "answers": some[output.system.name],
                "digest": reading.digest_of(output.text, asked),
                "read_at": timezone.now(),
            },
        )


def _pairs(question):
    return list(reading.pairs_of(question).values())


def computed(study):
    return compute_results(study, timezone.now())[0].figures["figures"]


def row_of(figures, people="acc"):
    rows = figures["correlations"]["rows"]
    return [row for row in rows if (row["metric"], row["with"]) == ("qa_f1", people)]


def test_it_is_correlated_with_what_people_say(study):
    read(study)

    figures = computed(study)

    (row,) = row_of(figures)
    assert row["n"] == 3
    assert row["value"] == pytest.approx(0.99, abs=0.02)
    assert len(row_of(figures, "overall")) == 1
    note = figures["correlations"]["disambig_f1"]
    assert note == "Disambig-F1 is from what the reader “squad 1” answered."
    question = Question.objects.get(external_id="key-1")
    by_system = {
        answer["system"]: answer["qa_f1"]
        for answer in figures["answers"]
        if answer["question"] == "key-1"
    }
    assert by_system["Strong"] == 100
    assert (
        by_system["Middling"] == scorer.disambig_f1(_pairs(question), ["25 March 1843", ""]) == 50
    )
    assert by_system["Weak & poor"] == 0


def test_dr_is_correlated_too(study):
    """S48: DR of a system, over the answers that have both of the scores that it is made of."""
    scores = {
        "qa_f1": {"A": {"q1": 100.0, "q2": 0.0}, "B": {"q1": 50.0}, "C": {"q1": 50.0}},
        "rouge_l": {"A": {"q1": 25.0}, "B": {"q2": 30.0}, "D": {"q1": 9.0}},
    }
    assert average_by_system(scores)["dr"] == {"A": 50}
    assert "dr" not in average_by_system({"rouge_l": scores["rouge_l"]})

    def rows():
        found = computed(study)["correlations"]["rows"]
        return {row["with"]: row for row in found if row["metric"] == "dr"}

    assert rows() == {}
    read(study)
    found, figures = rows(), computed(study)
    assert found.keys() >= {"acc", "comp", "fluency", "overall"}
    # One question has a reference, and so both scores.
    dr = {
        row["system"]: math.sqrt(row["qa_f1"] * row["rouge_l"])
        for row in figures["answers"]
        if "rouge_l" in row
    }
    acc = [figures["acc"][name]["value"] for name in dr]
    assert found["acc"]["n"] == len(dr) == 3
    assert found["acc"]["value"] == pytest.approx(correlation(acc, list(dr.values())))
    assert not any("dr" in answer for answer in figures["answers"])


def test_answers_of_another_reader_and_to_other_texts_do_not_count(study):
    read(study)
    read(study, "other 2", systems=("Weak & poor",), most=3)
    Output.objects.filter(system__name="Middling").update(text="It opened again.")

    figures = computed(study)

    assert "“squad 1”" in figures["correlations"]["disambig_f1"]
    scored = {row["system"] for row in figures["answers"] if "qa_f1" in row}
    assert scored == {"Strong", "Weak & poor"}
    (row,) = row_of(figures)
    assert (row["n"], row["value"]) == (2, None)
    assert "2 systems are too few" in row["note"]


def test_the_data_behind_the_signature_includes_it(study):
    before = computed(study)
    read(study)
    assert computed(study)["data_sha256"] != before["data_sha256"]


@pytest.mark.parametrize("asked", [True, False])
def test_where_there_is_none_a_sentence_says_why(study, asked):
    if not asked:
        Question.objects.update(context={})
    figures = computed(study)
    assert row_of(figures) == []
    assert figures["correlations"]["disambig_f1"].startswith(
        MISSING if asked else "Disambig-F1 needs disambiguated questions, and those of this study"
    )
    sentence = figures["correlations"]["disambig_f1"]
    lines = list(csv.reader(io.StringIO(tables.render_csv(figures))))
    assert ["correlation.qa_f1", *[""] * 8, sentence] in lines


def test_page_api_and_command_say_so(study, client_as):
    staff = client_as(factories.make_member(study.project, "researcher"))
    place = [study.project.slug, study.pk]

    def everywhere():
        out = io.StringIO()
        call_command("study_results", study.project.slug, "--study", str(study.pk), stdout=out)
        page = " ".join(staff.get(reverse("study-results", args=place)).content.decode().split())
        data = staff.get(reverse("api-study-results", args=place)).json()
        return out.getvalue(), page, data["figures"]["correlations"]

    printed, page, given = everywhere()
    assert MISSING in printed
    assert MISSING in page
    assert given["disambig_f1"].startswith(MISSING)

    read(study)
    printed, page, given = everywhere()
    assert "Disambig-F1, ACC" in printed
    assert "n 3" in printed.split("Disambig-F1, ACC")[1].split("\n")[0]
    assert '<th scope="row">Disambig-F1</th>' in page
    assert '<th scope="row">DR</th>' in page
    assert "DR, ACC" in printed
    assert "the reader “squad 1” answered." in page
    assert [row for row in given["rows"] if row["metric"] == "qa_f1"]
    chosen = staff.get(reverse("study-results", args=place) + "?metric=qa_f1").content.decode()
    assert "Disambig-F1 of one answer; upwards" in chosen


def test_figures_of_an_older_version_are_shown_without_it(study, client_as):
    store_results(study, timezone.now())
    [row] = find_results(study).place.find_rows()
    del row.figures["figures"]["correlations"]["disambig_f1"]
    row.save()
    stored = find_results(study)
    staff = client_as(factories.make_member(study.project, "researcher"))
    page = staff.get(reverse("study-results", args=[study.project.slug, study.pk]))
    assert "Pearson’s r over systems" in page.content.decode()
    assert json.loads(tables.render_json(study, stored))["figures"]["correlations"]["rows"]
