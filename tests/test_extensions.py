"""What apps add to annotation: checked when it is registered."""

import pytest

from annotation.extensions import registry
from annotation.extensions.extension import Extension, combine_extensions
from annotation.extensions.parts import LogEntries, Tab
from tests.extensions import add_for_the_test, job_kind


def test_every_app_adds_one_extension():
    assert [each.key for each in registry._extensions] == [
        "operations",
        "annotation",
        "crowds",
        "validation",
        "evaluation",
        "modeling",
        "natural_questions",
        "qampari",
        "demo",
    ]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"jobs": (job_kind("import", print),)}, "job import"),
        ({"tabs": (Tab("pay", "Pay", "project-pay", "people", 999),)}, "tab pay"),
        ({"tabs": (Tab("new", "New", "project-pay", "people", 140),)}, "place of tab 140"),
        ({"log": (LogEntries({"pay_entered": "{who}"}),)}, "sentence pay_entered of the log"),
        ({"log": (LogEntries({}, pages={"payentry": "home"}),)}, "page of payentry in the log"),
    ],
)
def test_two_parts_of_one_name_are_refused_and_nothing_is_added(monkeypatch, parts, problem):
    before = registry.all_extensions()
    with pytest.raises(ValueError, match=f"names twice: {problem}"):
        add_for_the_test(monkeypatch, **parts)
    assert registry.all_extensions() is before


def test_an_app_is_registered_once():
    with pytest.raises(ValueError, match="annotation is registered already"):
        registry.register(Extension(key="annotation"))


def test_tabs_stand_by_their_places_and_all_else_in_order():
    first, second = (Tab(key, key, "home", "work", place) for key, place in (("a", 2), ("b", 1)))
    one = Extension(key="one", tabs=(first,), jobs=(job_kind("z", print),))
    other = Extension(key="other", tabs=(second,), jobs=(job_kind("y", print),))
    together = combine_extensions("both", [one, other])
    assert together.tabs == (second, first)
    assert [kind.key for kind in together.jobs] == ["z", "y"]
