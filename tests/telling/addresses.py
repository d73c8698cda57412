"""The addresses that people who work may open and that are about no piece of work, with why."""

_ACCOUNT = "It is about the account."
_PROJECT = "It is the same whatever of the project somebody works on."
_SERVER = "It is about the server."
_EXAM = "A qualification is no work, and has no gold items."
_PUBLIC = "It shows what was released once, to everybody or to a team that does no work."
_WORDS = "It is about what people wrote to each other."
_ASQA = "Only the stage of long answers has it, which has no gold items."
_ARCHIVE = "It shows and quotes pages of Wikipedia that people choose themselves."
APART = {
    **dict.fromkeys(
        (
            *("account-settings", "account-shortcuts", "account_change_password", "token-create"),
            *("account_inactive", "account_login", "account_logout", "account_reauthenticate"),
            *("account_reset_password", "account_reset_password_done", "account_signup"),
            *("account_reset_password_from_key", "account_reset_password_from_key_done"),
            *("mfa_activate_totp", "mfa_add_webauthn", "mfa_authenticate", "mfa_index"),
            *("mfa_generate_recovery_codes", "mfa_list_webauthn", "mfa_reauthenticate"),
            *("mfa_reauthenticate_webauthn", "mfa_remove_webauthn", "token-revoke"),
            *("socialaccount_login_cancelled", "news-read", "participant-link"),
            *("about-data", "consent-mine"),
        ),
        _ACCOUNT,
    ),
    **dict.fromkeys(
        (
            *("api-docs", "api-project", "api-projects", "api-schema", "api-stage", "api-try"),
            *("pay-projects", "project-faq", "project-guidelines", "project-list"),
        ),
        _PROJECT,
    ),
    **dict.fromkeys(("healthz", "livez", "metrics", "readyz"), _SERVER),
    **dict.fromkeys(
        (
            *("attempt-ask", "attempt-draft", "attempt-item", "attempt-read", "attempt-search"),
            *("attempt-submit", "attempt-view", "qualification-list", "qualification-start"),
        ),
        _EXAM,
    ),
    **dict.fromkeys(
        (
            *("api-leaderboard", "benchmark", "benchmark-file"),
            "benchmark-questions",
        ),
        _PUBLIC,
    ),
    **dict.fromkeys(("thread-read", "thread-withdraw", "thread-write"), _WORDS),
    **dict.fromkeys(("work-concern", "work-concern-read", "work-concern-withdraw"), _ASQA),
    **dict.fromkeys(
        (
            *("api-work-quotes", "api-work-read", "work-quotes", "work-read", "wikipedia:asset"),
            *("submission-page", "submission-quote"),
        ),
        _ARCHIVE,
    ),
    "next-page-script": "It is a script, the same for everybody.",
    "api-work-suggestion": "It decides on one suggestion of a model, which is content.",
}
