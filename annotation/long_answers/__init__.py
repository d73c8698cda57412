"""Long answers as values: the writer's inputs, the response, and the rules on it.

Nothing here knows Django, the database or the network.
"""
