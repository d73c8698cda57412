"""Errors to Sentry: their kind and where they happened, never what people wrote or who they are.

Values of variables, messages, headers, bodies, queries and people stay here: the log has them,
under the id that the event names.
"""

import logging
from typing import Any

import sentry_sdk
from django.conf import settings
from sentry_sdk.transport import Transport

from config import logs

LEFT_OUT = "left out; the log has it under the request_id or task_id"
# What an event may have at its top. What is new in a version of the library stays out.
FIELDS = frozenset(
    {
        *("event_id", "timestamp", "level", "platform", "release", "environment", "server_name"),
        *("logger", "transaction", "transaction_info", "sdk", "tags", "exception", "logentry"),
        *("request", "fingerprint"),
    }
)
FRAME = frozenset({"filename", "abs_path", "function", "module", "lineno", "in_app"})


def start_reporting(dsn: str, transport: type[Transport] | None = None) -> None:
    """Send errors of this process to Sentry from now on."""
    sentry_sdk.init(
        dsn=dsn,
        release=f"ambit@{settings.VERSION}",
        environment=settings.SENTRY_ENVIRONMENT,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
        before_send=strip_event,
        transport=transport,
    )


def strip_event(event: Any, hint: Any) -> Any:
    """Return the event with nothing in it but kinds, places and ids."""
    plain = {name: value for name, value in event.items() if name in FIELDS}
    plain["tags"] = {name: str(value) for name, value in logs.get_ids().items()}
    if request := event.get("request"):
        plain["request"] = {"method": request.get("method"), "url": _path(request.get("url"))}
    if "logentry" in event:
        plain["logentry"] = {"message": _template(hint.get("log_record"))}
    if exception := event.get("exception"):
        values = [_plain_exception(value) for value in exception.get("values") or []]
        plain["exception"] = {"values": values}
    return plain


def _template(record: logging.LogRecord | None) -> str:
    """Return the words of a log line without its values, which may name people.

    A line without values may have been put together from them, so nothing of it is given.
    """
    if record is None:
        return LEFT_OUT
    template = getattr(record, "template", record.msg if record.args else "")
    return logs.without_secrets(str(template)) or LEFT_OUT


def _path(url: Any) -> str:
    """Return an address without what comes after its path, which may hold a search."""
    return logs.without_secrets(str(url or "").split("?", 1)[0].split("#", 1)[0])


def _plain_exception(value: dict[str, Any]) -> dict[str, Any]:
    frames = (value.get("stacktrace") or {}).get("frames") or []
    return {
        "type": value.get("type"),
        "module": value.get("module"),
        "value": LEFT_OUT,
        "stacktrace": {
            "frames": [{key: frame[key] for key in FRAME & frame.keys()} for frame in frames]
        },
    }
