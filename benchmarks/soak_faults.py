"""What goes wrong in the soak, and what has to be right again after each time."""

import asyncio
import random
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.hosts_services import STOP_SECONDS
from benchmarks.soak_backups import Backups
from benchmarks.soak_people import Watched
from benchmarks.soak_services import Installation
from benchmarks.soak_staff import FEW, Researcher

DOWN_SECONDS, DISK_SECONDS = 3.0, 15.0
# Until everything is right again: a job whose worker was killed is taken over after half a minute,
# by a clock that looks every half minute.
LONGEST = {"pages": 90.0, "submission": 120.0, "job": 240.0, "clock": 180.0}


@dataclass
class Scene:
    """Everything that a fault meets."""

    installation: Installation
    crowd: Watched
    checker: Researcher
    backups: Backups
    count_wrong: Callable[[], Mapping[str, int]]  # what must be 0 at every moment
    happened: list[dict[str, Any]] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """Sentences on what is not as it should be."""
        return self.crowd.wrong


Fault = Callable[[Scene], Awaitable[str | None]]


# --- faults --------------------------------------------------------------------------------------


async def stop_part(part: str, scene: Scene) -> str:
    """SIGTERM, and started again."""
    processes = scene.installation.processes
    try:
        said = f"ended after {await asyncio.to_thread(processes.stop, part):.1f} s"
    except subprocess.TimeoutExpired:
        said = f"The {part} did not end within {STOP_SECONDS:.0f} s of SIGTERM."
        scene.wrong.append(said)
        await asyncio.to_thread(processes.kill, part)
    scene.installation.start(part)
    return said


async def kill_part(part: str, scene: Scene) -> None:
    """SIGKILL to all of its processes, and started again a little later."""
    await asyncio.to_thread(scene.installation.processes.kill, part)
    await asyncio.sleep(DOWN_SECONDS)
    scene.installation.start(part)


async def kill_process(part: str, scene: Scene) -> None:
    """SIGKILL to one process, which the first one of its part has to start again."""
    scene.installation.kill_one_process(part)


async def kill_postgres(scene: Scene) -> None:
    """SIGKILL to the first process of PostgreSQL, which is started again."""
    scene.installation.kill_postgres()
    await asyncio.sleep(DOWN_SECONDS)
    await asyncio.to_thread(scene.installation.revive_postgres)


async def lose_redis(scene: Scene) -> None:
    """Redis is killed, and comes back empty."""
    await asyncio.to_thread(scene.installation.processes.kill, "redis")
    await asyncio.sleep(DOWN_SECONDS)
    scene.installation.start_redis()


async def fill_disk(scene: Scene) -> str:
    """Nothing can be written for a while; nor a backup, of which no half may be left."""
    installation = scene.installation
    await asyncio.to_thread(installation.fill_disk)
    begin, said = time.monotonic(), ""
    if installation.mounted:
        said = await scene.backups.try_without_room(scene.wrong)
    await asyncio.sleep(max(0.0, DISK_SECONDS - (time.monotonic() - begin)))
    await asyncio.to_thread(installation.empty_disk)
    await asyncio.to_thread(installation.revive_postgres)
    return said


async def cancel_jobs(scene: Scene) -> str:
    """Jobs are cancelled, at once and as they run."""
    states = await scene.checker.cancel_jobs()
    if not set(states) <= {"cancelled", "done"}:
        scene.wrong.append(f"Jobs that were cancelled ended as {states}.")
    return ", ".join(states)


async def restore_backup(scene: Scene) -> str:
    """A backup is made meanwhile, restored into another database and compared."""
    return await scene.backups.restore(scene.crowd.journal, scene.wrong)


FAULTS: dict[str, Fault] = {
    "web ended in order": partial(stop_part, "web"),
    "web killed": partial(kill_part, "web"),
    "one web process killed": partial(kill_process, "web"),
    "worker ended in order": partial(stop_part, "worker"),
    "worker killed": partial(kill_part, "worker"),
    "one worker process killed": partial(kill_process, "worker"),
    "clock ended in order": partial(stop_part, "clock"),
    "clock killed": partial(kill_part, "clock"),
    "PostgreSQL killed": kill_postgres,
    "Redis lost": lose_redis,
    "disk full": fill_disk,
    "jobs cancelled": cancel_jobs,
    "backup restored": restore_backup,
}
# Only these may cut people off or show them an error; meanwhile is what the tables call “fault”.
DISTURBING = (
    "web ended in order", "web killed", "one web process killed", "PostgreSQL killed", "Redis lost",
    "disk full",
)  # fmt: skip


def plan_faults(
    names: Sequence[str], seconds: float, distance: float, seed: int
) -> list[tuple[float, str]]:
    """Return when which fault comes: all of them, in an order by chance, then all of them again."""
    chance, order, planned = random.Random(seed), list[str](), []
    for number in range(int(seconds // distance)):
        order = order or chance.sample(names, len(names))
        planned.append((distance * (number + chance.uniform(0.2, 0.5)), order.pop()))
    return planned


async def let_faults_happen(
    scene: Scene, planned: Sequence[tuple[float, str]], seconds: float
) -> None:
    """Let every fault happen at its moment, or as soon as all is right after the one before."""
    begin = time.monotonic()
    for moment, name in planned:
        await asyncio.sleep(max(0.0, begin + moment - time.monotonic()))
        before = {each["fault"] for each in scene.happened}
        if time.monotonic() > begin + seconds and name in before:
            break  # what has not happened yet still does
        scene.crowd.in_fault = name in DISTURBING
        struck = time.monotonic()
        said = await FAULTS[name](scene)
        happened: dict[str, Any] = {
            "at_s": round(struck - begin, 1),
            "fault": name,
            "took_s": round(time.monotonic() - struck, 1),
        }
        happened |= await wait_until_right(scene, name) | {"said": said or ""}
        scene.happened.append(happened)
    await asyncio.sleep(max(0.0, begin + seconds - time.monotonic()))


# --- what has to be right again ------------------------------------------------------------------


async def wait_until_right(scene: Scene, name: str) -> dict[str, Any]:
    """Wait until everything works again; return how many seconds each thing took since the end of
    the fault.
    """
    from django.utils import timezone

    begin, mended = time.monotonic(), timezone.now()
    told = scene.crowd.journal.acknowledged()
    restarted = await asyncio.to_thread(scene.installation.start_ended)
    looks: dict[str, Callable[[], Awaitable[bool]]] = {
        "pages": lambda: asyncio.to_thread(scene.installation.answers),
        "submission": _as_look(lambda: scene.crowd.journal.acknowledged() > told),
        "job": lambda: _job_is_done(scene),
        "clock": lambda: asyncio.to_thread(in_own_connection, lambda: _clock_lives(mended)),
    }
    found: dict[str, Any] = {}
    for what, look in looks.items():
        while not await look():
            restarted += await asyncio.to_thread(scene.installation.start_ended)
            if time.monotonic() - begin > LONGEST[what]:
                scene.wrong.append(
                    f"After “{name}”: {what} not right again within {LONGEST[what]:.0f} s."
                )
                break
            await asyncio.sleep(0.2)
        found[f"{what}_s"] = round(time.monotonic() - begin, 1)
        if what == "submission":  # from now on nobody may notice anything
            scene.crowd.end_fault()
    await scene.checker._hang_up()  # until the next fault the server would close the connection
    counts = await asyncio.to_thread(in_own_connection, scene.count_wrong)
    scene.wrong.extend(f"After “{name}”: {what} {n}." for what, n in counts.items() if n)
    return found | {"started_again": ", ".join(restarted)}


def _as_look(holds: Callable[[], bool]) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        return holds()

    return look


async def _job_is_done(scene: Scene) -> bool:
    job = await scene.checker.upload(FEW)
    state = await scene.checker.await_job(job, LONGEST["job"])
    if state != "done":
        scene.wrong.append(f"Job {job}, sent after a fault, is “{state or 'not over'}”.")
    return True


def _clock_lives(since: Any) -> bool:
    from config.models import Heartbeat

    return Heartbeat.objects.filter(kind=Heartbeat.Kind.CLOCK, at__gt=since).exists()


def in_own_connection(look: Callable[[], Any]) -> Any:
    """Look into the database with a connection that no fault has cut off; None if it cannot be."""
    from django.db import connection, transaction

    connection.close()
    try:
        with transaction.atomic():
            return look()
    finally:
        connection.close()
