"""A pasted list of people, line by line."""

import pytest

from annotation.people.invited_lines import MOST_IN_LINE, read_lines

NORA = "nora@example.org"


def read(text, role="judge"):
    return [(line.email, line.name, list(line.roles)) for line in read_lines(text, role=role)]


@pytest.mark.parametrize(
    ("text", "name", "roles"),
    [
        ("nora@example.org", "", ["judge"]),
        ("  NORA@Example.org\t", "", ["judge"]),
        (
            "Nora North <nora@example.org>, annotator, validator",
            "Nora North",
            ["annotator", "validator"],
        ),
        ("<nora@example.org>", "", ["judge"]),
        ('"North, Nora" <nora@example.org>; Annotators', "North, Nora", ["annotator"]),
        ("Nora North, nora@example.org, judge", "Nora North", ["judge"]),
        ("nora@example.org, judge, annotator", "", ["annotator", "judge"]),
        ("nora@example.org\tNora North\tvalidator and judge", "Nora North", ["validator", "judge"]),
        ("Nora North\tnora@example.org\tvalidator / judge", "Nora North", ["validator", "judge"]),
        ("nora@example.org;Nora North;Expert", "Nora North", ["expert"]),
        ('"North, Nora",nora@example.org,Researcher', "North, Nora", ["researcher"]),
        ("nora@example.org;;", "", ["judge"]),
        ("nora@example.org, annotator, annotator", "", ["annotator"]),
        ("=SUM(1)\tnora@example.org", "=SUM(1)", ["judge"]),
    ],
)
def test_forms_of_a_line(text, name, roles):
    assert read(text) == [(NORA, name, roles)]


def test_numbers_are_those_of_the_box_and_a_heading_is_no_person():
    text = "Name;E-mail;Role\r\n\r\nNora;nora@example.org;\rOlaf;olaf@example.org;admin"
    lines = read_lines(text, role="judge")
    assert [(line.number, line.email) for line in lines] == [(3, NORA), (4, "olaf@example.org")]
    assert read_lines("", role="judge") == []


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("Nora North", "There is no address", "nora@example.org"),
        ("annotator.14@aldermere", "not complete", "“.example” after “aldermere”"),
        ("nora@@example.org", "not an e-mail address", "Write one such as"),
        ("nora north@example.org", "not an e-mail address", "Write one such as"),
        ("@", "not an e-mail address", ""),
        ("nora@example.org, jugde", "no role “jugde”", "annotator, validator, judge"),
        ("nora@example.org, Nora, jugde", "no role “jugde”", "The roles are"),
        ("Nora <nora@example.org>, expert, annotator", "do not go together", "annotators write"),
        ("nora@example.org, expert, admin", "do not go together", "other roles can open them"),
        ("n" * 250 + "@example.org", "too long", "254"),
        ("N" * 151 + " <nora@example.org>", "name is too long", "150"),
        ("x" * (MOST_IN_LINE + 1), "line is too long", "one person"),
        ('"nora@example.org', "", ""),
        ("nora@example.org\0", "", ""),
    ],
)
def test_what_is_wrong_with_a_line(text, problem, hint):
    (line,) = read_lines(text, role="annotator")
    assert problem in line.problem
    assert bool(problem) == bool(line.problem)
    assert hint in line.hint
