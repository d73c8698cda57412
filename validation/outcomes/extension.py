"""What outcomes of submissions adds to the rooms below."""

from psycopg2.sql import SQL

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    Outcomes,
    ResultNews,
)
from validation.outcomes import news, services, status
from validation.outcomes.statements import COUNT_DECIDED

EXTENSION = Extension(
    key="validation.outcomes",
    followers=(services.FOLLOWER,),
    outcomes=(Outcomes(status.read_outcome_labels, status.count_results),),
    news=(ResultNews(SQL(COUNT_DECIDED), news.list_new_results),),
)
