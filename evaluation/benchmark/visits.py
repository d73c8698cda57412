"""How fast strangers may read, and that programs which list pages pass most of them over."""

from allauth.core.internal import ratelimit
from django.http import HttpRequest

from evaluation.benchmark.policies import TooManyVisits

NO_ROBOTS = "noindex, nofollow"
_APP = "allauth.account"


def check_pace(request: HttpRequest) -> None:
    """Refuse an address that asks for too much in a minute."""
    # The public name of this function counts no GET.
    if not ratelimit.consume(request, app=_APP, action="benchmark", limit_get=True):
        raise TooManyVisits(
            "Too much was asked for from this address in a minute. Wait for a minute, then open "
            "the page again."
        )


def check_sending_pace(request: HttpRequest) -> None:
    """Refuse a person who sends too many files in an hour, whether or not they are scored."""
    if not ratelimit.consume(request, app=_APP, action="benchmark_send", user=request.user):
        raise TooManyVisits("You have sent too many files in an hour. Send the next one later.")
