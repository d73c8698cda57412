"""The figures of a whole project against numbers counted by hand from tests.validation.simulated.

Each expectation says which questions were counted; nothing here is computed from the code.
"""

import pytest

from annotation.work import assignments
from tests import factories
from validation.agreement import reporting
from validation.agreement.facts import read_facts


def figures(project, split=None):
    found = reporting.build_report(*read_facts(project, split))
    return reporting.name_figures(found, {each.pk: each.name for each in _people(project)})


def _people(project):
    from accounts.models import User

    return User.objects.filter(memberships__project=project)


# Sums over the questions that count; a value is the sum through n.
BY_HAND = {
    # Q1 to Q13 have two annotations. F1 is 2 · shared / (A + B):
    # 1 and 1 (Q1, Q2), 2·1/3 (Q3), 2·1/4 (Q4), 0 (Q5, Q6), 2·2/5 (Q7), 2·1/4 (Q8), 0 (Q9, Q10),
    # 1 (Q11: nothing against nothing), 2·2/6 (Q12), 0 (Q13).
    "generators.f1_answer": (1 + 1 + 2 / 3 + 1 / 2 + 4 / 5 + 1 / 2 + 1 + 2 / 3, 13),
    "generators.exact": (3, 13),  # Q1, Q2, Q11
    # Q1 to Q12 are through: Q13 and Q14 wait, train is not validated.
    "validation.automatic": (3, 12),  # Q1, Q2, Q11
    "validation.accepted": (2, 12),  # Q3, Q12
    "validation.passed": (5, 12),
    "validation.changed": (7, 12),  # Q4 to Q10
    "validation.edited": (3, 12),  # Q5, Q6, Q8
    "validation.excluded": (4, 12),  # Q4, Q7, Q9, Q10
    "changes.edited": (3, 7),
    "changes.excluded": (4, 7),
    # Q4: B has not 1869. Q6: nobody has 25 March 1844. Q8: nobody has 1900. Q10: B has none.
    "changes.missed": (4, 7),
    # Q4: B's 2010. Q6: A's 1843, B's 1869. Q7: A's 1900.
    "changes.invalid": (3, 7),
    "changes.both": (2, 7),  # Q4, Q6
    "changes.neither": (2, 7),  # Q5: put together; Q9: the question itself
    # 29 submissions on 16 questions: two on Q1 to Q13, one on Q14, T1, T2.
    # Several: Q1 2, Q3 1, Q4 2, Q7 2, Q8 2, Q12 2, T1 1. None: Q10 1, Q11 2, T2 1.
    "responses.multiple": (12 / 29, 16, 1),
    "responses.single": (13 / 29, 16, 1),
    "responses.none": (4 / 29, 16, 1),
    # The validator decided Q3 to Q10 and Q12. The smallest set that stands has several pairs on
    # Q4, Q7, Q8, Q12; one on Q3 (B's annotation), Q5, Q6, Q10; nothing stands on Q9.
    "accepted.multiple": (4, 9),
    "accepted.single": (4, 9),
    "accepted.none": (1, 9),
    "annotations.annotations": (29, 16),
    # Accepted with something: Q1 to Q8, Q10, Q12, T1. Two sets on Q1, Q2, Q3, Q12.
    "questions.accepted_sets": (15, 11),
    # Pairs of the smallest set: Q1 2, Q2 1, Q3 1, Q4 2, Q5 1, Q6 1, Q7 2, Q8 4, Q10 1, Q12 3, T1 2.
    "questions.pairs": (20, 11),
    "questions.pairs_1": (5, 11),
    "questions.pairs_2": (4, 11),
    "questions.pairs_3": (1, 11),
    "questions.pairs_4_or_more": (1, 11),
    # Ann: several on Q1, Q3, Q4, Q7, Q8, Q12, T1; none on Q11, T2; one on the other seven.
    "generator.Ann Archer.multiple": (7, 16),
    "generator.Ann Archer.single": (7, 16),
    "generator.Ann Archer.none": (2, 16),
    # Ben: several on Q1, Q4, Q7, Q8, Q12; none on Q10, Q11; one on Q2, Q3, Q5, Q6, Q9, Q13.
    "generator.Ben Baker.multiple": (5, 13),
    "generator.Ben Baker.single": (6, 13),
    "generator.Ben Baker.none": (2, 13),
    # Decided or alike: Q1 to Q8, Q10 to Q12. Ann is wrong on Q6, Q7, Q8; Ben on Q4, Q6, Q8, Q10.
    "generator.Ann Archer.correct": (8, 11),
    "generator.Ben Baker.correct": (7, 11),
    "validator.Val Vance.multiple": (4, 9),
    "validator.Val Vance.single": (4, 9),
    "validator.Val Vance.none": (1, 9),
}
NOTHING_YET = {"audit.f1_answer", "audit.precision_answer", "audit.recall_answer"}


def test_every_figure_is_what_one_counts_by_hand(world):
    found = figures(world.project)
    assert found.keys() == BY_HAND.keys() | NOTHING_YET
    for name, (total, n, *through) in BY_HAND.items():
        assert found[name]["n"] == n, name
        assert found[name]["value"] == pytest.approx(total / (through[0] if through else n)), name
        assert found[name]["low"] <= found[name]["value"] <= found[name]["high"], name
    for name in NOTHING_YET:
        assert found[name] == {"value": None, "n": 0, "low": None, "high": None}


def test_the_states_are_as_the_table_says(world):
    states = dict(world.questions)
    for question in states.values():
        question.refresh_from_db()
    assert {name: question.state for name, question in states.items()} == {
        "Q1": "auto_accepted",
        "Q2": "auto_accepted",
        "Q3": "accepted",
        "Q4": "edited",
        "Q5": "edited",
        "Q6": "edited",
        "Q7": "edited",
        "Q8": "edited",
        "Q9": "excluded",
        "Q10": "edited",
        "Q11": "auto_accepted",
        "Q12": "accepted",
        "Q13": "validating",
        "Q14": "generating",
        "T1": "accepted",
        "T2": "accepted",
    }


def test_one_split_by_itself(world):
    train = figures(world.project, "train")
    assert train["responses.multiple"]["value"] == 1 / 2  # T1 of T1 and T2
    assert train["questions.pairs"] == {  # T1
        **{"value": 2, "n": 1, "low": None, "high": None, "note": "too few to tell"}
    }
    assert train["validation.passed"]["n"] == train["generators.f1_answer"]["n"] == 0
    dev = figures(world.project, "dev")
    assert dev["questions.pairs"]["value"] == pytest.approx(18 / 10)  # without T1


def test_work_left_out_counts_nowhere(world, rosa, now):
    """Q1 loses B's annotation: it is being answered again and counts as one annotation."""
    turn = assignments.Assignment.objects.get(task__question=world.questions["Q1"], user=world.ben)
    assignments.soft_reject(assignment=turn, note="Copied.", by=rosa, now=now)
    found = figures(world.project)
    assert found["generators.exact"]["n"] == 12
    assert found["validation.passed"] == pytest.approx(
        found["validation.passed"] | {"value": 4 / 11, "n": 11}
    )
    assert found["annotations.annotations"]["value"] == pytest.approx(28 / 16)
    assert found["questions.pairs"]["n"] == 10


def test_a_decision_of_the_team_counts_instead_of_the_validators(world, rosa, now):
    """Q4 is put back to both annotations, as Q3: the validator's own shares stay."""
    from validation.decisions import services as decisions_services
    from validation.models import Decision
    from validation.verdicts.queries import said_on
    from validation.verdicts.responses import ValidationResult, as_written

    question = world.questions["Q4"]
    said = said_on([question.pk])[question.pk]
    both = tuple(as_written(said, column) for column in range(2))
    decisions_services.decide_question(
        question=question,
        result=ValidationResult(both, "none", excluded=False),
        said=said,
        source=Decision.Source.STAFF,
        by=rosa,
        now=now,
    )
    question.__class__.objects.filter(pk=question.pk).update(state="accepted")
    found = figures(world.project)
    assert found["validation.accepted"]["value"] == pytest.approx(3 / 12)
    assert found["validation.changed"]["value"] == pytest.approx(6 / 12)
    assert found["validator.Val Vance.multiple"]["value"] == pytest.approx(4 / 9)


def test_the_number_of_statements_does_not_grow(world, django_assert_num_queries):
    with django_assert_num_queries(4):
        read_facts(world.project)
    empty = factories.make_project()
    with django_assert_num_queries(4):
        read_facts(empty)


def test_the_same_rows_give_the_same_numbers(world):
    assert figures(world.project) == figures(world.project)
