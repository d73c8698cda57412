"""Digests of the figures of every panel: what a change does to them is named, panel by panel.

A test makes its project under `same_each_time` and calls `check_figures`; `report_digests.json` has
what was found when each was last meant to change. Pictures and words are held elsewhere.
"""

import hashlib
import io
import json
import math
from pathlib import Path

import orjson
from django.core.management import call_command
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.memory import use_memory
from annotation.figures.panel import panel_to_json
from annotation.figures.registry import Request, list_reports

KNOWN = Path(__file__).with_suffix(".json")
HELD = ("columns", "rows", "n", "counted")
# Numbers are held to this many digits: the last ones depend on the processor, and so does what is
# left where equal numbers were subtracted.
DIGITS = 9
NOTHING = 1e-12


def check_figures(scene, project, *commands):
    """Hold every panel of the project, and what these commands print, to the digests of a scene.

    commands: each its name and options; all print JSON.
    """
    found = digest_panels(project)
    found |= {" ".join(each): digest(read_command(project, *each)) for each in commands}
    known = read_known().get(scene, {})
    changed = {
        name: found.get(name) for name in found | known if found.get(name) != known.get(name)
    }
    # If these figures were meant to change, these are their digests.
    assert changed == {}


def compute_panels(project):
    """Return every panel of every report, as it is stored, by the keys of both."""
    found = {}
    for report in list_reports(project):
        request = Request(project, Filters(), timezone.now())
        for entry in report.entries(project):
            found[f"{report.key} {entry.key}"] = panel_to_json(entry.panel(request))
    return found


def digest_panels(project):
    """Return for each panel its number of rows, and the digest of its columns, rows and n.

    Computed twice: from nothing, and from what was kept of that.
    """
    with use_memory({}) as memory:
        panels = compute_panels(project)
    kept = orjson.loads(orjson.dumps(memory.used))
    with use_memory(kept) as recalled:
        assert compute_panels(project) == panels
    assert recalled.used == kept
    return {
        name: f"{len(panel['rows'])} rows {digest({part: panel[part] for part in HELD})}"
        for name, panel in panels.items()
    }


def read_known():
    """Return what is held: scene -> panel or command -> digest."""
    return json.loads(KNOWN.read_text(encoding="utf-8"))


def read_command(project, name, *options):
    """Return what a command prints of a project."""
    out = io.StringIO()
    call_command(name, project.slug, *options, "--json", stdout=out)
    return json.loads(out.getvalue())


def digest(value):
    """Return the digest of JSON, numbers rounded."""
    text = json.dumps(round_numbers(value), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def round_numbers(value):
    """Return JSON with its fractions rounded."""
    if isinstance(value, dict):
        return {key: round_numbers(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [round_numbers(part) for part in value]
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}") if abs(value) > NOTHING else 0.0
    return value
