"""The benchmark of the whole cycle: a few cycles through a real server on the tests' database."""

import json

import pytest

from benchmarks import cycle
from benchmarks.crowd import run_crowd
from benchmarks.projects import count, make_people, make_project, visitor
from benchmarks.serving import processor_seconds, served_web


@pytest.mark.process
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("stage", cycle.STAGES)
def test_people_work_at_once_and_nothing_is_lost(stage, own_database):
    policy = make_project(20, people=1 if stage == "validation" else 2, stage=stage)
    visitors = [[visitor(policy, user, quotes=2)] for user in make_people(policy, 2)]
    done = []

    async def three(person):
        await once(person)
        done.append(person)
        return done.count(person) < 3

    once = cycle.cycle_of(policy.project.slug, stage, new=False)
    with served_web(DEBUG="True") as (port, processes):  # no files with hashed names are needed
        figures = run_crowd(port, visitors, three, seconds=60, processes=processes)
        assert processor_seconds(processes["web"]) > 0

    assert figures["submits_answered"] == 6
    assert figures["server_errors"] == 0
    assert set(figures["requests"]) == {"take", "page", "submission"}
    assert 1000 < figures["requests"]["page"]["received_bytes"] < 20_000  # it came compressed
    assert figures["processor_ms"]["driver"] > 0
    counted = count(policy, figures["submits_answered"])
    assert counted == {"over_assigned": 0, "seats_wrong": 0, "submits_stored": 6, "lost": 0}


def test_fields_are_those_a_browser_posts():
    html = """<input name="q" value="outside"><form id="answer"><input type="hidden" name="a"
        value="1 &amp; 2"><input type="radio" name="kind" value="no"><input name="kind" value="yes"
        type="radio" checked><template><input name="t"></template>
        <textarea name="text">\nWords</textarea><button name="action" value="x"></button></form>"""

    assert cycle.fields_of(html) == {"a": ["1 & 2"], "kind": ["yes"], "text": ["Words"]}


def test_two_files_are_compared_by_ratios(tmp_path):
    side = {"cycles_per_second": 10.0, "processor_ms": {"web": 30, "database": 10}, "p95_ms": 100}
    better = side | {"cycles_per_second": 40.0, "processor_ms": {"web": 6, "database": 2}}
    for name, figures in (("before", side), ("after", better)):
        (tmp_path / name).write_text(json.dumps({"tree": {"generation, empty, 1": figures}}))

    found = cycle.Cycles(compare=(tmp_path / "before", tmp_path / "after")).measure()

    assert found == {
        "generation, empty, 1": {
            "cycles/s": "10.0 → 40.0",
            "ratio of cycles": 4.0,
            "processor ms": "40.0 → 8.0",
            "ratio of ms": 5.0,
            "p95 ms": "100 → 100",
        }
    }
