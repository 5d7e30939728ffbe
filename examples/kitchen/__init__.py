"""A web service that hands crawling and AI analysis to two other services."""
