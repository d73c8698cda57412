"""Settings of the API's libraries, which no installation changes."""

import datetime as dt
from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "knox.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["config.staff.SignedInAsAsked"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.CursorPagination",
    "DEFAULT_FILTER_BACKENDS": ["annotation.rest.base.Filters"],
    "ALLOWED_VERSIONS": ["v1"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "1200/min"},
    "PAGE_SIZE": 100,
}
REST_KNOX: dict[str, Any] = {
    "TOKEN_TTL": dt.timedelta(days=90),
    "AUTO_REFRESH": False,
    "TOKEN_PREFIX": "ambit",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Ambit",
    "DESCRIPTION": "Projects, questions, assignments, import and export.",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "AssignmentStateEnum": "annotation.core.models.work.Assignment.State",
        "ConsentStateEnum": "annotation.consent.api.ANSWERS",
        "SkipReasonEnum": "annotation.core.models.work.Assignment.SkipReason",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotation.rest.schema.add_refusals",
        "annotation.rest.schema.add_summaries",
    ],
}
