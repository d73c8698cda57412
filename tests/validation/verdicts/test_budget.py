"""The validation page on first load: at most 64 KB over the wire."""

from tests.validation.verdicts.conftest import url
from tests.weights import check_weight


def test_first_load(browser):
    browser.open()
    check_weight(
        browser.client,
        url("page", browser.turn),
        "js/validation/verdicts/validation.js",
        "css/validation/verdicts/validation.css",
    )
