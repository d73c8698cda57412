"""The list of questions: search, filters, order, pages, and what is done with several at once."""

import re

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment, KeptWarning, Question
from annotation.questions import queries as questions_queries
from annotation.questions.queries import QuestionFilters
from annotation.work import assignments, tasks
from annotation.work.team_questions import park_and_ask
from tests import factories
from tests.validation.conftest import one
from validation.questions import exclusion


@pytest.fixture
def six(project, now):
    texts = ["who built it", "when was it built", "where is it", "who owns it", "how long", "why"]
    found = [
        factories.make_question(
            project, text, split="train" if number < 3 else "dev", external_id=f"crossing-{number}"
        )
        for number, text in enumerate(texts)
    ]
    tasks.open_tasks(question_ids=[each.pk for each in found], now=now)
    return found


def listed(project, **wanted):
    return list(
        questions_queries.list_questions(project, QuestionFilters(**wanted)).values_list(
            "external_id", flat=True
        )
    )


@pytest.fixture
def page(client_as, rosa, project):
    def page(**query):
        address = reverse("project-questions", args=[project.slug])
        return client_as(rosa).get(address, query)

    return page


@pytest.fixture
def change(client_as, rosa, project):
    """change(action="exclude", …): post the form; returns what is said and the new list."""

    def change(**data):
        address = reverse("questions-change", args=[project.slug])
        answer = client_as(rosa).post(address, data, follow=True)
        assert answer.status_code == 200
        return " ".join(str(each) for each in answer.context["messages"])

    return change


class TestFilters:
    def test_words_and_ids(self, project, six):
        assert listed(project, text="BUILT") == ["crossing-0", "crossing-1"]
        assert listed(project, text="crossing-3") == ["crossing-3"]
        assert listed(project, text="%") == []

    def test_words_of_any_language_in_capitals_or_not(self, project):
        texts = [
            *("Łódź straße", "ŁÓDŹ STRASSE", "İstanbul ılık", "ISTANBUL ILIK", "ſharp ﬁne"),
            *("Σίσυφος", "ΣΊΣΥΦΟΣ", "100% a_b \\ c", "plain"),
        ]
        for number, text in enumerate(texts):
            factories.make_question(project, text, external_id=f"ŹRÓDŁO-{number}")
        assert listed(project, text="łódź") == ["ŹRÓDŁO-0", "ŹRÓDŁO-1"]
        assert listed(project, text="źródło-8") == ["ŹRÓDŁO-8"]
        for text in [*texts, "i", "ı", "İ", "ß", "ss", "ſ", "ς", "σ", "%", "_", "\\", "fi", "lo"]:
            found = Question.objects.filter(
                Q(text__icontains=text) | Q(external_id__icontains=text)
            )
            assert set(listed(project, text=text)) == {each.external_id for each in found}, text

    def test_split_and_state(self, project, six):
        Question.objects.filter(pk=six[4].pk).update(state="excluded")
        assert listed(project, split="dev", state="imported") == ["crossing-3", "crossing-5"]

    def test_person_and_kept_warning(self, project, six, ann, ben, answer, now):
        written = answer(project, ann, one("1843"))  # dev first
        KeptWarning.objects.all().delete()
        KeptWarning.objects.create(
            annotation=written, rule="answer-long", field="answer-1", reason="So it is."
        )
        assert listed(project, person=ann.pk) == ["crossing-3"]
        assert listed(project, person=ben.pk) == []
        assert listed(project, warning="answer-long") == ["crossing-3"]
        assert listed(project, warning="another") == []

    def test_claims_and_questions_to_the_team(self, project, six, ann, now):
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        park_and_ask(assignment=turn, reason="Unclear?", by=ann, now=now)
        assert listed(project, about="asked") == ["crossing-3"]
        assert listed(project, about="claim") == []

    def test_a_value_that_is_not_offered_filters_nothing(self, page, six):
        answer = page(state="lost", person="x", order="up", page="99999")
        assert answer.status_code == 200
        assert "crossing-5" in answer.content.decode()


class TestOrder:
    def test_newest_and_state_and_work(self, project, six, ann, answer):
        answer(project, ann, one("1843"))
        assert listed(project, order="newest")[0] == "crossing-5"
        assert listed(project, order="work")[:2] == ["crossing-3", "crossing-5"]
        assert listed(project, order="state")[-1] == "crossing-3"

    @pytest.mark.parametrize("order", ["", "newest", "work", "state"])
    def test_next_and_previous_walk_the_list(self, project, six, ann, answer, order):
        answer(project, ann, one("1843"))
        wanted = QuestionFilters(split="dev", order=order)
        in_order = list(
            questions_queries.list_questions(project, wanted).values_list("pk", flat=True)
        )
        for place, pk in enumerate(in_order):
            found = questions_queries.locate_question(project, wanted, Question.objects.get(pk=pk))
            assert (found.place, found.total) == (place + 1, 3)
            assert found.before == (in_order[place - 1] if place else None)
            assert found.after == (in_order[place + 1] if place < 2 else None)

    def test_a_question_that_the_filter_leaves_out_has_neighbours(self, project, six):
        found = questions_queries.locate_question(project, QuestionFilters(split="dev"), six[1])
        assert (found.before, found.after) == (None, six[3].pk)

    def test_the_page_of_a_question_leads_on_in_the_list(self, client_as, rosa, project, six):
        address = reverse("question-view", args=[project.slug, six[4].pk])
        html = client_as(rosa).get(address, {"split": "dev", "x": "y"}).content.decode()
        assert re.search(rf'data-beside="after" href="[^"]*/{six[5].pk}/\?split=dev"', html)
        assert re.search(rf'data-beside="before" href="[^"]*/{six[3].pk}/\?split=dev"', html)
        assert "2 of 3" in html


class TestPages:
    @pytest.mark.parametrize("order", ["", "newest", "work", "state"])
    def test_fifty_on_a_page_forth_and_back(self, page, project, ann, order):
        states = ["imported", "generating", "accepted"]
        for number in range(120):
            question = factories.make_question(project, state=states[number % 3])
            if number % 4 == 0:
                turn = factories.make_task(project, question)
                factories.make_assignment(turn, ann, state="skipped")
        in_order = list(
            questions_queries.list_questions(project, QuestionFilters(order=order)).values_list(
                "pk", flat=True
            )
        )

        def ids(answer):
            return [question.pk for question in answer.context["questions"]]

        first = page(order=order, split="dev")
        assert ids(first) == in_order[:50]
        assert 'rel="prev"' not in first.content.decode()
        assert f"after={in_order[49]}" in first.content.decode()
        second = page(order=order, split="dev", after=in_order[49])
        assert ids(second) == in_order[50:100]
        html = second.content.decode()
        assert (
            f"split=dev&amp;{f'order={order}&amp;' if order else ''}before={in_order[50]}" in html
        )
        last = page(order=order, after=in_order[99])
        assert ids(last) == in_order[100:]
        assert 'rel="next"' not in last.content.decode()
        assert ids(page(order=order, before=in_order[50])) == in_order[:50]
        assert 'rel="prev"' not in page(order=order, before=in_order[50]).content.decode()
        assert ids(page(order=order, before=in_order[100])) == in_order[50:100]

    @pytest.mark.parametrize("order", ["", "newest", "work", "state"])
    @pytest.mark.parametrize("most", [2, 5, 100])
    def test_the_first_page_and_the_length_in_one_walk(
        self, monkeypatch, project, six, order, most
    ):
        monkeypatch.setattr(questions_queries, "PAGE", 3)
        for text in ("it", "", "nowhere"):
            wanted = QuestionFilters(text=text, order=order)
            rows, further = questions_queries.read_question_page(project, wanted)
            with CaptureQueriesContext(connection) as captured:
                found = questions_queries.first_page(project, wanted, most)
            assert found == (rows, further, questions_queries.count_matching(project, wanted, most))
            if text and order in ("", "newest"):
                walks = [each for each in captured if "LIKE" in each["sql"]]
                assert len(walks) == 1

    def test_what_is_not_counted_is_said_so(self, monkeypatch, page, project, six):
        assert "6 questions of the project" in " ".join(page().content.decode().split())
        monkeypatch.setattr(exclusion, "MOST", 4)
        assert "All 4+ questions of the project" in " ".join(page().content.decode().split())
        monkeypatch.setattr(questions_queries, "MOST_COUNTED", 4)
        assert (
            questions_queries.locate_question(project, QuestionFilters(), six[3]).words == "4 of 4+"
        )
        assert questions_queries.locate_question(project, QuestionFilters(), six[5]).words == ""

    def test_statements_do_not_grow(self, client_as, rosa, project, six):
        client, address = client_as(rosa), reverse("project-questions", args=[project.slug])
        with CaptureQueriesContext(connection) as few:
            client.get(address)
        for _ in range(30):
            factories.make_task(project)
        with CaptureQueriesContext(connection) as many:
            client.get(address)
        assert len(many) == len(few) <= 16

    def test_the_first_page_reads_no_other_project(self, project, now):
        """In the order of the index, so that what other projects hold is never walked."""
        others = [factories.make_project() for _ in range(3)]
        for other in others:
            Question.objects.bulk_create(
                Question(
                    project=other, external_id=f"o{n}", text="why", split="dev", created_at=now
                )
                for n in range(3000)
            )
        Question.objects.bulk_create(
            Question(project=project, external_id=f"q{n}", text="why", split="dev", created_at=now)
            for n in range(3000)
        )
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE annotation_question")
        plan = questions_queries.list_questions(project, QuestionFilters())[:50].explain()
        assert "question_in_order" in plan
        assert "Sort" not in plan


class TestChanges:
    def test_ticked_questions_are_excluded_and_restored(self, change, six):
        ids = [six[0].pk, six[1].pk]
        assert "Give a reason" in change(action="exclude", question=ids)
        assert "Excluded 2 questions." in change(action="exclude", question=ids, reason="Junk.")
        assert set(Question.objects.filter(state="excluded").values_list("pk", flat=True)) == {*ids}
        said = change(action="restore", question=[*ids, six[2].pk])
        assert "Restored 2 questions. The team had not excluded the other 1." in said
        assert not Question.objects.filter(state="excluded").exists()

    def test_all_that_match_the_filter(self, change, six):
        data = {"action": "exclude", "reason": "Junk.", "all": "1", "query": "split=dev"}
        said = change(**data, matching="2")
        assert "Other questions match the filter now" in said
        assert not Question.objects.filter(state="excluded").exists()
        assert "Excluded 3 questions." in change(**data, matching="3")
        assert set(Question.objects.filter(state="excluded").values_list("split", flat=True)) == {
            "dev"
        }

    def test_questions_move_while_nobody_has_had_them(self, change, six, project, ann, now):
        assert "Moved 1 question to test." in change(
            action="move", question=six[0].pk, split="test"
        )
        assignments.take_next(project=project, stage="generation", by=ann, now=now)
        said = change(action="move", question=[each.pk for each in six], split="train")
        assert "Someone has already worked on 1 of these questions" in said
        assert Assignment.objects.get().policy.split == "dev"

    def test_ticked_questions_come_first_or_last(self, change, page, six, project, ann, now):
        said = change(action="prioritise", question=[six[4].pk, six[5].pk], priority="FIRST")
        assert "Set the priority of 2 questions to “First”." in said
        assert "1 question to “Last”" in change(
            action="prioritise", question=six[3].pk, priority="LAST"
        )
        shown = re.findall(r'<span class="badge[^"]*">(\w+)</span>', page().content.decode())
        assert shown == ["Last", "First", "First"]
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        assert turn.task.question_id == six[4].pk

    def test_all_that_match_come_first_and_normal_again(self, change, page, six):
        data = {"action": "prioritise", "all": "1", "query": "split=dev", "matching": "3"}
        assert "3 questions to “First”" in change(**data, priority="FIRST")
        assert "“First” already" in change(**data, priority="FIRST")
        assert "Choose when" in change(**data, priority="-1")
        assert "3 questions to “Normal”" in change(**data, priority="NORMAL")
        assert ">First</span>" not in page().content.decode()

    def test_the_log_says_who_changed_a_priority(self, change, client_as, rosa, project, six):
        change(action="prioritise", question=six[0].pk, priority="FIRST")
        view = reverse("question-view", args=[project.slug, six[0].pk])
        html = client_as(rosa).get(view).content.decode()
        assert "Rosa Reed changed its place in the queue: first" in html

    def test_nothing_ticked_and_nothing_chosen(self, change, six):
        assert "Choose at least one question." in change(action="exclude", reason="Junk.")
        assert "Choose what to do" in change(action="delete", question=six[0].pk)

    def test_ids_of_another_project_do_nothing(self, change, six):
        other = factories.make_question(factories.make_project())
        change(action="exclude", question=other.pk, reason="Junk.")
        change(action="move", question=other.pk, split="test")
        other.refresh_from_db()
        assert (other.state, other.split) == ("imported", "dev")

    def test_one_question_is_excluded_and_restored_on_its_page(
        self, client_as, rosa, project, six, state
    ):
        client, address = client_as(rosa), "question-change"
        address = reverse(address, args=[project.slug, six[0].pk])
        client.post(address, {"action": "exclude", "reason": "Junk.", "query": "split=train"})
        assert state(six[0]) == "excluded"
        view = reverse("question-view", args=[project.slug, six[0].pk])
        html = client.get(view).content.decode()
        assert "Excluded by Rosa Reed: Junk." in html
        assert "Restore this question" in html
        answer = client.post(address, {"action": "restore", "query": "split=train"})
        assert answer["Location"] == f"{view}?split=train"
        assert state(six[0]) == "imported"
