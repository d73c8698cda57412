"""A bare Debian in a folder, on which the blocks of the running guide are run as they stand."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from benchmarks.serving import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
GUIDE = REPOSITORY / "docs" / "running.md"
STAND_IN = Path(__file__).with_name("stand_in.py")
COMMANDS = ("apt-get", "adduser", "chgrp", "install", "runuser", "nginx", "systemctl")
FOLDERS = (
    *("etc/nginx/sites-enabled", "etc/nginx/sites-available", "etc/systemd/system", "etc/ssl"),
    "etc/redis",
    *("srv", "var/lib", "var/www/html", "run/postgresql", "log", "pids", "commands", "nginx"),
)
NOBODY = 65534
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HOST = "ambit.example"


def blocks():
    """Return the blocks of the guide that are run."""
    return BLOCK.findall(GUIDE.read_text())


def missing():
    """Return which packages of the guide's list this machine lacks."""
    (line,) = re.findall(r"^apt-get install .*$", "\n".join(blocks()), re.MULTILINE)
    names = [word for word in line.split()[2:] if not word.startswith("-")]
    query = ["dpkg-query", "--show", "--showformat=${Package} ${Status}\n", *names]
    try:
        shown = subprocess.run(query, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return names
    return [name for name in names if f"{name} install ok installed" not in shown.splitlines()]


class Machine:
    """The folder, its ports, and a way to run commands on it."""

    def __init__(self):
        # In /tmp itself, since the path of a socket must be short and open to the other user.
        self.root = Path(tempfile.mkdtemp(prefix="ambit-"))
        self.root.chmod(0o755)
        self.ports = {port: free_port() for port in ("80", "443", "8000", "6379")}
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True)
        (self.root / "ports.json").write_text(json.dumps(self.ports))
        for name in COMMANDS:
            shutil.copy(STAND_IN, self.root / "commands" / name)
            (self.root / "commands" / name).chmod(0o755)
        (self.root / ".curlrc").write_text(
            f'connect-to = "{HOST}:443:127.0.0.1:{self.ports["443"]}"\n'
            f'cacert = "{self.root}/etc/ssl/ambit/fullchain.pem"\n'
        )
        self._copy_the_repository()
        if os.getuid() == 0:
            for path in (self.root, *self.root.rglob("*")):
                os.lchown(path, NOBODY, NOBODY)
        self.run(
            "cd source && git init --quiet && git add --all && "
            "git -c user.name=x -c user.email=x@x commit --quiet --message first"
        )

    def _copy_the_repository(self):
        """Copy what git would take along, changed or not."""
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            if (REPOSITORY / name).exists():
                target = self.root / "source" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(REPOSITORY / name, target)

    def moved(self, text):
        """Return the text with the folders of the machine and its ports."""
        text = re.sub(r"(?<![\w.~])/(etc|srv|var|run)/", rf"{self.root}/\1/", text)
        return re.sub(r"(?<=127\.0\.0\.1:)\d+", lambda m: str(self.ports.get(m[0], m[0])), text)

    def run(self, script):
        """Run lines of bash as an ordinary user; return what they print. Fails if they fail."""
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.root,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1500,
            **({"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}),
        )
        assert ran.returncode == 0, f"{script}\n{ran.stdout[-5000:]}"
        return ran.stdout

    def follow(self, block):
        """Run a block of the guide, after its first one, which has the names."""
        first, source = blocks()[0], f"export SOURCE={self.root}/source"
        names = re.sub("^export SOURCE=.*$", source, first, flags=re.MULTILINE)
        self._writable("u+w" if re.search("git |cat >", block) else "a-w")
        return self.run(names + self.moved(block))

    def _writable(self, mode):
        """Let only blocks of root change the program and the settings, which belong to root."""
        self.run(f"chmod -R {mode} srv etc/ambit 2>&1 || true")

    def _environment(self):
        passed = ("PIP_", "UV_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT")
        outside = {k: v for k, v in os.environ.items() if k.upper().startswith(passed)}
        folders = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
        return outside | {
            "PATH": ":".join((str(self.root / "commands"), *folders)),
            "HOME": str(self.root),
            "AMBIT_ROOT": str(self.root),
            "AMBIT_SETTINGS": str(self.root / "etc/ambit/ambit.env"),
            "WEB_PORT": str(self.ports["8000"]),
            "WEB_PROCESSES": "2",
        }

    def pid(self, name):
        """Return the number of a service's process."""
        return int((self.root / "pids" / name).read_text())

    def log(self, name):
        """Return what a service has written."""
        return (self.root / "log" / name).read_text()

    def close(self):
        """End what was started, and remove the folder."""
        for path in sorted((self.root / "pids").iterdir()):
            # PostgreSQL would wait for its clients after the usual signal.
            usual = signal.SIGINT if path.name == "postgresql" else signal.SIGTERM
            end(int(path.read_text()), usual)
        shutil.rmtree(self.root, ignore_errors=True)


def end(pid, usual):
    """End a service, then whatever it started and left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, usual)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and alive(pid):
        time.sleep(0.1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def alive(group):
    """Say whether a process of the group runs."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == group and state != "Z":
            return True
    return False


def skip_unless_possible():
    """Skip, naming what is missing, where the packages of the guide are not installed."""
    if names := missing():
        pytest.skip(f"not installed: {', '.join(names)}; the running guide names them")
