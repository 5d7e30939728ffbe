"""The main program: a threaded web service that hands its work to the crawler and to the AI service."""
