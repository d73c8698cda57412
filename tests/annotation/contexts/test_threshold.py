"""Choosing the threshold: what is shown afterwards, and that a writer's page stays what it was."""

import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.contexts import threshold as context_threshold
from annotation.contexts.searches import count_unsearched
from annotation.contexts.threshold import ThresholdChange, set_threshold
from annotation.contexts.writer_context import shown_contexts
from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, AuditEntry, Project, Task
from tests import factories
from tests.annotation.contexts.helpers import compute, found, open_question, scored, shown
from tests.annotation.long_answers import helpers
from tests.annotation.work.helpers import in_parallel, wait_until_one_is_blocked


class TestApplying:
    pytestmark = pytest.mark.django_db

    def test_what_reaches_it_is_shown_and_what_does_not_is_hidden(self, project, rosa, now):
        question = open_question(project)
        scored(question, 0.05, 0.2, 0.1999)
        applied = set_threshold(project=project, threshold=0.2, by=rosa, now=now)
        assert applied == ThresholdChange(shown=0, hidden=2, kept=0)
        assert shown(question) == {1}
        assert project.context_threshold == 0.2
        assert Project.objects.get(pk=project.pk).context_threshold == 0.2
        applied = set_threshold(project=project, threshold=0.0, by=rosa, now=now)
        assert applied == ThresholdChange(shown=2, hidden=0, kept=0)
        assert shown(question) == {0, 1, 2}

    def test_in_an_opened_question_everything_stays(self, project, rosa, ann, now):
        opened, other = open_question(project), open_question(project)
        scored(opened, 0.05, 0.3)
        scored(other, 0.05, 0.3)
        helpers.take(project, ann, now)
        applied = set_threshold(project=project, threshold=0.2, by=rosa, now=now)
        assert applied == ThresholdChange(shown=0, hidden=1, kept=1)
        assert (shown(opened), shown(other)) == ({0, 1}, {1})

    @pytest.mark.parametrize("state", ["parked", "submitted", "expired", "returned", "skipped"])
    def test_also_after_the_turn_is_over(self, project, rosa, ann, now, state):
        question = open_question(project)
        scored(question, 0.05)
        factories.make_assignment(question.tasks.get(), ann, state=state)
        set_threshold(project=project, threshold=0.2, by=rosa, now=now)
        assert shown(question) == {0}

    def test_it_is_audited_once_with_its_effect(self, project, rosa, now):
        scored(open_question(project), 0.05, 0.3)
        for _ in range(2):
            set_threshold(project=project, threshold=0.2, by=rosa, now=now)
        entry = AuditEntry.objects.get(action="context_threshold_changed")
        assert (entry.actor, entry.target) == (rosa.pk, f"project:{project.pk}")
        assert entry.data == {"before": 0.1, "after": 0.2, "shown": 0, "hidden": 1, "kept": 0}

    def test_other_projects_are_not_touched(self, project, rosa, now):
        other = helpers.make_project(snapshot=project.snapshot)
        question = open_question(other)
        scored(question, 0.05)
        set_threshold(project=project, threshold=0.2, by=rosa, now=now)
        assert shown(question) == {0}

    def test_who_may(self, project, ann, rosa, now):
        with pytest.raises(Denied, match="Only researchers"):
            set_threshold(project=project, threshold=0.2, by=ann, now=now)
        with pytest.raises(Conflict, match="from 0 to 1"):
            set_threshold(project=project, threshold=1.01, by=rosa, now=now)
        project.state = "closed"
        with pytest.raises(Conflict, match="closed"):
            set_threshold(project=project, threshold=0.2, by=rosa, now=now)
        assert Project.objects.get(pk=project.pk).context_threshold == 0.1

    def test_what_is_found_later_follows_it(self, project, rosa, now):
        set_threshold(project=project, threshold=0.99, by=rosa, now=now)
        question = open_question(project)
        compute(project)
        assert set(found(question)) == {0, 1}
        assert shown(question) == set()


class Paused:
    """Stops a thread inside a transaction until the test says so."""

    def __init__(self):
        self.reached, self.go_on = threading.Event(), threading.Event()

    def here(self):
        self.reached.set()
        assert self.go_on.wait(20)


def in_thread(function):
    """Run a function on a connection of its own; join() gives what it returned or raised."""
    result = []

    def run():
        try:
            result.append(function())
        except Exception as error:
            result.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()

    def join():
        thread.join(timeout=30)
        assert not thread.is_alive(), "two transactions wait for each other"
        return result[0]

    return join


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_what_somebody_takes_while_it_changes_is_what_they_go_on_seeing(self, project, rosa):
        """Six people take questions while the threshold goes up and down."""
        people = [
            factories.make_member(project, "annotator", name=f"P{number} Person")
            for number in range(6)
        ]
        questions = [open_question(project) for _ in range(30)]
        for question in questions:
            scored(question, 0.05, 0.15, 0.25)

        def taking(person):
            def take_five():
                seen = []
                for _ in range(5):
                    assignment = helpers.take(project, person, timezone.now())
                    pk = Task.objects.get(pk=assignment.task_id).question_id
                    seen.append((pk, set(shown_contexts([pk])[pk])))
                    Assignment.objects.filter(pk=assignment.pk).update(
                        state="parked"
                    )  # the next one
                return seen

            return take_five

        def changing():
            for number in range(20):
                mine = Project.objects.get(pk=project.pk)
                threshold = (0.1, 0.2, 0.0, 0.3)[number % 4]
                set_threshold(project=mine, threshold=threshold, by=rosa, now=timezone.now())
            return []

        results = in_parallel([*(taking(person) for person in people), changing])
        assert not [result for result in results if isinstance(result, Exception)], results
        seen = [each for result in results for each in result]
        assert len(seen) == 30
        for pk, positions in seen:
            assert set(shown_contexts([pk])[pk]) == positions

    def test_who_takes_it_first_keeps_it(self, project, rosa, ann, monkeypatch):
        """The change waits for the task, and then sees that it was taken."""
        question = open_question(project)
        scored(question, 0.05)
        pause = Paused()
        lock = context_threshold.lock_questions

        def slowly(ids):
            pause.here()  # it has found the question, and has no lock on it yet
            lock(ids)

        monkeypatch.setattr(context_threshold, "lock_questions", slowly)
        join = in_thread(
            lambda: set_threshold(project=project, threshold=0.2, by=rosa, now=timezone.now())
        )
        assert pause.reached.wait(20)
        with transaction.atomic():
            assert helpers.take(project, ann, timezone.now())
            pause.go_on.set()
            wait_until_one_is_blocked()  # by the task that is being taken
        assert join() == ThresholdChange(shown=0, hidden=0, kept=1)
        assert shown(question) == {0}

    def test_who_takes_it_after_waits_and_sees_the_new_one(self, project, rosa, ann, monkeypatch):
        question = open_question(project)
        scored(question, 0.05)
        pause = Paused()
        hold = context_threshold.lock_tasks

        def held(ids):
            hold(ids)
            pause.here()

        monkeypatch.setattr(context_threshold, "lock_tasks", held)
        change = in_thread(
            lambda: set_threshold(project=project, threshold=0.2, by=rosa, now=timezone.now())
        )
        assert pause.reached.wait(20)

        def take_and_look():
            helpers.take(project, ann, timezone.now())
            return shown(question)

        look = in_thread(take_and_look)
        wait_until_one_is_blocked()
        pause.go_on.set()
        assert change() == ThresholdChange(shown=0, hidden=1, kept=0)
        assert look() == set()

    def test_a_paragraph_found_meanwhile_follows_the_new_threshold(
        self, project, rosa, monkeypatch
    ):
        """A search that has found something waits for the change, and reads what it says."""
        question = open_question(project)
        pause = Paused()
        differing = context_threshold._differing

        def slowly(project, threshold):
            if not pause.reached.is_set():
                pause.here()  # the project has the new value, nobody else sees it yet
            return differing(project, threshold)

        monkeypatch.setattr(context_threshold, "_differing", slowly)
        change = in_thread(
            lambda: set_threshold(project=project, threshold=0.99, by=rosa, now=timezone.now())
        )
        assert pause.reached.wait(20)
        search = in_thread(lambda: compute(Project.objects.get(pk=project.pk)))
        wait_until_one_is_blocked()
        pause.go_on.set()
        assert change() == ThresholdChange(0, 0, 0)
        assert search().found == 2
        assert set(found(question)) == {0, 1}
        assert shown(question) == set()

    def test_two_searches_at_once_write_each_paragraph_once(self, project):
        questions = [open_question(project) for _ in range(6)]
        results = in_parallel([lambda: compute(project)] * 3)
        assert not [result for result in results if isinstance(result, Exception)], results
        assert all(set(found(question)) == {0, 1} for question in questions)
        assert not count_unsearched(project)
