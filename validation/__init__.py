"""Which answers to a question are accepted, how well people agree, and what is released of it.

Its rooms only know rooms below them; the order is in pyproject.toml. models.py and urls.py bring
together what the rooms have, for Django and for the apps above.
"""
