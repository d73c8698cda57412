"""Benchmarks on the database of a test."""

import os
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection

from config import embedded


@pytest.fixture
def own_database(transactional_db, monkeypatch):
    """Let processes that a benchmark starts see the test's database, too."""
    address = urlsplit(os.environ[embedded.URL_VARIABLE])
    address = address._replace(path=f"/{connection.settings_dict['NAME']}")
    monkeypatch.setenv(embedded.URL_VARIABLE, urlunsplit(address))
