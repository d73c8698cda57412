"""Which side questions of lists are on, against rules written down apart."""

from hypothesis import given, settings
from hypothesis import strategies as st

from qampari.making.splitting import DEV, PAPER, STRICT, TEST, TRAIN, DrawPlan
from qampari.making.table_lists import CellPlace, ListedValue, PageList
from qampari.making.table_queries import (
    TABLE_COMPOSITION,
    TABLE_SIMPLE,
    ListedAnswer,
    TableQuestion,
)
from qampari.making.table_splitting import (
    SAME_ANSWERS,
    AnswerSets,
    count_shared_pages,
    draw_table_questions,
)
from qampari.making.table_wording import ListTitle
from qampari.making.wording import WordedQuestion

PLENTY = DrawPlan(
    {TRAIN: {TABLE_COMPOSITION: 99}, DEV: {}, TEST: {TABLE_SIMPLE: 99, TABLE_COMPOSITION: 99}}
)


def ask(path, value="", titles=()):
    listed = PageList(ListTitle(path, path), path, 1, "", ("Lock", "Town"), 0, ())
    answers = tuple(ListedAnswer(one, one, (), one, "", []) for one in titles)
    asked = (1, ListedValue(CellPlace(0, 1, 1, value, ""), "")) if value else (None, None)
    return TableQuestion(listed, answers, 5, (), WordedQuestion(f"{path} {value}?"), *asked)


def draw(questions, rule=STRICT, seed=1, plan=PLENTY, others=None):
    given = [others] if others else []
    drawn, short, left_out = draw_table_questions(questions, plan, rule, seed, *given)
    return drawn, short, left_out


LISTS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=12
)  # whether a list has a simple question, and how many compositions


def make_pool(lists):
    questions = []
    for number, (simple, compositions) in enumerate(lists):
        questions += [ask(f"L{number}")] * simple
        questions += [ask(f"L{number}", f"v{each}") for each in range(compositions)]
    return questions


@settings(max_examples=200, deadline=None)
@given(LISTS, st.integers(0, 50))
def test_strictly_a_list_is_on_one_side(lists, seed):
    pool = make_pool(lists)
    drawn, _, _ = draw(pool, seed=seed)
    assert sorted(each.key for each in drawn) == sorted(each.key for each in pool)
    assert count_shared_pages(drawn)["lists"] == 0
    whole = {each.listed.path for each in pool if each.kind == TABLE_SIMPLE}
    assert all(each.split == TEST for each in drawn if each.listed.path in whole)
    again, _, _ = draw(pool[::-1], seed=seed)
    assert again == drawn


@settings(max_examples=200, deadline=None)
@given(LISTS, st.integers(0, 50))
def test_as_the_paper_has_it_only_simple_ones_are_bound_to_test(lists, seed):
    drawn, _, _ = draw(make_pool(lists), rule=PAPER, seed=seed)
    assert all(each.split == TEST for each in drawn if each.kind == TABLE_SIMPLE)


def test_the_paper_s_rule_lets_a_tested_list_into_train():
    pool = [ask("L"), *(ask("L", f"v{n}") for n in range(20))]
    drawn, _, _ = draw(pool, rule=PAPER)
    assert count_shared_pages(drawn)["lists"] == 1


def test_sizes_are_exact_or_what_is_short_is_named():
    sizes = {
        TRAIN: {TABLE_COMPOSITION: 2},
        DEV: {TABLE_SIMPLE: 1, TABLE_COMPOSITION: 1},
        TEST: {TABLE_SIMPLE: 2, TABLE_COMPOSITION: 3},
    }
    pool = make_pool([(True, 1), (True, 1)])
    drawn, short, _ = draw(pool, plan=DrawPlan(sizes))
    assert [(each.split, each.kind, each.wanted, each.drawn) for each in short] == [
        (TRAIN, TABLE_COMPOSITION, 2, 0),
        (TEST, TABLE_COMPOSITION, 3, 2),
        (DEV, TABLE_SIMPLE, 1, 0),
        (DEV, TABLE_COMPOSITION, 1, 0),
    ]
    assert len({each.key for each in drawn}) == len(drawn) == 4


def test_train_has_at_most_so_many_of_a_list():
    pool = make_pool([(False, 4)] * 12)
    drawn, _, _ = draw(pool, plan=DrawPlan(PLENTY.sizes, most_of_relation=2))
    of_train = [each.listed.path for each in drawn if each.split == TRAIN]
    assert of_train
    assert max(map(of_train.count, of_train)) == 2


def test_what_the_other_half_asks_for_already_is_left_out():
    same, others = ask("A", titles="abcde"), ask("B", titles="vwxyz")
    sets = AnswerSets(train=(frozenset("abcdef"), frozenset("v")))
    drawn, _, left_out = draw([same, others], others=sets)
    assert [each.key for each in drawn] == ["B"]
    assert left_out == {SAME_ANSWERS: 1}
    assert len(draw([same, others], rule=PAPER, others=sets)[0]) == 2
    assert len(draw([same], others=AnswerSets(tested=(frozenset("abcde"),)))[0]) == 1
