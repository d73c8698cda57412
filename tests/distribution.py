"""The processes of pytest-xdist share the tests by file (loaded with -p).

What a module makes once is then made in one process, and not in each. Files that name a group
(`xdist_group`) go to one process together. The group is read from the file, because pytest-xdist
3.8 no longer sees groups with pytest 9.2: `--dist loadgroup` dealt out single tests in turn.
"""

import os
import re
from functools import cache
from pathlib import Path

import pytest
from xdist.scheduler import LoadGroupScheduling

GROUP = re.compile(r'xdist_group\("(\w+)"\)')
# The longest first: whoever has the last file of all should not have minutes of it.
LONGEST = ("guide", "patience", "models", "browser", "process", "mediawiki", "realdata")


class ByFile(LoadGroupScheduling):
    """Gives the next file, or the next group of files, to the process that is ready first."""

    def _split_scope(self, nodeid: str) -> str:
        name = nodeid.split("::")[0]
        return group_of(self.config.rootpath / name) or name


@cache
def group_of(path: Path) -> str:
    """Return the group that a file names; nothing if it names none."""
    found = GROUP.search(path.read_text())
    return found[1] if found else ""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    if config.getvalue("dist") == "loadgroup":
        config.option.loadscopereorder = False  # which would count the tests of a file
        return ByFile(config, log)
    return None


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than there are cores: whoever waits for a browser leaves a core to another.

    Each holds up to 1.4 GB, so there are no more than eight. First, since pytest-xdist, which is
    loaded later, would answer before with the cores alone.
    """
    return min((os.cpu_count() or 1) + 1, 8)


def place_by_need(item: pytest.Item) -> int:
    """Return where in LONGEST is what a test needs; the end, if it needs nothing of that."""
    needs = [n for n, marker in enumerate(LONGEST) if item.get_closest_marker(marker)]
    return min(needs, default=len(LONGEST))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put the files first that take longest; in a file the tests stay in their order."""
    if not hasattr(config, "workerinput"):
        return
    lengths: dict[Path, int] = {}
    for item in items:
        lengths[item.path] = min(place_by_need(item), lengths.get(item.path, len(LONGEST)))
    items.sort(key=lambda item: lengths[item.path])
