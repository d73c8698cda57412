"""Whether work grows with its input and no faster, without saying how fast a machine is."""

import time


def growth(run, make, size, times=4):
    """How many times longer `run` takes on `make(times * size)` than on `make(size)`.

    What is linear gives about `times`, what is quadratic its square. Each is the best of three.
    """
    small, large = make(size), make(times * size)
    return _best(run, large) / _best(run, small)


def _best(run, made):
    taken = []
    for _ in range(3):
        began = time.thread_time()
        run(made)
        taken.append(time.thread_time() - began)
    return min(taken)
