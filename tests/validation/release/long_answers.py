"""Records of ASQA, and releases of them, that several test modules need."""

import io
import json

from django.utils import timezone

from annotation.imports.services import import_questions
from annotation.models import ContextParagraph
from validation.release.services import start_release


def shown(question, position, now, text="Trains ran from 7 December 1869.", **fields):
    return ContextParagraph.objects.create(
        question=question,
        position=position,
        text=text,
        title="East London line",
        path="East_London_line",
        score=0.5,
        created_at=now,
        **{"shown": True} | fields,
    )


def out(project, split=None):
    release = start_release(
        project=project, format="asqa", split=split, by=None, now=timezone.now()
    )
    data = b"".join(release.blocks())
    manifest = json.loads(release.build_manifest("data.json"))
    return data, manifest, release.build_card("data.json").decode()


def finished(project, now, **splits):
    file = io.BytesIO(json.dumps(splits).encode())
    return import_questions(
        project=project, file=file, format="asqa", split=None, finished=True, by=None, now=now
    )


def record(text="When did it open?", answers=("It did.",)):
    return {
        "ambiguous_question": text,
        "qa_pairs": [
            {"question": "Q1?", "short_answers": ["a", "A"], "context": None, "wikipage": "P"},
            {
                "question": "Q2?",
                "short_answers": ["b"],
                "context": "No context provided",
                "wikipage": None,
            },
        ],
        "wikipages": [{"title": "T", "url": None}],
        "annotations": [
            {"long_answer": text, "knowledge": [{"content": None, "wikipage": "P"}]}
            for text in answers
        ],
    }
