"""What outcomes of submissions adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    Outcomes,
    ResultNews,
)
from validation.outcomes import news, services, status

EXTENSION = Extension(
    key="validation.outcomes",
    followers=(services.FOLLOWER,),
    outcomes=(Outcomes(status.outcomes, status.tally),),
    news=(ResultNews(news.COUNT, news.results),),
)
