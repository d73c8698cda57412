import pytest

from natural_questions.annotation import (
    NOWHERE,
    NULL,
    PageAnnotation,
    PageSpan,
    Path,
    from_json,
    problem_of,
    to_json,
)

LONG = PageSpan(10, 40, 100, 400)
INSIDE = PageSpan(12, 14, 120, 140)


@pytest.mark.parametrize(
    ("annotation", "path"),
    [
        (PageAnnotation(good=False, reason="opinion"), Path.BAD),
        (NULL, Path.NO_LONG),
        (PageAnnotation(good=True, long=LONG, candidate=3), Path.LONG_ONLY),
        (PageAnnotation(good=True, long=LONG, candidate=3, yes_no="YES"), Path.YES_NO),
        (PageAnnotation(good=True, long=LONG, candidate=3, short=(INSIDE,)), Path.SHORT),
    ],
)
def test_an_annotation_takes_one_path(annotation, path):
    assert annotation.path is path
    assert problem_of(annotation) == ""
    assert from_json(to_json(annotation)) == annotation


@pytest.mark.parametrize(
    ("annotation", "problem"),
    [
        (PageAnnotation(good=True, yes_no="MAYBE"), "not YES, NO or NONE"),
        (PageAnnotation(good=False, long=LONG), "bad question"),
        (PageAnnotation(good=True, yes_no="NO"), "needs a long answer"),
        (PageAnnotation(good=True, short=(INSIDE,)), "needs a long answer"),
        (PageAnnotation(good=True, long=LONG, yes_no="NO", short=(INSIDE,)), "not both"),
        (PageAnnotation(good=True, long=LONG, short=(PageSpan(39, 41, 390, 410),)), "not inside"),
    ],
)
def test_contradictions_are_named(annotation, problem):
    assert problem in problem_of(annotation)


def test_spans_without_bytes_or_without_tokens_are_compared_by_what_they_have():
    assert not NOWHERE
    assert PageSpan(0, 1)
    assert PageSpan(-1, -1, 0, 5)
    assert PageSpan(3, 5).place == PageSpan(3, 5, 30, 50).place
    assert LONG.contains_span(PageSpan(10, 40))
    assert LONG.contains_span(PageSpan(-1, -1, 100, 110))
    assert not LONG.contains_span(PageSpan(-1, -1, 99, 110))
    assert not NOWHERE.contains_span(NOWHERE)


def test_the_time_of_steps_is_kept_and_is_not_part_of_the_answer():
    timed = PageAnnotation(good=True, seconds={"question": 4.5})
    assert from_json(to_json(timed)).seconds == {"question": 4.5}
    assert timed == NULL
