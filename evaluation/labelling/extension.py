"""What labelling adds to the rooms below."""

from django.db.models import Exists, OuterRef
from psycopg2.sql import SQL

from annotation.core.models.people import Role
from annotation.extensions.extension import Extension
from annotation.extensions.parts import LogEntries, Tab, TaskRule, Usage
from annotation.protocols.registry import Feature
from evaluation.labelling import queries
from evaluation.labelling.models import LabelSample
from evaluation.labelling.statements import HAS_READ_AS_ITEM
from evaluation.systems.models import System

EXTENSION = Extension(
    key="evaluation.labelling",
    tabs=(
        Tab(
            "labels",
            "Labels",
            "label-list",
            "quality",
            109,
            needs=Feature.DISAMBIGUATIONS,
            filled=Exists(LabelSample.objects.filter(project=OuterRef("pk"))),
            role=Role.EXPERT.value,
        ),
    ),
    task_rules=(
        TaskRule(
            asks_again=SQL("false"), not_for=SQL(HAS_READ_AS_ITEM), settled_on=SQL("NULL::bigint")
        ),
    ),
    usages=(Usage(System, queries.list_uses_of_systems, "sample"),),
    log=(
        LogEntries(
            {
                "ambiguity_labelled": "{who} labelled the types of ambiguity of [{what}].",
                "ambiguity_sample_drawn": (
                    "{who} drew {size} questions of {split} for [types of ambiguity]."
                ),
                "item_labelled": "{who} labelled [{what}]: {title}.",
                "labels_decided": "{who} decided between labels of [{what}]: {title}.",
                "label_sample_drawn": "{who} drew {size} items of {split} to [label]: {title}.",
                "label_sample_deleted": "{who} deleted a [sample] without labels: {title}.",
                "label_scheme_made": "{who} defined a way to [label] items: {title}.",
            },
            pages={
                "ambiguity_sample_drawn": "ambiguity-sample",
                "label_sample_drawn": "label-list",
                "label_sample_deleted": "label-list",
                "label_scheme_made": "label-list",
            },
        ),
    ),
)
