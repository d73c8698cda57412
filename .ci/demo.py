"""Run `make demo` until it serves, end it with Ctrl-C as a person does, and see that it ended."""

import os
import signal
import socket
import subprocess
import sys
import threading

INSTALL_AND_START_SECONDS = 900

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
demo = subprocess.Popen(
    ["make", "demo"],
    env=os.environ | {"AMBIT_PORT": str(port)},
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    text=True,
    start_new_session=True,  # Ctrl-C of a terminal reaches the whole group
)
late = threading.Timer(INSTALL_AND_START_SECONDS, os.killpg, [demo.pid, signal.SIGKILL])
late.start()
for line in demo.stdout:
    print(line, end="")
    if "Ctrl-C stops everything" in line:
        os.killpg(demo.pid, signal.SIGINT)
    last = line.strip()
late.cancel()
demo.wait(60)
# make itself ends with the signal, whatever the demo said.
sys.exit(None if last == "Stopped. Your data is kept." else f"make demo ended with: {last!r}")
