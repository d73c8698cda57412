"""One settings file; installations differ by environment variables only (docs/settings.md)."""

import datetime as dt
import os
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import api, embedded, openid, storage_url
from config.env import (
    env_bool,
    env_choice,
    env_decimal,
    env_email,
    env_hosts,
    env_int,
    env_line,
    env_list,
    env_pairs,
    env_secret,
    env_sentry_dsn,
    env_str,
    env_time_zone,
    env_url,
)
from config.logs import FORMATS, logging_settings
from modeling.roles import ROLES

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "1.0.0"

AMBIT_DATA = embedded.data_dir()
EMBEDDED = embedded.is_wanted()

# --- Secrets and hosts ---------------------------------------------------------------------
SECRET_KEY = env_secret("SECRET_KEY")
if not SECRET_KEY:
    if not EMBEDDED:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. With DATABASE_URL this is a production installation, which "
            "needs a secret of its own: set SECRET_KEY, or SECRET_KEY_FILE to a file holding it. "
            'Make one with: python -c "import secrets; print(secrets.token_urlsafe(48))"'
        )
    SECRET_KEY = embedded.secret_key()
# Pseudonyms in exports must stay the same when SECRET_KEY is rotated, so they have their own key.
PSEUDONYM_KEY = env_secret("PSEUDONYM_KEY") or SECRET_KEY

DEBUG = env_bool("DEBUG", default=False)
DEFAULT_EXCEPTION_REPORTER_FILTER = "config.debugging.NoAddresses"
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS") or (
    ["localhost", "127.0.0.1", "[::1]"] if EMBEDDED or DEBUG else []
)
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")

# Loaded only where it is set: a tenth of a second at each start.
SOCIALACCOUNT_PROVIDERS = openid.build_providers()

# --- Applications --------------------------------------------------------------------------
INSTALLED_APPS = [
    "operations",  # first, so that Sentry hears of what goes wrong in the others' start
    "config",
    "accounts",
    "wikipedia",
    "annotation",
    "crowds",
    "validation",
    "evaluation",
    "modeling",
    "natural_questions",
    "qampari",
    "demo",
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
    "allauth.mfa",
    "allauth.socialaccount",
    *(["allauth.socialaccount.providers.openid_connect"] if SOCIALACCOUNT_PROVIDERS else []),
    "django_htmx",
    "rest_framework",
    "knox",
    "drf_spectacular",
]

MIDDLEWARE = [
    "operations.requests.follow_requests",
    "operations.probes.answer_probes",
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
    "operations.first_run.FirstRunMiddleware",
    "config.signin.SignInMiddleware",
    "crowds.middleware.ParticipantMiddleware",
    "config.staff.StaffMiddleware",
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
            "environment": "config.templates.build_environment",
            "context_processors": [
                *_CONTEXT,
                "config.context.csrf_context",
                "config.context.version_context",
                "config.context.news_context",
                "config.context.participant_context",
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
DATABASE_URL = env_url("DATABASE_URL", "postgresql", "postgres") or os.environ.get(
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
# The few prepared statements (accounts/prepared_statements.py) are planned once, for any values:
# planning them again for each would cost more than running them.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault(
    "options", "-c plan_cache_mode=force_generic_plan"
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Broker and cache ----------------------------------------------------------------------
REDIS_URL = env_url("REDIS_URL", "redis", "rediss", "unix")
CELERY_BROKER_URL = env_url("BROKER_URL", "redis", "rediss", "amqp", "amqps") or REDIS_URL
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
CELERY_IMPORTS = ["operations.heartbeats"]  # so that workers show signs of life
CELERY_BEAT_SCHEDULER = "operations.heartbeats:Clock"
CELERY_BEAT_SCHEDULE = {
    "requeue-stale-jobs": {"task": "annotation.tasks.requeue_stale_jobs", "schedule": 30.0},
    "renew-figures": {"task": "annotation.tasks.renew_figures", "schedule": 30.0},
    "end-overdue-participations": {"task": "crowds.tasks.end_overdue", "schedule": 60.0},
    "drop-hashes": {"task": "crowds.tasks.drop_hashes", "schedule": 60.0},
    "end-timed-work": {"task": "annotation.tasks.end_timed_work", "schedule": 10.0},
    "fill-reserves": {"task": "qampari.tasks.fill_reserves", "schedule": 60.0},
    "hand-over": {"task": "annotation.tasks.hand_over_the_left_behind", "schedule": 60.0},
    "draw-gold-items": {"task": "annotation.tasks.draw_gold_items", "schedule": 60.0},
    "send-webhooks": {"task": "annotation.tasks.send_webhooks", "schedule": 30.0},
    "clear-sessions": {"task": "accounts.tasks.clear_sessions", "schedule": 24 * 3600.0},
    "clear-tokens": {"task": "accounts.tasks.clear_tokens", "schedule": 24 * 3600.0},
    "clear-invitations": {"task": "annotation.tasks.clear_invitations", "schedule": 24 * 3600.0},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(AMBIT_DATA / "celerybeat-schedule")

CACHES: dict[str, Any] = {
    "default": (
        {"BACKEND": "config.cache.SignedCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "cache",
            "OPTIONS": {"MAX_ENTRIES": 5000},
        }
    )
}

# --- Who runs it ---------------------------------------------------------------------------
# What strangers read of this installation; without them pages say less (accounts/installation.py).
SITE_NAME = env_line("SITE_NAME")
OPERATOR = env_line("OPERATOR")
CONTACT_EMAIL = env_email("CONTACT_EMAIL")
CONTACT_HOURS = env_line("CONTACT_HOURS")
PRIVACY_EMAIL = env_email("PRIVACY_EMAIL") or CONTACT_EMAIL
ETHICS_APPROVAL = env_line("ETHICS_APPROVAL")
PUBLICATIONS_URL = env_url("PUBLICATIONS_URL", "https", "http")

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
# Whoever has the link can choose the password, so typing it once more proves nothing. A second
# factor is still asked for.
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "reset_password": "20/m/ip,5/m/key",
    "reset_password_from_key": "20/m/ip",
    "take_part": "60/m/ip",
    "benchmark": "120/m/ip",
    "benchmark_send": "20/h/user",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Ambit"
MFA_TOTP_TOLERANCE = 1  # clocks of telephones differ by some seconds
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = EMBEDDED  # browsers take keys on localhost without HTTPS
SOCIALACCOUNT_ADAPTER = "accounts.adapter.InstitutionAdapter"
OIDC_TRUST_EMAIL = env_bool("OIDC_TRUST_EMAIL", default=False)
STAFF_SIGN_IN = env_choice(
    "STAFF_SIGN_IN", "password", ["password", "second-factor", "institution"]
)
if STAFF_SIGN_IN == "institution" and not SOCIALACCOUNT_PROVIDERS:
    raise ImproperlyConfigured("STAFF_SIGN_IN is 'institution', which needs OIDC_URL. Set both.")
PROLIFIC_KEYS_URL = env_url("PROLIFIC_KEYS_URL", "https")
INVITATION_MAX_AGE = dt.timedelta(days=env_int("INVITATION_DAYS", 14, least=1, most=90))

EMAIL_URL = env_url("EMAIL_URL", "smtp", "smtp+tls", "smtps")
DEFAULT_FROM_EMAIL = env_str("DEFAULT_FROM_EMAIL", "ambit@localhost")
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
HTTPS = env_bool("HTTPS", default=not EMBEDDED)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# Browsers remember it for a year, and a preloaded name is hard to take back: other names of the
# domain may have no HTTPS, so it is promised for them only where somebody asks for it.
HSTS = env_choice("HSTS", "host", ["off", "host", "subdomains", "preload"])
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS and HSTS != "off" else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and HSTS in ("subdomains", "preload")
SECURE_HSTS_PRELOAD = HTTPS and HSTS == "preload"
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # they ask for both
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
BEHIND_PROXY = env_bool("BEHIND_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
# How many proxies in front of us name the client's address, which rate limits read. With none,
# everyone behind a proxy would share its address, and its limits.
ALLAUTH_TRUSTED_PROXY_COUNT = env_int("TRUSTED_PROXIES", 1 if BEHIND_PROXY else 0, most=10)
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
        "form-action": [SELF, *openid.list_form_origins(SOCIALACCOUNT_PROVIDERS)],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- Language, files -----------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
TIME_ZONE = env_time_zone("TIME_ZONE", "UTC")
USE_TZ = True
# Ambit speaks one language; to look for others would cost a third of the time a page takes.
USE_I18N = False
DATE_FORMAT, TIME_FORMAT, DATETIME_FORMAT = "j M Y", "P", "j M Y, P"
STATIC_URL = "static/"
STATIC_ROOT = AMBIT_DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "config.storage.SwaggerFinder",
]
# Uploads wait here for their job, on whichever host it runs; they are never served.
_uploads, MEDIA_ROOT = storage_url.parse_storage_url(
    env_secret("STORAGE_URL"), default=AMBIT_DATA / "files"
)
STORAGES: dict[str, Any] = {
    "default": _uploads,
    "staticfiles": {"BACKEND": "config.storage.HashedStaticFilesStorage"},
}
MEDIA_URL = "files/"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# Fifty pairs of fifty forms are over 5,000 fields, which test_largest.py posts.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "annotation.uploads.requests.CappedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "annotation.uploads.requests.LongUpload",
]
IMPORT_MAX_BYTES = env_int("IMPORT_MAX_MEGABYTES", 512, least=1, most=10_000) * 1024 * 1024

# --- Live wikis ----------------------------------------------------------------------------
# Who asks, with an address to reach them: wikis refuse strangers. Empty: loopback wikis only.
WIKI_USER_AGENT = env_str("WIKI_USER_AGENT")
# Requests to a live wiki by all processes together: one a second, and up to 60 at once.
WIKI_REQUESTS_PER_MINUTE = env_int("WIKI_REQUESTS_PER_MINUTE", 60, least=1, most=6000)

# --- Webhooks ------------------------------------------------------------------------------
# Where projects may send what happens in them: HOST or HOST:PORT. Anything else would let their
# admins reach whatever this machine can.
WEBHOOK_HOSTS = env_hosts("WEBHOOK_HOSTS")

# --- Places to send releases to ------------------------------------------------------------
HUB_URL = (env_url("HF_ENDPOINT", "http", "https") or "https://huggingface.co").rstrip("/")
HUB_TOKEN = env_secret("HF_TOKEN")
ZENODO_URL = (env_url("ZENODO_URL", "http", "https") or "https://zenodo.org").rstrip("/")
ZENODO_TOKEN = env_secret("ZENODO_TOKEN")

# --- Language model ------------------------------------------------------------------------
# Any endpoint that speaks OpenAI's chat completions. Prices are per million tokens.
LLM_URL = env_url("AMBIT_LLM_URL", "http", "https")
LLM_KEY = env_secret("AMBIT_LLM_KEY")
LLM_MODEL = env_str("AMBIT_LLM_MODEL")
LLM_PRICE_IN = env_decimal("AMBIT_LLM_PRICE_IN")
LLM_PRICE_OUT = env_decimal("AMBIT_LLM_PRICE_OUT")
LLM_SECONDS = env_int("AMBIT_LLM_SECONDS", 120, least=1, most=3600)

# --- Models with weights -------------------------------------------------------------------
# Which model each role runs on, and whether converted weights are used where there are some.
MODELS = env_pairs("AMBIT_MODELS", ROLES)
MODELS_ENGINE = env_choice("AMBIT_ENGINE", "fast", ["fast", "reference"])

# --- API -----------------------------------------------------------------------------------
REST_FRAMEWORK = api.REST_FRAMEWORK | {"NUM_PROXIES": ALLAUTH_TRUSTED_PROXY_COUNT}
REST_KNOX = api.REST_KNOX
SPECTACULAR_SETTINGS = api.SPECTACULAR_SETTINGS | {"VERSION": VERSION}

# --- Logging -------------------------------------------------------------------------------
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOG_LEVEL = env_choice("LOG_LEVEL", "INFO", LOG_LEVELS)
LOG_FORMAT = env_choice("LOG_FORMAT", "text" if EMBEDDED else "json", FORMATS)
LOGGING = logging_settings(LOG_LEVEL, LOG_FORMAT)
# Errors go to Sentry, without what people wrote and who they are (operations/sentry.py).
SENTRY_DSN = env_sentry_dsn("SENTRY_DSN")
SENTRY_ENVIRONMENT = env_str("SENTRY_ENVIRONMENT", "production")
# Who may read /metrics from elsewhere. Empty: only this machine may, without a proxy in between.
METRICS_TOKEN = env_secret("METRICS_TOKEN")
