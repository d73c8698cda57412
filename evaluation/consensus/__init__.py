"""What experts agree on once all of them have judged an answer alone.

Nobody reads here what others said while anybody may still judge the question.
"""
