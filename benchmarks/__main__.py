"""The benchmarks: python -m benchmarks [NAME [options]]; without a name, what each one asks."""

import sys

from benchmarks.harness import answer_apart, list_benchmarks, run_benchmark

match sys.argv[1:]:
    case ["--apart", name, arguments]:
        answer_apart(name, arguments)
    case [name, *words] if not name.startswith("-"):
        if name not in list_benchmarks():
            sys.exit(f"There is no benchmark {name}: {', '.join(list_benchmarks())}.")
        run_benchmark(name, words)
    case _:
        for name, kind in list_benchmarks().items():
            print(f"{name:14} {kind.__doc__}")
