"""The AI service: it says what a recipe or a picture of one holds.

Start it with `goatherd worker examples.kitchen.ai.service:app`.
"""
