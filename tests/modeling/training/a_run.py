"""Short trainings in processes that can be killed: python -m tests.modeling.training.a_run.

Arguments: the folder of the base, then for one training after another a JSON object with its folder
and when it is to be killed: "step N", after that step; "step N S", so many seconds of the processor
later; "write N", while the checkpoint of that step is written; "" for never. "adapters" is their
rank. Each is a fork of one process that has loaded torch and computed nothing, and has a limit of
processor time. A line of JSON says of each how it ended and what came of it.
"""

import gc
import importlib
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path

MOST_SECONDS = 60  # of the processor, for one training of about five


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def kill_itself_after(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        time.sleep(0.001)
    kill_itself()


def train(base, folder, kill="", adapters=0):
    import transformers

    from modeling.training import runs
    from modeling.weights import get_weights
    from tests.modeling.training import learning

    runs.FEWEST_DEV = 4
    kind, number, *later = kill.split() or ("", "0")
    write = transformers.Trainer._save_optimizer_and_scheduler

    def report(done, total):
        if kind == "step" and done == int(number):
            after = [float(seconds) for seconds in later] or [0.0]
            if after == [0.0]:
                kill_itself()
            threading.Thread(target=kill_itself_after, args=after, daemon=True).start()

    def save(trainer, path):
        """Be killed after the weights of a checkpoint, before the state that belongs to them."""
        if kind == "write" and trainer.state.global_step == int(number):
            kill_itself()
        write(trainer, path)

    transformers.Trainer._save_optimizer_and_scheduler = save
    examples = learning.examples_of("reader")
    result = runs.train_model(
        Path(folder),
        learning.recipe_of("reader", batch=3, patience=3, warm_up=0.1, adapters=adapters),
        train=[each for each in examples for _ in range(2)],
        dev=examples,
        base=get_weights("reader", base, may_be_fast=False),
        seed=3,
        max_steps=90,
        looks=4,
        device="cpu",
        report=report,
    )
    return {
        "best": result.step,
        "steps": result.steps,
        "figures": result.figures,
        "weights": str(result.checkpoint),
    }


def in_a_fork(base, **run):
    """Return how a training ended, and what came of it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
        try:
            os.write(write, json.dumps(train(base, **run)).encode())
        except BaseException:
            traceback.print_exc()  # os._exit prints nothing
        finally:
            sys.stderr.flush()
            os._exit(0)
    os.close(write)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    return {
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "result": json.loads(said) if said else None,
    }


def main(base, *runs):
    warnings.simplefilter("error")
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    import torch

    # What every fork would load for itself, in four seconds of the processor each.
    for name in ("peft", "modeling.training.running", "tests.modeling.training.learning"):
        importlib.import_module(name)

    torch.set_num_threads(1)
    gc.freeze()
    for run in map(json.loads, runs):
        sys.stdout.write(json.dumps(in_a_fork(base, **run)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
