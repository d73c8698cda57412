"""Rows of the matrix of addresses and people, by part of the product; tests/test_access.py walks
them and says what one holds."""

from tests.access import (
    account,
    administration,
    benchmarks,
    data,
    installation,
    participants,
    projects,
    qualifications,
    systems,
    work,
)

PARTS = (
    *(account, installation, administration, projects, participants),
    *(qualifications, systems, benchmarks, data, work),
)
ROWS = {name: row for part in PARTS for name, row in part.ROWS.items()}
