"""Extensions for as long as a test lasts."""

from dataclasses import replace

from annotation.extensions import registry
from annotation.extensions.extension import Extension
from annotation.extensions.parts import JobKind, JobWords

WORDS = JobWords(title="A job of a test", failed="It did not finish", stop="Stop")


def add_for_the_test(monkeypatch, **parts):
    """Let an app of the test add these parts, in front of or behind others by their places."""
    monkeypatch.setattr(registry, "_extensions", list(registry._extensions))
    monkeypatch.setattr(registry, "_all", registry._all)
    registry.register(Extension(key=f"test {len(registry._extensions)}", **parts))


def show_only_reports(monkeypatch, *reports):
    """Let there be these reports alone."""
    alone = replace(registry._all, reports=reports, report_panels=())
    monkeypatch.setattr(registry, "_all", alone)


def run_for_the_test(monkeypatch, key, run):
    """Let jobs of a kind that is there do something else."""
    jobs = tuple(replace(kind, run=run) if kind.key == key else kind for kind in registry._all.jobs)
    monkeypatch.setattr(registry, "_all", replace(registry._all, jobs=jobs))


def job_kind(key, run, **more):
    """Return a kind of job with words of no importance."""
    return JobKind(key=key, run=run, words=WORDS, **more)
