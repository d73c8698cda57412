"""Long answers as values: what a writer is given, what they write, and what the rules say of it.

Nothing here knows Django, the database or the network.
"""
