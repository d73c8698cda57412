"""Export speed and memory: python -m benchmarks.export [--annotations 20000] [--format …]

Fills a scratch database of the embedded PostgreSQL with submissions by bulk SQL, exports them in a
process of its own, and prints one JSON object. The database is dropped afterwards. Formats that
begin with "release-" release half of the questions as submitted and half as decided: there are
half as many questions as annotations.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.databases import scratch_database

DATABASE = "ambit_benchmark_export"
RELEASE = "release-"
DEFAULTS = ["ambignq-light", "ambignq", "annotations", "release-ambignq-light", "release-ambignq"]

# Two submissions a question; 55 % single answers, 40 % two or three pairs, 5 % not found.
FILL = """
SET synchronous_commit = off;
INSERT INTO wikipedia_snapshot (id, name, title, kind, state, problem, archive, address, language,
    as_of, licence, articles, passages, created_at)
VALUES (1, 'bench', 'Bench', 'zim', 'ready', '', 'x.zim', 'https://en.example.org/', 'en',
    '2018-01-01', 'CC BY-SA', 0, 0, now());
INSERT INTO annotation_project (id, slug, title, protocol, state, snapshot_id, reference_date,
    rule_settings, parked_limit, skips_before_pause, claim_days, created_at)
VALUES (1, 'bench', 'Bench', 'ambigqa', 'running', 1, '2017-12-31', '{}', 5, 10, 14, now());
INSERT INTO accounts_user (id, password, is_superuser, email, is_staff, is_active, date_joined,
    name, key, single_keys, keys)
SELECT n, '', false, 'p' || n || '@example.org', false, true, now(), 'P' || n, gen_random_uuid(),
    true, '{}' FROM generate_series(1, 20) n;
INSERT INTO annotation_stagepolicy (id, project_id, stage, split, people, lease_minutes, park_hours,
    minimum_seconds, pay, currency)
VALUES (1, 1, 'generation', 'dev', 2, 120, 24, 60, 0, 'USD');
INSERT INTO annotation_question (id, project_id, external_id, text, split, state, known_answers,
    context, created_at)
SELECT n, 1, (n::bigint * 7919)::text, 'when did the ' || n || 'th crossing of the river open',
    'dev', 'validating', '[]', '{}', now() FROM generate_series(1, :questions) n;
INSERT INTO annotation_task (id, policy_id, question_id, unit, seats, position, created_at)
SELECT n, 1, n, '', 0, n, now() FROM generate_series(1, :questions) n;
INSERT INTO annotation_assignment (id, task_id, user_id, project_id, policy_id, stage, position,
    state, started_at, ended_at, submitted_at, draft, draft_version, active_seconds, seen_at,
    guideline_version, pay, skip_reason, park_reason, feedback, staff_note, used)
SELECT n, (n + 1) / 2, 1 + n %% 20, 1, 1, 'generation', (n + 1) / 2, 'submitted', now(), now(),
    now(), '{}', 0, 240, now(), 1, 0, '', '', '', '', true
FROM generate_series(1, :questions * 2) n;
INSERT INTO annotation_annotation (id, assignment_id, question_id, author_id, kind, none_reason,
    created_at)
SELECT n, n, (n + 1) / 2, 1 + n %% 20,
    CASE WHEN n %% 20 = 0 THEN 'none' WHEN n %% 20 < 12 THEN 'single' ELSE 'multiple' END,
    CASE WHEN n %% 20 = 0 THEN 'No page says so.' ELSE '' END, now()
FROM generate_series(1, :questions * 2) n;
INSERT INTO annotation_qapair (annotation_id, position, question)
SELECT n.id, m, CASE WHEN n.kind = 'single' THEN ''
    ELSE 'When did the ' || n.id || 'th crossing of the river open for part ' || m || '?' END
FROM annotation_annotation n, generate_series(1, 3) m
WHERE (n.kind = 'single' AND m = 1) OR (n.kind = 'multiple' AND m <= 2 + n.id %% 2);
INSERT INTO annotation_answer (pair_id, position, text)
SELECT p.id, m, CASE m WHEN 1 THEN 'in ' || (1800 + p.id %% 200) ELSE (1800 + p.id %% 200)::text END
FROM annotation_qapair p, generate_series(1, 2) m WHERE m <= 1 + p.id %% 2;
INSERT INTO annotation_event (assignment_id, kind, at, data)
SELECT n, k.kind, now(), k.data::jsonb FROM generate_series(1, :questions * 2) n, (VALUES
    ('search', '{"query": "river crossing", "offset": 0, "total": 2, "results": [{"title":'
     ' "Crossing", "path": "Crossing", "snippet": "A <b>crossing</b> of the <b>river</b>"}]}'),
    ('page_open', '{"title": "Crossing", "path": "Crossing", "via": "search", "rank": 1}')
    ) k(kind, data);
UPDATE annotation_question SET state = CASE id %% 2 WHEN 0 THEN 'auto_accepted' ELSE 'edited' END;
INSERT INTO validation_decision (id, question_id, source, outcome, change, reason, covers, in_force,
    created_at)
SELECT n, n, 'staff', 'edited', 'edit', '', '{}', true, now()
FROM generate_series(1, :questions, 2) n;
INSERT INTO validation_acceptedannotation (id, decision_id, position, kind)
SELECT id, id, 0, 'multiple' FROM validation_decision;
INSERT INTO validation_acceptedpair (id, accepted_id, position)
SELECT a.id * 3 + m, a.id, m FROM validation_acceptedannotation a, generate_series(0, 2) m;
INSERT INTO validation_acceptedquestion (pair_id, position, text, edited)
SELECT p.id, m, 'When did crossing ' || p.id || ' of the river open, for part ' || m || '?', false
FROM validation_acceptedpair p, generate_series(0, 1) m;
INSERT INTO validation_acceptedanswer (pair_id, position, text, edited)
SELECT p.id, m, 'in ' || (1800 + p.id %% 200 + m), false
FROM validation_acceptedpair p, generate_series(0, 1) m;
ANALYZE;
"""


def fill(annotations: int) -> None:
    """Fill the migrated scratch database with submissions."""
    from django.db import connection

    questions = str(annotations // 2)
    for statement in FILL.replace(":questions", questions).replace("%%", "%").split(";\n"):
        if statement.strip():
            with connection.cursor() as cursor:
                cursor.execute(statement)


def memory(which: str) -> float:
    """Return this process's memory in MB: VmRSS now, VmHWM at its highest.

    Not getrusage: its peak is inherited from the process that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith(f"{which}:")]
    return int(line.split()[1]) / 1024


def export(format: str) -> dict[str, object]:
    """Export once within this process; return time, size and how far memory rose."""
    from django.db import connection
    from django.utils import timezone

    from annotation.exports.services import start_export
    from annotation.models import Project
    from validation.release.services import start_release

    connection.ensure_connection()
    project = Project.objects.get()
    wanted: dict[str, Any] = {"project": project, "by": None, "now": timezone.now()}
    idle = memory("VmRSS")
    start = time.perf_counter()
    blocks: Iterator[bytes]
    if format.startswith(RELEASE):
        blocks = start_release(format=format.removeprefix(RELEASE), split=None, **wanted).blocks()
    else:
        blocks = start_export(format=format, **wanted).blocks()
    first = size = 0.0
    for block in blocks:
        first = first or time.perf_counter() - start
        size += len(block)
    seconds = time.perf_counter() - start
    return {
        "format": format,
        "seconds": round(seconds, 3),
        "first_byte_seconds": round(first, 3),
        "megabytes": round(size / 1e6, 1),
        "idle_megabytes": round(idle, 1),
        "peak_above_idle_megabytes": round(memory("VmHWM") - idle, 1),
    }


def main() -> None:
    """Run the benchmark, or (inside it) one measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotations", type=int, default=20_000)
    parser.add_argument("--format", action="append", help=f"default: {', '.join(DEFAULTS)}")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        import django

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        print(json.dumps(export(wanted.one)))
        return
    with scratch_database(DATABASE):
        start = time.perf_counter()
        fill(wanted.annotations)
        filled = round(time.perf_counter() - start, 1)
        runs = [
            json.loads(
                subprocess.run(
                    [sys.executable, "-m", "benchmarks.export", "--one", format],
                    cwd=Path(__file__).resolve().parent.parent,
                    check=True,
                    stdout=subprocess.PIPE,
                    text=True,
                ).stdout
            )
            for format in wanted.format or DEFAULTS
            for _ in range(wanted.runs)
        ]
        print(
            json.dumps(
                {"annotations": wanted.annotations, "fill_seconds": filled, "runs": runs}, indent=2
            )
        )


if __name__ == "__main__":
    main()
