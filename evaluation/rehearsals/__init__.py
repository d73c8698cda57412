"""Rehearsals: somebody who designs a study sees what its raters would, and judges a few items.

A rehearsal lives in the session of the browser. It writes no row and is seen by no query, so that
nothing of it can count anywhere.
"""
