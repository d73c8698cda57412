"""Everything the program shows and writes, as text that can be compared between two states.

Where code is moved and behaviour must stay, what is recorded before and after is equal:

    python -m tests.net /tmp/before       # beside it the archive of the demo is kept
    …                                   # the change
    python -m tests.net /tmp/after
    diff -r /tmp/before /tmp/after

Recorded are the addresses in their order, the schema of the API, what every address answers to each
role (GET and POST), the demo's pages and files as each of its people sees them, the exports, the
releases and the figures of the demo and of real data, and how PostgreSQL would run the statements
of somebody who works. What differs between two runs of the same code is blanked (blanks.py).
"""
