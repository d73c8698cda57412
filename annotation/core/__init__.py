"""What everything stands on: the rows of projects, people, questions, work and jobs, the states
they may have, and writing the audit row.

No form, no page and no sentence of a feature. A column of a feature may lie here, where the engine
reads it in its statements, and a row, where such a column points to it; its functions may not.
"""
