"""The form of the extended set, with plain values."""

import pytest

from annotation.sheets.fields import Keep
from qampari.added_answers import MOST, AddedAnswer, ExtendResponse
from qampari.extending import ExtendContext, ExtendingSheet

SHEET = ExtendingSheet()
GIVEN = ExtendContext(known=[("Kelso Bridge", "Kelso"), ("The C++ Bridge",)])


def added(*texts, page="John Rennie", **fields):
    """A response with these answers, the first of which was added first."""
    return ExtendResponse(
        added=tuple(AddedAnswer(text, page) for text in reversed(texts)), **fields
    )


def press(response, press):
    return SHEET.apply_press(response, press, GIVEN, None)


def texts(response):
    return [row.text for row in response.added]


def rules(response):
    return {finding.rule for finding in SHEET.check_response(response, GIVEN).blocking}


def test_the_newest_answer_is_first():
    response = press(added("Esk", new="Cree", source="The Cree"), "add")
    assert (texts(response), response.new, response.source) == (["Cree", "Esk"], "", "The Cree")
    assert response.added[0].page == "The Cree"


def test_enter_without_scripts_adds():
    assert texts(press(ExtendResponse(new="Cree"), "save")) == ["Cree"]


@pytest.mark.parametrize("new", ["esk", "The Esk!", "kelso", "a Kelso bridge", "C Bridge"])
def test_what_is_there_already_is_told_and_stays_in_the_field(new):
    response = press(added("Esk", new=new), "add")
    assert (texts(response), response.new) == (["Esk"], new)
    assert "new-same" in rules(response)


def test_nothing_is_added_of_nothing():
    assert press(added("Esk"), "add") == added("Esk")


def test_one_is_removed_and_put_back():
    response = press(added("Esk", "Cree", "Earn"), "remove 1")
    assert (texts(response), [row.text for row in response.removed]) == (["Earn", "Esk"], ["Cree"])
    assert texts(press(response, "undo")) == ["Cree", "Earn", "Esk"]
    assert press(response, "undo").removed == ()


@pytest.mark.parametrize("number", ["9", "-1", "x", "", "²", "9" * 40])
def test_what_is_not_there_is_not_removed(number):
    assert press(added("Esk"), f"remove {number}") == added("Esk")


def test_only_so_many_can_be_put_back():
    response = added(*(f"Bridge {n}" for n in range(40)))
    for _ in range(30):
        response = press(response, "remove 0")
    assert len(response.removed) == 20


def test_no_more_than_the_maximum_is_added():
    full = added(*(f"Bridge {n}" for n in range(MOST)), new="One more")
    assert press(full, "add") == full
    assert len(SHEET.submitted_part(full).added) == MOST


def test_rules():
    assert rules(added("Esk", "the esk")) == {"same-answer"}
    assert rules(added("Kelso")) == {"same-answer"}
    assert rules(added("Esk", page="")) == {"nowhere"}
    assert rules(ExtendResponse()) == {"none-added"}
    assert rules(ExtendResponse(keeps=(Keep("none-added", "added", "I read it all."),))) == set()
    assert rules(added("Esk", "Cree")) == set()


def test_the_checklist_asks_for_an_answer_or_a_reason_in_one_line():
    def lines(response):
        return [
            (item.title, item.state) for item in SHEET.check_response(response, GIVEN).checklist
        ]

    asked = "You added an answer, or said why not"
    new = ["Every answer is new", "The new answer is new"]
    assert lines(ExtendResponse()) == [*((title, "open") for title in new), (asked, "todo")]
    none = ExtendResponse(keeps=(Keep("none-added", "added", "I read it all."),))
    assert (asked, "done") in lines(none)
    assert lines(added("Esk")) == [(title, "done") for title in (*new, asked)]
    # A page that is missing is asked for in the line of warnings, which is there only then.
    assert lines(added("Esk", page=""))[-1] == ("Every warning is answered", "ask")


def test_a_link_to_no_answers_leads_to_the_field_for_one():
    assert SHEET.field_anchor("added", ExtendResponse()) == "new"
    assert SHEET.field_anchor("added", added("Esk")) == "added"


def test_an_answer_still_in_its_field_is_submitted():
    response = added("Esk", new="Cree", source="The Cree", removed=(AddedAnswer("Old"),))
    settled = SHEET.submitted_part(response)
    assert (texts(settled), settled.new, settled.removed) == (["Cree", "Esk"], "", ())
    assert texts(SHEET.submitted_part(added("Esk", new="the esk"))) == ["Esk"]


def test_a_draft_is_read_back_as_it_was():
    response = added("Esk", "Cree", new="Ear", source="X", removed=(AddedAnswer("Old", "Y"),))
    assert SHEET.load(SHEET.dump(response)) == response


def test_its_words():
    assert SHEET.summarise_response(added("Esk", "Cree")) == "2 answers: Cree, Esk"
    assert SHEET.summarise_response(ExtendResponse(new="Ea")) == "Ea"
    shown = dict(SHEET.list_field_texts(added("Esk", "Cree", page="")))
    assert (shown["Answer 1"], shown["Answer 2"]) == ("Esk", "Cree")
