"""What the soak has found: what is wrong, and the tables of latency and errors."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.projects import count
from benchmarks.soak_backups import CONTENTS
from benchmarks.soak_people import MARK, PHASES, Entry, Journal, Watched
from benchmarks.timing import spread_of

SHOWN = 10  # of a list of what is wrong
# Growth is judged once processes of a kind were observed for so long, all lives together.
# By what is resident: the fair share changes whenever a process that shares it ends.
JUDGED_MINUTES, MOST_MEGABYTES_AN_HOUR = 60.0, 60.0
# What computes reports reads all that people did, which is more from minute to minute.
MOST_OF_WORKER = 150.0
# Numbers in texts, of the stages that have texts.
TEXTS = {
    "generation": "SELECT n.assignment_id, p.question FROM annotation_annotation n "
    "JOIN annotation_qapair p ON p.annotation_id = n.id WHERE n.assignment_id = ANY(%s)",
    "long_answers": "SELECT assignment_id, text FROM annotation_longanswer "
    "WHERE assignment_id = ANY(%s)",
}
# Of the submitted assignments of a policy: how many texts, and how often the log says so.
SUBMITTED = """
    SELECT a.id, (SELECT count(*) FROM {contents} n WHERE n.assignment_id = a.id),
           (SELECT count(*) FROM annotation_auditentry e
            WHERE e.action = 'assignment_submitted' AND e.target = 'assignment:' || a.id)
    FROM annotation_assignment a WHERE a.policy_id = %s AND a.state = 'submitted'
"""
HALF = """
    SELECT count(*) FROM annotation_annotation n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    WHERE a.policy_id = %s AND ((SELECT count(*) FROM annotation_qapair p
        WHERE p.annotation_id = n.id) <> 2 OR (SELECT count(*) FROM annotation_answer r
        JOIN annotation_qapair p ON p.id = r.pair_id WHERE p.annotation_id = n.id) <> 3)
"""


def count_wrong(policies: Iterable[Any]) -> dict[str, int]:
    """Return what must be 0 at every moment: tasks with too many people, seats that are wrong."""
    found = Counter[str]()
    for policy in policies:
        counts = count(policy, 0)
        found.update({name: counts[name] for name in ("over_assigned", "seats_wrong")})
    return dict(found)


def fetch_rows(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Run a statement on the database of Ambit."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


# --- submissions ---------------------------------------------------------------------------------


def judge_submissions(journal: Journal, policies: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return sentences on submissions that are lost, doubled or only half there."""
    wrong: dict[str, list[str]] = defaultdict(list)
    for stage, policy in policies.items():
        entries = defaultdict[int, list[Entry]](list)
        for entry in journal.entries:
            if entry.stage == stage:
                entries[entry.assignment].append(entry)
        told = [number for number, own in entries.items() if any(e.acknowledged for e in own)]
        rows = fetch_rows(SUBMITTED.format(contents=CONTENTS[stage]), [policy.pk])
        stored = {number: contents for number, contents, _ in rows}
        for number in told:
            if stored.get(number, 0) < 1:
                wrong["lost"].append(f"{stage}, assignment {number}: {describe(entries[number])}")
        for number, contents, entered in rows:
            if contents > 1 or entered > 1:
                sentence = f"{stage}, assignment {number}: {contents} texts, {entered} in the log"
                wrong["doubled"].append(sentence)
            if contents < 1 and number not in told:
                wrong["half"].append(f"{stage}, assignment {number} has no text")
        if stage in TEXTS:
            texts = defaultdict[int, str](str)
            for number, text in fetch_rows(TEXTS[stage], [told]):
                texts[number] += text
            wrong["lost"] += list_other_texts(entries, texts, told)
    if halves := fetch_rows(HALF, [policies["generation"].pk])[0][0]:
        wrong["half"].append(f"generation: {halves} without all pairs and answers")
    return wrong


def list_other_texts(
    entries: Mapping[int, Sequence[Entry]], texts: Mapping[int, str], told: Iterable[int]
) -> list[str]:
    """Return sentences on texts that are not the last that their author was told is in.

    One that was sent later and never answered may be there instead.
    """
    wrong = []
    for number in told:
        own = entries[number]
        last = max(place for place, entry in enumerate(own) if entry.acknowledged)
        may_be = {own[last].mark} | {each.mark for each in own[last:] if each.unanswered}
        # “Submitted already” was said of the text before, whose answer was lost.
        may_be |= {each.mark for each in own[:last] if each.unanswered and not each.acknowledged}
        found = {int(mark) for mark in MARK.findall(texts.get(number, ""))}
        if texts.get(number) and not (len(found) == 1 and found <= may_be):
            wrong.append(f"assignment {number} has text {sorted(found)}: {describe(own)}")
    return wrong


def describe(entries: Iterable[Entry]) -> str:
    """Return what was sent for an assignment, and what was answered."""
    return ", ".join(
        f"text {entry.mark} {'acknowledged' if entry.acknowledged else 'not acknowledged'}"
        + (f", {entry.unanswered} times without an answer" if entry.unanswered else "")
        for entry in entries
    )


def judge_left(journal: Journal) -> list[str]:
    """Return sentences on questions that are not parked or skipped any more."""
    from annotation.models import Assignment

    states = dict(Assignment.objects.filter(pk__in=journal.left).values_list("pk", "state"))
    return [
        f"assignment {number} was {state} and is {states.get(number)}"
        for number, state in journal.left.items()
        if states.get(number) != state
    ]


def judge_work(journal: Journal, kinds: Iterable[str]) -> list[str]:
    """Return sentences on stages of which nothing was submitted, so that nothing was shown."""
    done = {entry.stage for entry in journal.entries if entry.acknowledged}
    return [f"nobody could submit {kind}" for kind in kinds if kind not in done]


# --- jobs ----------------------------------------------------------------------------------------


def judge_jobs(journal: Journal, project: Any) -> dict[str, list[str]]:
    """Return sentences on jobs that did not end, and on questions of files that are not there."""
    from annotation.models import Job, Question

    wrong: dict[str, list[str]] = defaultdict(list)
    for row in Job.objects.exclude(state__in=("done", "cancelled")):
        kind = "jobs_failed" if row.state == "failed" else "jobs_unfinished"
        wrong[kind].append(f"job {row.pk} ({row.kind}) is {row.state}: {row.problem}")
    states = dict(Job.objects.values_list("pk", "state"))
    numbers = Question.objects.filter(project=project).values_list("external_id", flat=True)
    there = {int(name.removeprefix("q")) for name in numbers}
    for job, (first, size) in journal.uploads.items():
        missing = len(set(range(first, first + size)) - there)
        if job not in states or missing:
            state = states.get(job, "not there")
            wrong["questions_lost"].append(f"job {job} is {state}, {missing} questions missing")
    return wrong


# --- tables --------------------------------------------------------------------------------------


def tabulate_latency(crowd: Watched) -> dict[str, dict[str, Any]]:
    """Return for each kind of request and phase how many were answered, and how fast."""
    found = {}
    kinds = sorted(set().union(*(figures.times for figures in crowd.phases.values())))
    for kind in kinds:
        for phase in PHASES:
            if times := crowd.phases[phase].times.get(kind):
                found[f"{kind}, {phase}"] = {"n": len(times), **spread_of(times, 99)}
    return found


def tabulate_errors(crowd: Watched) -> dict[str, dict[str, int]]:
    """Return for each phase how many answers had which status, and how many did not come."""
    found = {}
    for phase in PHASES:
        statuses = crowd.phases[phase].statuses + crowd.errors[phase].statuses
        found[phase] = {str(status): n for status, n in sorted(statuses.items())}
        found[phase]["no answer"] = sum(crowd.unanswered[phase].values())
    return found


def judge_errors(crowd: Watched) -> list[str]:
    """Return sentences on errors outside of the times of faults."""
    statuses = crowd.errors["calm"].statuses
    wrong = [f"{n} answers with {status} in calm" for status, n in statuses.items()]
    if cut := sum(crowd.unanswered["calm"].values()):
        wrong.append(f"{cut} requests without an answer in calm")
    return wrong


def judge_memory(memory: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return sentences on processes that grow."""
    return [
        f"{name}: {each['rss_mb_an_hour']} MB more each hour"
        for name, each in memory.items()
        if each["minutes"] >= JUDGED_MINUTES
        and (each["rss_mb_an_hour"] or 0.0)
        > (MOST_OF_WORKER if name == "worker, a process" else MOST_MEGABYTES_AN_HOUR)
    ]


def shorten(sentences: Sequence[str]) -> list[str]:
    """Return the first of a list, and how many more there are."""
    more = len(sentences) - SHOWN
    return [*sentences[:SHOWN], *([f"and {more} more"] if more > 0 else [])]
