"""A co-training in a process that is killed: python -m tests.modeling.training.a_cotraining.

Arguments: a file with a pickled `CotrainingRun`, and the name of the model after whose first step
the process is killed.
"""

import os
import pickle
import signal
import sys
from pathlib import Path


def main(path, name):
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    import torch

    torch.set_num_threads(1)
    run = pickle.loads(Path(path).read_bytes())  # noqa: S301 - written by the test

    def report(model, done, total):
        if model == name:
            os.kill(os.getpid(), signal.SIGKILL)

    run.run(report=report)


if __name__ == "__main__":
    main(*sys.argv[1:])
