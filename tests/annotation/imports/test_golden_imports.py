"""Each format into each project that takes it, finished and not, with a bad record of each kind.

`golden_imports.json` was written when a protocol still told imports what it needs in three objects:
counts, sentences and rows must not change.
"""

import io
import json
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone
from knox.models import AuthToken

from annotation.core.refusals import Conflict
from annotation.imports.formats import all_formats
from annotation.imports.forms import ImportForm
from annotation.imports.services import import_questions, start_import
from annotation.models import AuditEntry, Knowledge, LongAnswer
from annotation.protocols import registry as protocols
from natural_questions import pages
from tests import factories
from tests.annotation.imports import peer_files as peers
from tests.annotation.imports.asqa_files import SINGLE, ambig, answer, lines, pairs
from tests.annotation.imports.asqa_files import record as asqa
from tests.natural_questions import samples
from tests.qampari.factories import record as qampari
from validation.models import AcceptedAnswer, AcceptedQuestion

pytestmark = pytest.mark.django_db

GOLDEN = json.loads((Path(__file__).parent / "golden_imports.json").read_text())
TOO_MANY = 1_001
NONE = {"type": "noAnswer"}


def multiple(question="Which?", answers=("a",)):
    return {"type": "multipleQAs", "qaPairs": [{"question": question, "answer": list(answers)}]}


def readers(key="1__wikidata_simple__dev", text="Which towns?", answers=(("Kelso",), ("Ely",))):
    return {"id": key, "question": text, "answers": [list(forms) for forms in answers]}


def unlike(record, **changes):
    """A record with these fields changed; None takes a field away."""
    return {key: value for key, value in (record | changes).items() if value is not None}


def nq(name, **changes):
    return samples.original(name, f"when was pump {name} dug", **changes)


def official(number, **changes):
    return unlike(qampari(number), **changes)


def nowhere(record, **changes):
    return [unlike(record["annotations"][0], **changes)]


def nq_open(text="who built it"):
    good = {"question": text, "answer": ["Telford", "T. Telford"]}
    bad = [{"question": "who"}, {"question": " ", "answer": []}, {"question": 7, "answer": ["a"]}]
    return lines(good, *bad, [1], {"question": "why", "answer": "a"})


def plain(text="who built it"):
    good = {"id": "a", "question": text, "split": "dev", "answers": ["Telford"]}
    bad = [
        {"id": "b"},
        {"question": "who"},
        {"id": "c", "question": "who", "split": "all"},
        {"id": "d", "question": "who", "context": 3},
        {"id": "e", "question": "who", "answers": [None]},
    ]
    with_pairs = {"id": "f", "question": "When?", "context": {"qa_pairs": asqa()["qa_pairs"]}}
    without = {"id": "g", "question": "When?", "context": {"qa_pairs": []}}
    return lines(good, *bad, with_pairs, without)


def table(text="who built it"):
    rows = [f"a,{text},dev,Telford|T", "b,,dev,", ",who,dev,", "c,who,all,", "d,who"]
    return "\n".join(["id,question,split,answers", *rows]).encode()


def ambignq(text="What is a?"):
    good = [
        ambig("a", pairs("x", "y"), SINGLE, NONE, question=text, viewed_doc_titles=["Tunnel"]),
        ambig("s", SINGLE, nq_answer=["1843"]),
        ambig("split", multiple("One?|Two?", ["a", "b"]), nq_doc_title="Bridge ..."),
    ]
    bad = [
        ambig("none"),
        ambig("unfound", NONE),
        ambig("seven", pairs(*"1234567")),
        ambig("pairless", {"type": "multipleQAs", "qaPairs": []}),
        ambig("crowded", pairs(*map(str, range(TOO_MANY)))),
        ambig("unasked", multiple("")),
        ambig("phrasings", multiple("|" * 1_000)),
        ambig("unanswered", multiple(answers=[])),
        ambig("empty", SINGLE | {"answer": ["a", ""]}),
        ambig("forms", SINGLE | {"answer": ["a"] * TOO_MANY}),
        ambig("titles", SINGLE, viewed_doc_titles=[1]),
        ambig("queries", SINGLE, used_queries=[{}]),
        ambig("title", SINGLE, nq_doc_title=3),
        ambig("unknown", {"type": "several"}),
        ambig("answerless", {"type": "singleAnswer"}),
        ambig("number", SINGLE, question=3),
        ambig("a", SINGLE),
    ]
    return json.dumps([*good, *bad]).encode()


def asqa_file(text="When did it open?"):
    piece = ("It opened.", "Tunnel")
    records = {
        "a": asqa(text, answer("Twice. ", piece, (None, None)), answer("Once.")),
        "none": asqa(),
        "many": asqa("When?", *[answer("Twice.")] * TOO_MANY),
        "empty": asqa("When?", answer("Once."), answer("")),
        "pieces": asqa("When?", answer("Once.", *[piece] * TOO_MANY)),
        "pairless": unlike(asqa(), qa_pairs=None),
        "unpaired": asqa(qa_pairs=[]),
        "unanswered": asqa(qa_pairs=[{"question": "When?", "short_answers": []}]),
        "pages": asqa(wikipages=[{"title": 3}]),
        "long": asqa("When?", {"long_answer": 3}),
        "knowledge": asqa("When?", answer("Once.", (3, None))),
        "unasked": unlike(asqa(), ambiguous_question=None),
        "list": [],
    }
    return json.dumps({"dev": records, "all": {"x": asqa()}}).encode()


def nq_file(text="when was the pump dug"):
    good = nq(1, question_text=text)
    bad = [
        nq(2, annotations=[]),
        nq(3, annotations=[good["annotations"][2]] * TOO_MANY),
        unlike(nq(4), document_html=None),
        nq(5, long_answer_candidates=[samples.NOWHERE]),
        unlike(nq(6), example_id=None),
        nq(7, annotations=nowhere(good, yes_no_answer="MAYBE")),
        nq(8, annotations=nowhere(good, long_answer=3)),
        {"question": "who", "answer": ["a"]},
    ]
    return b"\n".join(samples.line(record) for record in (good, *bad))


def qampari_file(text="Which towns have a bridge?"):
    good = official(1, question_text=text)
    bad = [
        official(2, answer_list=[]),
        official(3, answer_list=None),
        official(4, answer_list=[{}]),
        official(5, answer_list=[{"answer_text": "Ely", "proof": [{}]}]),
        official(6, answer_list=[{"answer_text": "Ely"}] * 10_001),
        official(7, qid=None),
        {"question": "who", "answer": ["a"]},
    ]
    return lines(good, official(9), *bad)


def readers_file(text="Which towns?"):
    records = [
        readers(text=text),
        readers("2__wikidata_simple__dev", answers=()),
        readers("3__wikidata_simple__dev", answers=[()]),
        readers("4__wikidata_simple__dev", answers=[(3,)]),
        unlike(readers("5__wikidata_simple__dev"), answers={}),
        unlike(readers(), id=None),
    ]
    return json.dumps(records).encode()


def label_studio_file(text="When did it open?"):
    several = peers.annotation(peers.write("answer", "25 March 1843", "7 December 1869"))
    apart = peers.annotation(
        peers.write("answer_1", "25 March 1843", "March 1843"),
        peers.write("question_1", "When did it open to walkers?"),
        peers.write("answer_2", "7 December 1869"),
        peers.write("question_2", "When did it open to trains?"),
        peers.mark(24, 37),
    )
    good = [
        peers.task(1, apart, question=text),
        peers.task(2, peers.annotation(peers.write("answer", "1843"), peers.mark(0, 2))),
    ]
    bad = [
        peers.task(3, several),
        peers.task(4, peers.annotation()),
        peers.task(5, question=3),
        peers.task(6, peers.annotation(peers.write("answer", 3))),
        peers.task(7) | {"data": []},
        peers.task(8, annotation=3) | {"annotations": 3},
        peers.task(None),
        peers.task(9, peers.annotation(peers.write("answer", "a")) | {"was_cancelled": True}),
    ]
    return json.dumps([*good, *bad]).encode()


def doccano_file(text="When did it open?"):
    good = [peers.labelled(1, "25 March 1843", text=text), peers.labelled(2, "1843", "1869")]
    bad = [
        peers.labelled(3, text="It opened."),
        peers.labelled(4, [0, 2, "Evidence"], text="It opened."),
        peers.labelled(5, [0, 2, "Evidence"], "1843"),
        peers.labelled(6, 3),
        peers.labelled(None, "a"),
        peers.labelled(7, "a", text=" "),
        {"id": 8, "text": "Who?"},
    ]
    return lines(*good, *bad)


FILES = {
    "label-studio": label_studio_file,
    "doccano": doccano_file,
    "nq-open": nq_open,
    "jsonl": plain,
    "table": table,
    "ambignq": ambignq,
    "asqa": asqa_file,
    "natural-questions": nq_file,
    "qampari": qampari_file,
    "qampari-readers": readers_file,
}
KEYS = [protocol.key for protocol in protocols.list_protocols()]
WAYS = [(key, format) for key in KEYS for format in protocols.get_protocol(key).imports.formats]


def bring(project, format, data, **options):
    """Import a file; return what is said of it, and what is in the project now."""
    try:
        tally = import_questions(
            project=project,
            file=io.BytesIO(data),
            format=format,
            split="dev",
            by=None,
            now=timezone.now(),
            **options,
        )
    except Conflict as refusal:
        return {"refused": str(refusal)}
    return {"said": tally.as_json(), "rows": rows_of(project)}


def rows_of(project):
    """What is in the project: each question, and what is accepted for it."""
    annotations = pages.annotations_of(project.questions.values_list("pk", flat=True))
    decided = project.questions.exclude(decisions=None).order_by("decisions")
    pair = "pair__accepted__decision"
    return {
        "questions": [
            [each.external_id, each.text, each.state, each.known_answers, sorted(each.context)]
            for each in project.questions.order_by("external_id")
        ],
        "decisions": list(
            decided.values_list(
                "external_id", *(f"decisions__{key}" for key in ("source", "outcome", "in_force"))
            )
        ),
        "asked": texts_of(AcceptedQuestion, pair, project, **{f"{pair}__in_force": True}),
        "answers": texts_of(AcceptedAnswer, pair, project, **{f"{pair}__in_force": True}),
        "long": texts_of(LongAnswer, "", project),
        "knowledge": Knowledge.objects.filter(long_answer__question__project=project).count(),
        "annotations": sorted(map(len, annotations.values())),
        "reserve": project.questions.filter(list__reserve=True).count(),
        "lists": project.questions.exclude(list=None).count(),
        "tasks": project.questions.filter(tasks__seats__gt=0).distinct().count(),
        "log": sorted(
            AuditEntry.objects.filter(project=project.pk).values_list("action", flat=True)
        ),
    }


def texts_of(model, way, project, **where):
    """The number of texts, and the first of them, of a project to which `way` leads."""
    question = f"{way}__question__project" if way else "question__project"
    rows = sorted(
        model.objects.filter(**where, **{question: project}).values_list("text", flat=True)
    )
    return [len(rows), *rows[:8]]


def make_project(key):
    settings = {"target_dev": 1} if key == "qampari" else {}
    project = factories.make_project(protocol=key, policies=False, rule_settings=settings)
    first = protocols.get_protocol(key).stages[0]
    project.policies.create(stage=first, split="dev", people=1, minimum_seconds=0)
    return project


def let_somebody_answer(project):
    """Let one person submit every question of the project that is handed out."""
    person = factories.make_member(project, "annotator")
    ended = {"submitted_at": timezone.now(), "ended_at": timezone.now(), "lease_ends_at": None}
    for question in project.questions.exclude(tasks=None).order_by("pk").distinct():
        task = question.tasks.order_by("pk").first()
        factories.make_assignment(task, person, state="submitted", **ended)


@pytest.mark.parametrize(("key", "format"), WAYS)
def test_what_a_file_brings_and_what_is_said_of_it(key, format):
    write = FILES[format]
    project, finished, worked = (make_project(key) for _ in range(3))
    found = {
        "plain": bring(project, format, write()),
        "finished": bring(finished, format, write(), finished=True),
    }
    if "refused" not in found["plain"]:
        found["plain again"] = bring(project, format, write())
        bring(worked, format, write())
        let_somebody_answer(worked)
        found["in work, same"] = bring(worked, format, write())
        found["in work"] = bring(worked, format, write("what else is it"))
    if "refused" not in found["finished"]:
        found |= {
            "finished after it": bring(project, format, write(), finished=True),
            "finished again": bring(finished, format, write(), finished=True),
            "plain after it": bring(finished, format, write()),
            "changed": bring(finished, format, write("what is it"), finished=True),
            "in work, finished": bring(worked, format, write(), finished=True),
        }
    assert json.loads(json.dumps(found)) == GOLDEN["files"][f"{key} {format}"]


@pytest.mark.parametrize("finished", [False, True])
@pytest.mark.parametrize("key", KEYS)
def test_every_format_is_taken_or_refused_in_the_same_words(client, key, finished):
    project = make_project(key)
    admin = factories.make_member(project, "admin")
    _, token = AuthToken.objects.create(admin)
    found = {}
    for format in all_formats():
        file = ContentFile(b"x", name="x.jsonl")
        values = {"format": format, "split": "dev", "finished": finished}
        form = ImportForm(values, {"file": file}, project=project)
        sent = client.post(
            f"/api/v1/projects/{project.slug}/imports/",
            {**values, "file": ContentFile(b"{", name="x.jsonl")},
            headers={"Authorization": f"Token {token}"},
        )
        found[format] = {
            "page": form.errors,
            "offered": form.fields["format"].choices,
            "help": form.fields["finished"].help_text,
            "api": [sent.status_code, sent.json() if sent.status_code != 202 else None],
            "job": start(project, format, finished, admin),
        }
    assert json.loads(json.dumps(found)) == GOLDEN["refusals"][f"{key} {finished}"]


def start(project, format, finished, by):
    try:
        start_import(
            project=project,
            file=ContentFile(b"x", name="x"),
            file_name="x",
            format=format,
            split="dev",
            strict=False,
            finished=finished,
            by=by,
            now=timezone.now(),
        )
    except Conflict as refusal:
        return str(refusal)
    return ""


def test_there_is_a_file_of_each_format():
    assert set(FILES) == set(all_formats())
    assert {format for _, format in WAYS} == set(all_formats())
