"""What tests of labelling do again and again."""

from evaluation.labelling import services
from evaluation.labelling.schemes import find_scheme


def draw(project, key, team, now, size=10, labellers=2, **fields):
    sample, _ = services.draw_items(
        project=project,
        scheme=find_scheme(key),
        split="dev",
        size=size,
        labellers=labellers,
        by=team["rosa"],
        now=now,
        **fields,
    )
    return sample


def label(item, by, now, *categories, **fields):
    services.label_item(item=item, categories=categories, by=by, now=now, **{"seen": None} | fields)


def page_of(item):
    return item.get_absolute_url()


def names(sample):
    return list(sample.items.order_by("position").values_list("question__external_id", flat=True))
