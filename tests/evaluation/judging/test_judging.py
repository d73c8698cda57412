"""Judges at work: sides, repeats, own texts, closed studies, progress."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Task
from annotation.work import tasks
from evaluation.models import Item, Judgment, Output, Study
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.factories import LEFT, RIGHT
from tests.evaluation.judging.windows import judge, make_items, submit
from tests.stages.examples import judgment

FIRST, SECOND = LEFT.lower(), RIGHT.lower()


@pytest.fixture
def project(db):
    return asqa.make_project()


def sides(window):
    """The texts on the page, from left to right."""
    places = {window.html.index(text): text for text in (FIRST, SECOND) if text in window.html}
    return [places[place] for place in sorted(places)]


class TestSides:
    @pytest.mark.parametrize("swapped", [False, True])
    def test_each_person_sees_the_sides_the_other_way_round(self, project, swapped):
        item = studies.judged_question(project, raters=3)
        Item.objects.filter(pk=item.pk).update(swapped=swapped)
        seen = [submit(judge(project, f"P{n} Person").take()) for n in range(3)]
        orders = [[FIRST, SECOND], [SECOND, FIRST], [FIRST, SECOND]]
        assert [sides(window) for window in seen] == [
            order[::-1] if swapped else order for order in orders
        ]
        rows = Judgment.objects.order_by("pk").values_list("swapped", flat=True)
        assert list(rows) == [side != swapped for side in (False, True, False)]

    def test_a_side_stays_as_it_is_whoever_comes_later(self, project):
        studies.judged_question(project, raters=2)
        one, two = judge(project).take(), judge(project, "Sam Sedge").take()
        assert sides(one.open()) == [FIRST, SECOND]
        assert sides(two.open()) == [SECOND, FIRST]

    def test_a_repeat_shows_the_opposite_of_what_the_same_person_saw(self, project):
        item = studies.judged_question(project, raters=2)
        studies.make_item(item.study, item.question, item.first, item.second, repeats=item)
        studies.open_items(item.study)
        for name, order in (("Rita Rye", [FIRST, SECOND]), ("Sam Sedge", [SECOND, FIRST])):
            window = judge(project, name).take()
            assert sides(window) == order
            submit(window)
            again = window.take()
            assert sides(again) == order[::-1]
            submit(again)
        rows = Judgment.objects.values_list("item__position", "swapped").order_by("pk")
        assert list(rows) == [(0, False), (1, True), (0, True), (1, False)]

    def test_a_repeat_stays_as_it_is_while_the_first_is_changed(self, project):
        item = studies.judged_question(project)
        studies.make_item(item.study, item.question, item.first, item.second, repeats=item)
        studies.open_items(item.study)
        window = submit(judge(project).take())
        first = window.assignment
        window.take()
        before = sides(window)
        repeat = window.assignment
        assert window.client.post(reverse("work-change", args=[first.pk])).status_code == 302
        window.assignment = repeat
        assert sides(window.open()) == before


class TestThePage:
    @pytest.mark.parametrize("steps", [3, 5])
    def test_keys_run_from_left_to_right(self, project, steps):
        item = studies.judged_question(project)
        Study.objects.filter(pk=item.study_id).update(steps=steps)
        html = judge(project).take().html
        row = html[html.index('id="choice-1"') : html.index('id="choice-2"')]
        digits = [int(each) for each in re.findall(r'data-digit="(\d)"', row)]
        assert digits == list(range(1, steps + 1))

    def test_it_says_how_sides_come_about_and_how_far_the_judge_is(self, project):
        make_items(project, 2)
        window = judge(project).take()
        blind = "Sides are drawn at random. You never see who or what wrote an answer."
        assert blind in window.words
        assert 'aria-label="0 of 2 done"' in window.html
        assert 'aria-label="1 of 2 done"' in submit(window).take().html

    def test_one_answer_alone_has_no_sides_to_draw(self, project):
        studies.judged_question(project, alone=True)
        words = judge(project, stage="accuracy").take().words
        assert "You never see who or what wrote the answer." in words
        assert "Sides are drawn" not in words


class TestWhatIsWritten:
    def test_the_judgment_says_who_judged_what_and_whose_side_was_where(self, project):
        item = studies.judged_question(project)
        author = factories.make_user()
        Output.objects.filter(system=item.second).update(author=author)
        window = judge(project).take()
        submit(window, **{"left-0-found": ["yes"], "left-0-words": ["25 March 1843"]})
        row = Judgment.objects.get()
        assert (row.item, row.judge, row.swapped) == (item, window.user, False)
        assert (row.first_author, row.second_author) == (None, author)
        assert row.response is None
        assert row.submission.response["left"][0] == {"found": "yes", "words": "25 March 1843"}
        assert [choice["better"] for choice in row.submission.response["choices"]] == ["tie"] * 3

    def test_one_answer_alone_has_no_sides_and_no_criteria(self, project):
        studies.judged_question(project, alone=True)
        window = judge(project, stage="accuracy").take()
        assert "Answer 2" not in window.html
        assert not any(name.startswith(("right", "choice")) for name in window.fields)
        submit(window)
        row = Judgment.objects.get()
        assert (row.swapped, row.second_author) == (False, None)
        assert row.submission.response["right"] == row.submission.response["choices"] == []

    def test_a_study_may_only_compare(self, project):
        studies.judged_question(project, accuracy=False)
        window = judge(project).take()
        assert not any(name.endswith("-found") for name in window.fields)
        submit(window)

    def test_a_question_without_disambiguations_asks_which_is_better(self, project):
        item = studies.judged_question(project)
        type(item.question).objects.filter(pk=item.question_id).update(context={})
        window = judge(project).take()
        assert not any(name.endswith("-found") for name in window.fields)
        submit(window)

    def test_every_accepted_short_answer_is_listed(self, project):
        studies.judged_question(project)
        words = judge(project).take().words
        assert "25 March 1843 · March 25, 1843" in words

    @pytest.mark.parametrize(
        ("how", "text"),
        [("lower", "it opened in 1843. twice"), ("plain", "It opened in 1843. Twice")],
    )
    def test_texts_are_shown_as_the_study_says(self, project, how, text):
        studies.judged_question(
            project, texts=("**It** opened\n\nin 1843. Twice", RIGHT), shown=how
        )
        assert f">{text}</p>" in judge(project).take().html

    def test_five_steps(self, project):
        studies.judged_question(project, steps=5)
        window = judge(project).take()
        assert window.html.count('value="left_much"') == 3
        submit(window, **{"choice-0-better": ["right_much"]})
        assert Judgment.objects.get().submission.response["choices"][0]["better"] == "right_much"

    def test_several_choices_are_refused_with_a_sentence(self, project):
        studies.judged_question(project)
        window = judge(project).take()
        fields = judgment(window.fields, "x") | {"choice-1-better": ["left", "right"]}
        answer = window.post("submit", fields, headers={"HX-Request": "true"})
        assert answer.status_code == 422
        assert "Criterion 2: several choices were sent. Choose exactly one." in answer.text
        assert not Judgment.objects.exists()

    def test_words_of_the_other_text_are_refused_and_removed_without_scripts(self, project):
        studies.judged_question(project)
        window = judge(project).take()
        fields = judgment(window.fields, "x") | {"left-0-words": ["7 December 1869"]}
        answer = window.post("submit", fields)
        assert answer.status_code == 422
        assert "is not in this text. Copy the words from it" in answer.text
        press = {"action": ["fix elsewhere left-1-words"]}
        assert window.post("draft", window.open().fields | press).status_code == 302
        assert window.open().fields["left-0-words"] == [""]
        assert window.fields["left-0-found"][-1] == "yes"


class TestOwnTexts:
    def test_the_author_never_gets_the_task(self, project):
        item = studies.judged_question(project)
        window = judge(project)
        Output.objects.filter(system=item.first).update(author=window.user)
        studies.open_items(item.study)
        answer = window.client.post(reverse("work-next", args=[project.slug, "comparison"]))
        assert answer["Location"] == "/"
        assert not Assignment.objects.exists()
        judge(project, "Sam Sedge").take()

    @pytest.mark.parametrize("side", ["first", "second"])
    def test_somebody_who_became_the_author_meanwhile_is_told_and_nothing_is_lost(
        self, project, side
    ):
        item = studies.judged_question(project)
        window = judge(project).take()
        Output.objects.filter(system=getattr(item, side)).update(author=window.user)
        answer = window.post("submit", judgment(window.fields, "walkers"))
        assert answer.status_code == 409
        assert "You wrote one of these answers, so you cannot judge it." in answer.text
        assert (window.row().state, Judgment.objects.count()) == ("active", 0)
        assert "walkers" in str(window.row().draft)

    @pytest.mark.parametrize("side", ["first", "second"])
    def test_the_table_refuses_it_whoever_writes(self, project, side):
        studies.judged_question(project)
        window = submit(judge(project).take())
        name = f"judgment_not_of_own_{side}_text"
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            Judgment.objects.update(**{f"{side}_author": window.user})


class TestClosed:
    def close(self, item):
        units = [row.unit for row in item.study.items.all()]
        tasks.ask_no_more(stage=item.study.stage, project=item.study.project, units=units)
        Study.objects.filter(pk=item.study_id).update(state="closed", closed_at=timezone.now())

    def test_work_in_hand_can_still_be_submitted_and_nobody_else_gets_any(self, project):
        item = studies.judged_question(project, raters=2)
        window = judge(project).take()
        self.close(item)
        submit(window)
        assert Judgment.objects.count() == 1
        other = judge(project, "Sam Sedge")
        answer = other.client.post(reverse("work-next", args=[project.slug, "comparison"]))
        assert answer["Location"] == "/"

    def test_what_was_submitted_stays(self, project):
        item = studies.judged_question(project)
        window = submit(judge(project).take())
        assert "Change it" in window.open().html
        self.close(item)
        assert "Change it" not in window.open().html
        answer = window.post("change", {})
        assert answer.status_code == 409
        assert "This study is closed" in answer.text
        assert (window.row().state, Judgment.objects.count()) == ("submitted", 1)


class TestProgress:
    def test_it_counts_what_is_done_in_hand_and_open_to_the_person(self, project):
        study = make_items(project, 5)
        behind = make_items(project, 3)
        Task.objects.filter(unit__startswith=f"{behind.pk}-").update(position=1_000)
        window = judge(project)
        barred = study.items.get(position=4)
        Task.objects.filter(unit=barred.unit).update(barred=[window.user.pk])
        for done in range(3):
            assert f"Comparison {done + 1} of 4 " in window.take().words
            submit(window)
        Assignment.objects.update(active_seconds=60)
        assert "Comparison 4 of 4, about 1 min left" in window.take().words.replace("\xa0", " ")

    def test_a_repeat_of_what_somebody_else_judged_is_not_counted(self, project):
        study = make_items(project, 3)
        for item in study.items.all()[:2]:
            studies.make_item(study, item.question, item.first, item.second, repeats=item)
        studies.open_items(study)
        window = judge(project).take()
        assert "Comparison 1 of 5 " in window.words
        submit(window)
        other = judge(project, "Sam Sedge").take()
        assert "Comparison 1 of 1 " in other.words  # the second is in hand
        assert "Comparison 2 of 4 " in window.take().words

    def test_it_costs_the_same_with_more_items(self, project, django_assert_max_num_queries):
        make_items(project, 30)
        window = judge(project).take()
        with django_assert_max_num_queries(7):
            window.client.get(window.url("page"))
