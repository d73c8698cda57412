"""A public page for what a project released, and a leaderboard of teams on the test split.

Shows only frozen rows of a release; the test split, its references and scores of single items never
leave. Entries are no systems of the project: nothing that lists systems or outputs has them.
"""
