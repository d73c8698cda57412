"""A stage for tests of the engine: its facts are given, and its submissions are the drafts."""

from dataclasses import replace

from annotation.protocols import registry as protocols
from annotation.stages import registry as stages
from annotation.stages.registry import StageDefaults


def put_in_place(monkeypatch, *every):
    """Give AmbigQA these stages instead of its own."""
    keys = tuple(stage.key for stage in every)
    changed = replace(protocols.get_protocol("ambigqa"), stages=keys)
    monkeypatch.setattr(protocols, "_protocols", {"ambigqa": changed})
    monkeypatch.setattr(stages, "_stages", {stage.key: stage for stage in every})


class PlainSheet:
    """The engine asks a sheet for two things: its steps, and what of a response is kept."""

    steps = ()

    def dump(self, response):
        return response


class PlainStage(StageDefaults):
    label = "Plain"
    role = "annotator"
    sheet = PlainSheet()

    def __init__(self, key, *, units=("",), opens=lambda question: True, decides_on=None, **facts):
        """`units` are ready whenever `opens(question)`; `decides_on`: {question: state}."""
        self.key = key
        self.every_question = False
        self.units, self.opens = units, opens
        self.decided = {} if decides_on is None else decides_on
        for name, value in facts.items():
            setattr(self, name, value)

    def tasks_for(self, question):
        return self.units if self.opens(question) else []

    def decide_states(self, questions):
        return {pk: state for pk, state in self.decided.items() if pk in questions}

    def default_policies(self, project):
        return []

    def submit(self, assignment, response, *, by, now):
        if state := response.get("decide"):
            self.decided[assignment.task.question_id] = state
        return response

    def get_submission(self, assignment):
        return assignment.draft

    def withdraw(self, assignment):
        pass

    def values_for_log(self, assignment):
        return assignment.draft
