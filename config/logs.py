"""Log lines: with the ids of the request and the job they belong to, and without secrets."""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

# Links that work for anyone who has them: invitations, new passwords, participants and what their
# platform says of them.
_SECRET_PATHS = re.compile(
    r"(/invitation/|/password/reset/key/|/take-part/|[?&](?:PROLIFIC_PID|SESSION_ID|prolific_token)=)[^/&\s\"']+"
)
_ids: ContextVar[Mapping[str, str | int]] = ContextVar("ids", default={})  # noqa: B039 - replaced
FORMATS = ("text", "json")


def without_secrets(text: str) -> str:
    """Return the text with the secret part of each such link cut out."""
    return _SECRET_PATHS.sub(r"\1…", text)


def get_ids() -> Mapping[str, str | int]:
    """Return the ids that lines of this thread get: `request_id`, `task_id`, `job_id`."""
    return _ids.get()


def set_ids(**given: str | int) -> None:
    """Give every line from here on these ids and no others."""
    _ids.set(given)


@contextmanager
def with_ids(**more: str | int) -> Iterator[None]:
    """Give these ids to every line that is written meanwhile, besides those that it has."""
    token = _ids.set({**_ids.get(), **more})
    try:
        yield
    finally:
        _ids.reset(token)


class HideTokens(logging.Filter):
    """Cut the secret part of addresses out of every line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite messages that hold such an address; let every record through."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):
            return True  # the handler reports a line whose arguments do not fit
        hidden = without_secrets(message)
        if hidden != message:
            # Whoever may not have the values (operations/sentry.py) needs the words without them.
            record.template = record.msg if record.args else ""
            record.msg, record.args = hidden, ()
        return True


class Text(logging.Formatter):
    """A line for people, with the ids at its end."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))  # the text of an exception, too

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(record)
        return line + "".join(f" {name}={value}" for name, value in get_ids().items())


class Json(logging.Formatter):
    """A line for programs: one JSON object with the time in UTC, as RFC 3339 has it."""

    def format(self, record: logging.LogRecord) -> str:
        # Once more over all of it: the path of a request, the text of an exception.
        return without_secrets(self._formatter.format(record))

    @cached_property
    def _formatter(self) -> logging.Formatter:
        # It takes longer to load than most commands take to run, and few commands log anything.
        import structlog

        def add_ids(logger: Any, method: str, event: Any) -> Any:
            return {**event, **get_ids()}

        return structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.ExtraAdder(allow=FIELDS),
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                add_ids,
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )


# What a line may have besides its message, where `extra` gives it.
FIELDS = ["method", "path", "view", "status", "seconds"]


def logging_settings(level: str, format: str) -> dict[str, Any]:
    """Return Django's LOGGING: everything goes to standard error, in this format."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {
                "()": "config.logs.Text",
                "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
            },
            "json": {"()": "config.logs.Json"},
        },
        "filters": {"hide_tokens": {"()": "config.logs.HideTokens"}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": format,
                "filters": ["hide_tokens"],
            },
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # It warns that files have no host name.
            "kombu.connection": {"level": "ERROR"},
            "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
        },
    }
