"""Words for relations that the installation's language model proposes; people take them or not.

A job asks the model; what it replied lies in the job's result and nowhere else, until somebody
saves a relation with it.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project
from modeling.base import MissingModel
from modeling.replies import BadReply
from qampari.making.editing.prompts import (
    MOST_TOKENS,
    build_wording_messages,
    estimate_tokens,
    parse_wording,
)
from qampari.making.editing.queries import ProjectRelation, ids_of, list_project_relations
from qampari.making.previews import list_examples
from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.folders import list_graphs, open_graph

if TYPE_CHECKING:
    from modeling.llm import Client

PROPOSE: Final = "make-wordings"
_MODELS_TASK: Final = "modeling.tasks.run_job"
_LOOKED_BACK: Final = 20  # jobs, whose proposals are shown
_LONGEST_PROBLEM: Final = 300


@dataclass(frozen=True, slots=True)
class WordingCost:
    """What asking about relations would take at most; cost is None where no price is set."""

    model: str
    host: str
    relations: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None


def can_propose() -> bool:
    """Return whether this installation has a language model to ask."""
    return bool(settings.LLM_URL and settings.LLM_MODEL)


def list_proposals(project: Project) -> dict[str, dict[str, str]]:
    """Return what models proposed, by the relation's key and the field: the newest of each.

    One query.
    """
    jobs = Job.objects.filter(project=project, kind=PROPOSE).order_by("-pk")
    results = jobs.values_list("result", flat=True)[:_LOOKED_BACK]
    proposals: dict[str, dict[str, str]] = {}
    for result in reversed(results):
        proposals |= result.get("wordings", {})
    return proposals


def choose_relations(project: Project, key: str) -> list[ProjectRelation]:
    """Return the relation with this key; without one, all that have no wording."""
    return [
        each
        for each in list_project_relations(project)
        if (each.key == key if key else not each.is_worded)
    ]


def estimate_cost(graph_name: str, relations: Sequence[ProjectRelation]) -> WordingCost:
    """Return what asking about relations would take. Raises MissingModel, GraphProblem."""
    from modeling.llm import get_endpoint  # loads the library of requests

    endpoint = get_endpoint()
    tokens_in = sum(
        estimate_tokens(build_wording_messages(about))
        for about in describe_to_model(graph_name, relations)
    )
    tokens_out = MOST_TOKENS * len(relations)
    cost = endpoint.token_cost(tokens_in, tokens_out)
    return WordingCost(endpoint.model, endpoint.host, len(relations), tokens_in, tokens_out, cost)


def start_wording_job(*, project: Project, graph: str, key: str, by: User, now: dt.datetime) -> Job:
    """Make the job that asks for words, or return the one under way that asks for the same.

    key: of one relation; "" for all without a wording. Staff only. Raises Conflict where there is
    no model or nothing to ask, GraphProblem where there is no such graph here.
    """
    check_can_import(by, project)
    if not can_propose():
        raise Conflict(
            "This installation has no language model. Whoever runs it sets AMBIT_LLM_URL and "
            "AMBIT_LLM_MODEL."
        )
    open_graph(graph).close()
    keys = [each.key for each in choose_relations(project, key)]
    if not keys:
        raise Conflict("Every relation has a wording. Open the one you want another for.")
    options = {"graph": graph, "relations": keys}
    for job in Job.objects.filter(
        project=project, kind=PROPOSE, state__in=jobs_services.UNFINISHED
    ):
        if job.options != options:
            raise Conflict("A model is being asked for wordings. Wait until it has ended.")
        return job
    return jobs_services.create_job(
        project=project,
        kind=PROPOSE,
        options=options,
        file_name=f"Wordings from {settings.LLM_MODEL}",
        unit="relations",
        by=by,
        now=now,
    )


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    """Start a job like one that failed or was stopped."""
    keys = job.options["relations"]
    return start_wording_job(
        project=job.project,
        graph=job.options["graph"],
        key=keys[0] if len(keys) == 1 else "",
        by=by,
        now=now,
    )


def task_of(options: Mapping[str, Any]) -> str:
    """Return the Celery task that runs such jobs: that of workers with models."""
    return _MODELS_TASK


def describe_to_model(
    graph_name: str, relations: Sequence[ProjectRelation]
) -> list[dict[str, Any]]:
    """Return what a model is told of each relation: names and a few facts of the graph."""
    examples = list_examples(graph_name, [each.asked for each in relations])
    types = [each.asked.type for each in relations if each.asked.type]
    with open_graph(graph_name) as graph:
        properties, classes = graph.list_properties(), graph.find_entities(types)
    told = []
    for relation, example in zip(relations, examples, strict=True):
        prop, type_id = ids_of(relation.asked)
        named, of_type = properties.get(prop), classes.get(type_id or 0)
        told.append(
            {
                "relation": named.label if named and named.label else f"P{prop}",
                "description": named.description if named else None,
                "type": of_type.label if of_type else None,
                "facts": [{"answer": name, "subject": example.subject} for name in example.names]
                if example
                else [],
            }
        )
    return told


def run_job(work: jobs_services.RunningJob) -> None:
    """Ask the model about each relation that this job has not asked about yet."""
    from modeling.llm import Client, get_endpoint  # loads the library of requests

    options = work.job.options
    if options["graph"] not in list_graphs():
        raise jobs_services.JobPassedOn
    wanted = set(options["relations"])
    relations = [each for each in list_project_relations(work.job.project) if each.key in wanted]
    try:
        told = describe_to_model(options["graph"], relations)
        with jobs_services.keep_heartbeat(work):
            _ask_about_all(work, Client(get_endpoint()), relations, told)
    except (MissingModel, GraphProblem) as problem:
        raise jobs_services.JobProblem(str(problem)) from None


def _ask_about_all(
    work: jobs_services.RunningJob,
    client: "Client",
    relations: Sequence[ProjectRelation],
    told: Sequence[Mapping[str, Any]],
) -> None:
    empty = {"wordings": {}, "problems": {}, "tokens_in": 0, "tokens_out": 0}
    result: dict[str, Any] = empty | work.job.result
    for relation, about in zip(relations, told, strict=True):
        if relation.key not in result["wordings"] and relation.key not in result["problems"]:
            _ask_about(client, relation, about, result)
        result["proposed"], result["failed"] = len(result["wordings"]), len(result["problems"])
        done = result["proposed"] + result["failed"]
        work.save(done=done, total=len(relations), result=result)


def _ask_about(
    client: "Client",
    relation: ProjectRelation,
    about: Mapping[str, Any],
    result: dict[str, Any],
) -> None:
    """Ask about one relation, and note in the result what came of it."""
    from modeling.llm import NoReply

    try:
        reply = client.chat(build_wording_messages(about), most_tokens=MOST_TOKENS)
        result["tokens_in"] += reply.tokens_in
        result["tokens_out"] += reply.tokens_out
        result["wordings"][relation.key] = parse_wording(reply.text, *ids_of(relation.asked))
    except NoReply as problem:
        if not problem.alone:
            raise jobs_services.JobProblem(str(problem)) from None
        result["problems"][relation.key] = str(problem)[:_LONGEST_PROBLEM]
    except BadReply as problem:
        sentence = str(problem).replace("\0", "\ufffd")
        result["problems"][relation.key] = sentence[:_LONGEST_PROBLEM]
