"""Records of ASQA and AmbigNQ that several test modules write into files."""

import json


def counts(tally):
    return tally.created, tally.updated, tally.unchanged, tally.rejected


def record(text="When did it open?", *answers, **more):
    return {
        "ambiguous_question": text,
        "qa_pairs": [
            {"question": "For walkers?", "short_answers": ["1843"], "context": None},
            {"question": "For trains?", "short_answers": ["1869"], "context": "c"},
        ],
        "wikipages": [{"title": "Tunnel", "url": None}],
        "annotations": list(answers),
    } | more


def answer(text="It opened twice. ", *knowledge):
    pieces = [{"content": content, "wikipage": page} for content, page in knowledge]
    return {"long_answer": text, "knowledge": pieces}


def pairs(*questions):
    return {
        "type": "multipleQAs",
        "qaPairs": [{"question": text, "answer": ["a", text]} for text in questions],
    }


def ambig(key, *annotations, **more):
    return {"id": key, "question": f"What is {key}?", "annotations": list(annotations), **more}


SINGLE = {"type": "singleAnswer", "answer": ["a"]}


def lines(*records):
    return b"\n".join(json.dumps(each).encode() for each in records)
