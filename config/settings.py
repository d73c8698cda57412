"""One settings file; installations differ by environment variables only (docs/settings.md)."""

import datetime as dt
import os
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import embedded
from config.env import (
    envbool,
    envchoice,
    envdecimal,
    envint,
    envlist,
    envpairs,
    envsecret,
    envstr,
    envurl,
    envzone,
)
from modeling.weights import ROLES

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "0.1.0"

AMBIT_DATA = embedded.data_dir()
EMBEDDED = embedded.wanted()

# --- Secrets and hosts ---------------------------------------------------------------------
SECRET_KEY = envsecret("SECRET_KEY")
if not SECRET_KEY:
    if not EMBEDDED:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. With DATABASE_URL this is a production installation, which "
            "needs a secret of its own: set SECRET_KEY, or SECRET_KEY_FILE to a file holding it. "
            'Make one with: python -c "import secrets; print(secrets.token_urlsafe(48))"'
        )
    SECRET_KEY = embedded.secret_key()
# Pseudonyms in exports must stay the same when SECRET_KEY is rotated, so they have their own key.
PSEUDONYM_KEY = envsecret("PSEUDONYM_KEY") or SECRET_KEY

DEBUG = envbool("DEBUG", default=False)
ALLOWED_HOSTS = envlist("ALLOWED_HOSTS") or (
    ["localhost", "127.0.0.1", "[::1]"] if EMBEDDED or DEBUG else []
)
CSRF_TRUSTED_ORIGINS = envlist("CSRF_TRUSTED_ORIGINS")

# --- Applications --------------------------------------------------------------------------
INSTALLED_APPS = [
    "config",
    "accounts",
    "wikipedia",
    "annotation",
    "validation",
    "evaluation",
    "modeling",
    "django.forms",
    "django.contrib.admin.apps.SimpleAdminConfig",  # config/urls.py finds its pages
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "rest_framework",
    "knox",
    "django_filters",
    "drf_spectacular",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.compression.compress_pages",
    "config.security.content_security_policy",
    "config.errors.refuse_unreadable",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.sessions.PersonMiddleware",
    "config.privacy.keep_private",
    "config.signin.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.errors.DeniedMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

_CONTEXT = [
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "environment": "config.templates.environment",
            "context_processors": [
                *_CONTEXT,
                "config.context.token",
                "config.context.version",
                "config.context.news",
            ],
        },
    },
    {  # for the pages of Django's administration
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": ["django.template.context_processors.request", *_CONTEXT]
        },
    },
]

# Forms are drawn by templates of our own (templates/includes/form.html).
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# --- Database ------------------------------------------------------------------------------
DATABASE_URL = envurl("DATABASE_URL", "postgresql", "postgres") or os.environ.get(
    embedded.URL_VARIABLE, ""
)
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(
        # Without an address (a command that needs no database) this one is never connected to.
        DATABASE_URL or "postgresql:///ambit",
        engine="config.database",
        conn_max_age=600,
        conn_health_checks=True,
    )
}
# The few prepared statements (accounts/prepared.py) are planned once, for any values:
# planning them again for each would cost more than running them.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault(
    "options", "-c plan_cache_mode=force_generic_plan"
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Broker and cache ----------------------------------------------------------------------
REDIS_URL = envurl("REDIS_URL", "redis", "rediss", "unix")
CELERY_BROKER_URL = envurl("BROKER_URL", "redis", "rediss", "amqp", "amqps") or REDIS_URL
if not CELERY_BROKER_URL:
    CELERY_BROKER_URL = "filesystem://"
    CELERY_BROKER_TRANSPORT = "config.broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": embedded.queue_folder("messages"),
        "data_folder_out": embedded.queue_folder("messages"),
        "control_folder": embedded.queue_folder("control"),
        "store_processed": False,
        "polling_interval": 0.05,
    }
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {"modeling.*": {"queue": "models"}}
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "requeue-stale-jobs": {"task": "annotation.tasks.requeue_stale_jobs", "schedule": 30.0},
    "renew-figures": {"task": "annotation.tasks.renew_figures", "schedule": 30.0},
    "hand-over": {"task": "annotation.tasks.hand_over_the_left_behind", "schedule": 60.0},
    "clear-sessions": {"task": "accounts.tasks.clear_sessions", "schedule": 24 * 3600.0},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(AMBIT_DATA / "celerybeat-schedule")

CACHES: dict[str, Any] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "cache",
            "OPTIONS": {"MAX_ENTRIES": 5000},
        }
    )
}

# --- People --------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"  # an invitation sent to the address is the proof
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "reset_password": "20/m/ip,5/m/key",
    "reset_password_from_key": "20/m/ip",
}
# How many proxies in front of us may name the client's address (rate limits read it).
ALLAUTH_TRUSTED_PROXY_COUNT = envint("TRUSTED_PROXIES", 0, most=10)
INVITATION_MAX_AGE = dt.timedelta(days=envint("INVITATION_DAYS", 7, least=1, most=90))

EMAIL_URL = envurl("EMAIL_URL", "smtp", "smtp+tls", "smtps")
DEFAULT_FROM_EMAIL = envstr("DEFAULT_FROM_EMAIL", "ambit@localhost")
if EMAIL_URL:
    from urllib.parse import unquote, urlsplit

    _mail = urlsplit(EMAIL_URL)
    EMAIL_HOST = _mail.hostname or "localhost"
    EMAIL_PORT = _mail.port or {"smtp": 25, "smtp+tls": 587, "smtps": 465}[_mail.scheme]
    EMAIL_HOST_USER = unquote(_mail.username or "")
    EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
    EMAIL_USE_SSL = _mail.scheme == "smtps"
    EMAIL_USE_TLS = _mail.scheme == "smtp+tls"
else:
    # E-mails are written to files, so that a password reset works on the embedded default.
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = AMBIT_DATA / "mail"

# --- Security ------------------------------------------------------------------------------
HTTPS = envbool("HTTPS", default=not EMBEDDED)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if envbool("BEHIND_PROXY", default=False) else None
)
SECURE_REFERRER_POLICY = "same-origin"
SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- Language, files -----------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
TIME_ZONE = envzone("TIME_ZONE", "UTC")
USE_TZ = True
# Ambit speaks one language; to look for others would cost a third of the time a page takes.
USE_I18N = False
DATE_FORMAT, TIME_FORMAT, DATETIME_FORMAT = "j M Y", "P", "j M Y, P"
STATIC_URL = "static/"
STATIC_ROOT = AMBIT_DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.storage.HashedStaticFilesStorage"},
}
MEDIA_ROOT = AMBIT_DATA / "files"  # uploads waiting for their job; never served
MEDIA_URL = "files/"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# Fifty pairs of fifty forms are over 5,000 fields, which test_largest.py posts.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "annotation.uploads.CappedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
IMPORT_MAX_BYTES = envint("IMPORT_MAX_MEGABYTES", 512, least=1, most=10_000) * 1024 * 1024

# --- Live wikis ----------------------------------------------------------------------------
# Who asks, with an address to reach them: wikis refuse strangers. Empty: loopback wikis only.
WIKI_USER_AGENT = envstr("WIKI_USER_AGENT")
# Requests to a live wiki by all processes together: one a second, and up to 60 at once.
WIKI_REQUESTS_PER_MINUTE = envint("WIKI_REQUESTS_PER_MINUTE", 60, least=1, most=6000)

# --- Language model ------------------------------------------------------------------------
# Any endpoint that speaks OpenAI's chat completions. Prices are per million tokens.
LLM_URL = envurl("AMBIT_LLM_URL", "http", "https")
LLM_KEY = envsecret("AMBIT_LLM_KEY")
LLM_MODEL = envstr("AMBIT_LLM_MODEL")
LLM_PRICE_IN = envdecimal("AMBIT_LLM_PRICE_IN")
LLM_PRICE_OUT = envdecimal("AMBIT_LLM_PRICE_OUT")
LLM_SECONDS = envint("AMBIT_LLM_SECONDS", 120, least=1, most=3600)

# --- Models with weights -------------------------------------------------------------------
# Which model each role runs on, and whether converted weights are used where there are some.
MODELS = envpairs("AMBIT_MODELS", ROLES)
MODELS_ENGINE = envchoice("AMBIT_ENGINE", "fast", ["fast", "reference"])

# --- API -----------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "knox.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.CursorPagination",
    "DEFAULT_FILTER_BACKENDS": ["annotation.api.base.Filters"],
    "ALLOWED_VERSIONS": ["v1"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "1200/min"},
    "PAGE_SIZE": 100,
}
REST_KNOX = {"TOKEN_TTL": dt.timedelta(days=90), "AUTO_REFRESH": False, "TOKEN_PREFIX": "ambit"}
SPECTACULAR_SETTINGS = {
    "TITLE": "Ambit",
    "DESCRIPTION": "Projects, questions, assignments, import and export.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotation.api.schema.add_refusals",
    ],
}

# --- Logging -------------------------------------------------------------------------------
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOG_LEVEL = envchoice("LOG_LEVEL", "INFO", LOG_LEVELS)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
    },
    "filters": {"hide_tokens": {"()": "config.logs.HideTokens"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["hide_tokens"],
        },
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # It warns that files have no host name.
        "kombu.connection": {"level": "ERROR"},
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
    },
}
