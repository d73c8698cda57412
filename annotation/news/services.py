"""Mark a person's news as read."""

import datetime as dt

from django.db.models import Q

from accounts.models import User


def mark_read(*, until: dt.datetime, by: User, now: dt.datetime) -> None:
    """Note that a person has read their news up to a time, never moving it back or past now."""
    until = min(until, now)
    older = Q(news_read_at__isnull=True) | Q(news_read_at__lt=until)
    User.objects.filter(older, pk=by.pk).update(news_read_at=until)
