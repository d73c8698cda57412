"""How far a project is: each stage on each split, and the states of its questions."""
