"""The relations that a project asks about, worded by its people.

May import the pure modules of `qampari.making`; what makes questions knows `queries` of this, and
nothing else.
"""
