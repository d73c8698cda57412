"""Tasks of Label Studio and records of doccano, in the layouts of their exports."""

CONTEXT = "It opened to walkers on 25 March 1843. Trains came on 7 December 1869."


def write(name, *texts, kind="textarea", **more):
    """A result: texts of a text area, or what was chosen."""
    value = {"text": list(texts)} if kind == "textarea" else {kind: list(texts)}
    return {"from_name": name, "to_name": "question", "type": kind, "value": value, **more}


def mark(start, end, text=None, **more):
    """A span over the context."""
    value = {"start": start, "end": end, "labels": ["Evidence"]}
    value |= {"text": CONTEXT[start:end] if text is None else text}
    return {"from_name": "e", "to_name": "context", "type": "labels", "value": value, **more}


def annotation(*results, **more):
    return {"id": 7, "completed_by": 1, "was_cancelled": False, "result": list(results), **more}


def task(key, *annotations, question="When did it open?", data=None, **more):
    return {
        "id": key,
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        "data": {"question": question, "context": CONTEXT, **(data or {})},
        "meta": {},
        "project": 1,
        **more,
    }


def labelled(key, *labels, text="When did it open?", **more):
    return {"id": key, "text": text, "label": list(labels), "Comments": [], **more}
