"""What a person has seen of their news."""

import datetime as dt

from django.db.models import Q

from accounts.models import User


def mark_read(*, until: dt.datetime, by: User, now: dt.datetime) -> None:
    """Note that a person has seen their news up to a time: never back in time, nor ahead of it."""
    until = min(until, now)
    older = Q(news_read_at__isnull=True) | Q(news_read_at__lt=until)
    User.objects.filter(older, pk=by.pk).update(news_read_at=until)
