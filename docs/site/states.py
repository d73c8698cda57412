"""Diagrams of states as tables."""

import re

_DIAGRAM = re.compile(r"^```mermaid\nstateDiagram-v2\n(.*?)^```$", re.M | re.S)
_STEP = re.compile(r"^\s*(\S+) --> (\w+)(?:: (.*))?$", re.M)


def _make_table(diagram: re.Match[str]) -> str:
    rows = ["| from | to | when |", "| --- | --- | --- |"]
    for before, after, event in _STEP.findall(diagram[1]):
        rows.append(f"| {before.replace('[*]', '(new)')} | {after} | {event} |")
    return "\n".join(rows)


def replace_diagrams(page: str) -> str:
    """Return a page of Markdown whose Mermaid diagrams of states are tables with a row a step."""
    return _DIAGRAM.sub(_make_table, page)
