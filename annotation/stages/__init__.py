"""The registry of stages and what one offers to the engine; gold items as stages give them.

Names no stage: each is registered in the `ready()` of its app.
"""
