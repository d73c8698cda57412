"""A pasted list of people to invite, line by line. Nothing here knows the database.

A line has an address; a name may stand before or after it, and roles after that:
"Nora North <nora@example.org>, annotator, validator", or cells copied from a spreadsheet.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts.fields import one_line
from annotation.core.models.people import OFFERED_ROLES, Role, all_go_together

MOST_LINES = 500
MOST_IN_LINE = 1000
_LONGEST = {"email": 254, "name": 150}
_ROLES = {str(label).lower(): value for value, label in OFFERED_ROLES}
_ROLES |= {f"{label}s": value for label, value in _ROLES.items()}
_HEADINGS = {"address", "e-mail", "email", "e-mail address", "email address", "mail", "name"}
_ANGLES = re.compile(r"^(?P<name>[^<>]*)<(?P<email>[^<>]*)>(?P<rest>.*)$")
_BETWEEN_ROLES = re.compile(r"\s*(?:[,;/+]|\band\b)\s*")


@dataclass(frozen=True)
class InvitedLine:
    """One line: number from 1; problem: why nobody can be invited by it, hint: what to do."""

    number: int
    text: str
    email: str = ""
    name: str = ""
    roles: Sequence[str] = ()
    problem: str = ""
    hint: str = ""


def read_lines(text: str, *, role: str) -> list[InvitedLine]:
    """Return the lines of a list that are not empty; `role` is given where a line names none."""
    lines: list[InvitedLine] = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = raw.strip()
        if not line or (not lines and _is_heading(line)):
            continue
        lines.append(_read_line(number, line, role))
    return lines


def _is_heading(line: str) -> bool:
    """Whether this is the first row of a spreadsheet, with the names of its columns."""
    return "@" not in line and bool(_HEADINGS & {cell.lower() for cell in _split_cells(line)})


def _split_cells(line: str) -> list[str]:
    mark = next((each for each in "\t;" if each in line), ",")
    row = next(csv.reader([line.replace("\0", "")], delimiter=mark, skipinitialspace=True))
    return [one_line(cell) for cell in row]


def _read_line(number: int, line: str, role: str) -> InvitedLine:
    if len(line) > MOST_IN_LINE:
        return InvitedLine(
            number, line, problem="The line is too long", hint="Write one person in a line."
        )
    name, email, rest = _take_apart(line)
    if not email:
        return InvitedLine(
            number,
            line,
            problem="There is no address in this line",
            hint="Write a whole e-mail address, such as nora@example.org.",
        )
    roles: list[str] = []
    for cell in rest:
        words = [each for each in _BETWEEN_ROLES.split(cell.lower()) if each]
        unknown = next((each for each in words if each not in _ROLES), "")
        if unknown and not name and cell is rest[0] and len(rest) > 1:
            name = cell
        elif unknown:
            offered = ", ".join(str(label).lower() for _, label in OFFERED_ROLES)
            return InvitedLine(
                number,
                line,
                email,
                name,
                problem=f"There is no role “{unknown}”",
                hint=f"The roles are {offered}.",
            )
        else:
            roles += [_ROLES[each] for each in words]
    chosen = [each.value for each in Role if each.value in (roles or [role])]
    problem, hint = _find_problem(email, name, chosen)
    return InvitedLine(number, line, email.lower(), name, chosen, problem, hint)


def _take_apart(line: str) -> tuple[str, str, list[str]]:
    """Return name, address and the cells after it, the address empty where there is none."""
    if found := _ANGLES.match(line):
        name = one_line(found["name"].strip(" ,;\t\"'"))
        rest = [cell for cell in _split_cells(found["rest"].strip(" ,;\t")) if cell]
        return name, one_line(found["email"]), rest
    cells = [cell for cell in _split_cells(line) if cell]
    place = next((number for number, cell in enumerate(cells) if "@" in cell), None)
    if place is None:
        return "", "", []
    return ", ".join(cells[:place]), cells[place], cells[place + 1 :]


def _find_problem(email: str, name: str, roles: Sequence[str]) -> tuple[str, str]:
    """Return what is wrong with the values of a line and what to do, empty if nothing is."""
    domain = email.rpartition("@")[2]
    if len(email) > _LONGEST["email"]:
        return "The address is too long", f"{_LONGEST['email']} characters are the maximum."
    if domain and "." not in domain:
        ending = f"There is no ending such as “.example” after “{domain}”."
        return "The address is not complete", ending
    try:
        validate_email(email)
    except ValidationError:
        return "This is not an e-mail address", "Write one such as nora@example.org."
    if len(name) > _LONGEST["name"]:
        return "The name is too long", f"{_LONGEST['name']} characters are the maximum."
    if not all_go_together(roles):
        others = "annotators write them"
        if Role.ANNOTATOR not in roles:
            others = "people with the other roles can open them"
        return (
            "These roles do not go together",
            f"Experts must not see the answers of others; {others}. Give one of the two.",
        )
    return "", ""
