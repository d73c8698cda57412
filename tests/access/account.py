"""Signing in, one's own account."""

from tests.access.expected import HIDDEN, OK, PUBLIC, SIGNED_IN, Row, answers, but, everybody

ROWS = {
    "account_login": Row(
        get=but(everybody(302), anonymous=OK), post=but(everybody(302), anonymous=422), data={}
    ),
    "account_logout": Row(get=but(SIGNED_IN, anonymous=302), post=everybody(302)),
    "account_inactive": Row(get=PUBLIC, post=everybody(405)),
    "account_signup": Row(
        get=but(everybody(302), anonymous=403), post=but(everybody(302), anonymous=403)
    ),
    "account_change_password": Row(get=SIGNED_IN, post=but(everybody(422), anonymous=302)),
    "account_reset_password": Row(get=PUBLIC, post=everybody(422)),
    "account_reset_password_done": Row(get=PUBLIC, post=everybody(405)),
    "account_reset_password_from_key": Row(
        lambda w: ["1", "stale-key"], get=everybody(410), post=everybody(410)
    ),
    "account_reset_password_from_key_done": Row(get=PUBLIC, post=everybody(405)),
    # Before a second factor is changed, the password is asked again.
    "account_reauthenticate": Row(get=SIGNED_IN, post=but(everybody(422), anonymous=302)),
    "mfa_index": Row(get=SIGNED_IN),
    "mfa_list_webauthn": Row(get=everybody(302)),
    "mfa_authenticate": Row(get=everybody(302), post=everybody(302)),
    "mfa_reauthenticate": Row(get=everybody(302), post=everybody(302)),
    "mfa_reauthenticate_webauthn": Row(get=everybody(302), post=everybody(302)),
    "mfa_activate_totp": Row(get=everybody(302), post=everybody(302)),
    "mfa_deactivate_totp": Row(get=HIDDEN, post=HIDDEN),
    "mfa_add_webauthn": Row(get=everybody(302), post=everybody(302)),
    "mfa_remove_webauthn": Row(lambda w: [1], get=everybody(302), post=everybody(302)),
    "mfa_view_recovery_codes": Row(get=HIDDEN),
    "mfa_generate_recovery_codes": Row(get=everybody(302), post=everybody(302)),
    # No institution is set.
    "openid_connect_login": Row(lambda w: ["institution"], get=everybody(405), post=everybody(404)),
    "openid_connect_callback": Row(
        lambda w: ["institution"], get=everybody(404), post=everybody(405)
    ),
    "socialaccount_login_cancelled": Row(get=PUBLIC, post=everybody(405)),
    "about-data": Row(get=PUBLIC, post=everybody(405)),
    "account-settings": Row(
        get=SIGNED_IN, post=but(everybody(302), anonymous=302), data={"name": "New Name"}
    ),
    "account-shortcuts": Row(post=everybody(302), data={"reset": "1"}),
    "token-create": Row(post=answers(SIGNED_IN, 201)),
    "token-revoke": Row(lambda w: ["ambit0123456789"], post=everybody(302)),
}
