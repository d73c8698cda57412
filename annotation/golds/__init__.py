"""Gold items: known answers among the work, drawn and placed so that nobody can tell, and who
missed them.

Whoever does work never learns which item is one, from no page and no answer of the API.
"""
