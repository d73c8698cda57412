#!/usr/bin/python3 -S
"""Stands in for the commands of a bare Debian that only root may run, for the test of the guide.

Called as apt-get, adduser, chgrp, install, runuser, nginx or systemctl. Everything happens in one
folder (AMBIT_ROOT) as an ordinary user: /etc, /srv, /var and /run are folders in it, ports are
those in its `ports.json`, and a service is a process whose number is in `pids`. The services
themselves are real.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(os.environ["AMBIT_ROOT"])
PORTS = json.loads((ROOT / "ports.json").read_text())
POSTGRESQL = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:]


def moved(text):
    """Return the text with its folders and ports moved to those of the test."""
    text = re.sub(r"(?<![\w.~])/(etc|srv|var|run)/", rf"{ROOT}/\1/", text)
    text = re.sub(r"^\s*listen \[::\].*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\blisten (\d+)", lambda match: f"listen 127.0.0.1:{PORTS[match[1]]}", text)
    return re.sub(r"127\.0\.0\.1:(\d+)", lambda match: _local(match[1]), text)


def _local(port):
    return f"127.0.0.1:{PORTS.get(port, port)}"


def fail(sentence):
    sys.exit(f"{Path(sys.argv[0]).name}: {sentence}")


# --- processes ---------------------------------------------------------------------------------


def running(name):
    """Return the number of a service's process, or None."""
    path = ROOT / "pids" / name
    pid = int(path.read_text()) if path.exists() else 0
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None
    return pid if state != "Z" else None


def start(name, command):
    if running(name):
        return
    # What systemd gives a service: nothing of the shell in which somebody typed.
    given = {name: os.environ[name] for name in ("AMBIT_SETTINGS", "WEB_PORT", "WEB_PROCESSES")}
    with (ROOT / "log" / name).open("ab") as log:
        service = subprocess.Popen(
            command,
            cwd="/",
            env=given | {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    (ROOT / "pids" / name).write_text(str(service.pid))


def see_that_they_run(names):
    """Fail if one of them has ended at once."""
    time.sleep(0.5)
    for name in names:
        fail_if_ended(name)


def fail_if_ended(name):
    if not running(name):
        fail(f"{name} did not start:\n{(ROOT / 'log' / name).read_text()[-3000:]}")


def stop(name, seconds=60):
    """End a service as systemd does with KillMode=mixed; say whether it ended in time."""
    if not (pid := running(name)):
        return True
    os.kill(pid, signal.SIGINT if name == "postgresql" else signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while running(name) and time.monotonic() < deadline:
        time.sleep(0.1)
    in_time = not running(name)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    return in_time


# --- the commands ------------------------------------------------------------------------------


def apt_get(command, *arguments):
    """See that the packages are there, and start those that Debian starts."""
    packages = [word for word in arguments if not word.startswith("-")]
    for package in packages:
        query = ["dpkg-query", "--show", "--showformat=${Status}", package]
        status = subprocess.run(query, capture_output=True, text=True).stdout
        if not status.endswith("ok installed"):
            fail(f"{package} is not installed on this machine")
    services = {"postgresql", "redis-server", "nginx"} & set(packages)
    for package in services:
        start_package(package)
    see_that_they_run(services)


def start_package(name):
    if name == "postgresql":
        data = ROOT / "postgresql"
        program = str(POSTGRESQL[0] / "initdb")
        options = ("--username=postgres", "--auth=trust", "--no-sync", "--pgdata", str(data))
        subprocess.run([program, *options], check=True, stdout=subprocess.DEVNULL)
        folder = ROOT / "run" / "postgresql"
        options = ("-c", "listen_addresses=", "-k", str(folder), "-c", "fsync=off")
        start(name, [str(POSTGRESQL[0] / "postgres"), "-D", str(data), *options])
        ready = [str(POSTGRESQL[0] / "pg_isready"), "--host", str(folder), "--quiet"]
        while subprocess.run(ready).returncode:
            fail_if_ended(name)
            time.sleep(0.2)
    elif name == "redis-server":
        (ROOT / "etc/redis/redis.conf").write_text("# Debian's\n")
        start(name, redis_command())
    else:
        (ROOT / "etc/nginx/sites-enabled/default").write_text("# Debian's\n")
        nginx_settings()
        start(name, nginx_command())


def redis_command():
    options = ("--bind", "127.0.0.1", "--port", PORTS["6379"], "--save", "", "--dir", ROOT)
    return ["/usr/bin/redis-server", str(ROOT / "etc/redis/redis.conf"), *map(str, options)]


def nginx_settings():
    """Write Debian's nginx.conf with the folders moved, and the sites with their ports."""
    sites = ROOT / "nginx" / "sites"
    shutil.rmtree(sites, ignore_errors=True)
    sites.mkdir(parents=True)
    for site in (ROOT / "etc/nginx/sites-enabled").iterdir():
        (sites / site.name).write_text(moved(site.read_text()))
    text = Path("/etc/nginx/nginx.conf").read_text()
    text = re.sub(r"^user .*$", "daemon off;", text, flags=re.MULTILINE)
    text = text.replace("/etc/nginx/sites-enabled", str(sites))
    text = re.sub(r"/(var/log/nginx|run)/", f"{ROOT}/log/", text)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {ROOT}/nginx/{kind};\n" for kind in kinds)
    text = text.replace("http {", f"http {{\n{places}", 1)
    (ROOT / "nginx" / "nginx.conf").write_text(text)


def nginx_command(*more):
    log = ROOT / "log" / "nginx-errors"
    return ["/usr/sbin/nginx", "-e", str(log), "-c", str(ROOT / "nginx" / "nginx.conf"), *more]


def nginx(*arguments):
    nginx_settings()
    sys.exit(subprocess.run(nginx_command(*arguments)).returncode)


def adduser(*arguments):
    home = Path(arguments[arguments.index("--home") + 1])
    home.mkdir(parents=True, exist_ok=True)


def chgrp(*arguments):
    """Groups are those of the only user."""


def install(*arguments):
    words = list(arguments)
    for option in ("-o", "-g"):
        if option in words:
            place = words.index(option)
            del words[place : place + 2]
    sys.exit(subprocess.run(["/usr/bin/install", *words]).returncode)


def runuser(option, user, dashes, *command):
    assert (option, dashes) == ("-u", "--")
    if user == "postgres":
        os.environ |= {"PGUSER": "postgres", "PGHOST": str(ROOT / "run" / "postgresql")}
    os.execvp(command[0], command)  # noqa: S606


def systemctl(command, *arguments):
    names = [word for word in arguments if not word.startswith("-")]
    if command == "reload":
        nginx_settings()
        os.kill(running("nginx"), signal.SIGHUP)
        return
    for name in names:
        if name == "redis-server":
            stop(name)
            start(name, redis_command())
            continue
        if command == "restart" and not stop(name, unit(name)["TimeoutStopSec"]):
            fail(f"{name} did not stop in time")
        if command in ("enable", "restart"):
            start(name, shlex.split(unit(name)["ExecStart"]))
    if command in ("enable", "restart"):
        see_that_they_run(names)


def unit(name):
    """Return what the unit's file says of the service, with the folders moved."""
    text = moved((ROOT / "etc/systemd/system" / f"{name}.service").read_text())
    settings = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    assert (settings["User"], settings["KillMode"]) == ("ambit", "mixed")
    os.umask(int(settings["UMask"], 8))
    return settings | {"TimeoutStopSec": float(settings["TimeoutStopSec"])}


if __name__ == "__main__":
    called = Path(sys.argv[0]).name.replace("-", "_")
    globals()[called](*sys.argv[1:])
