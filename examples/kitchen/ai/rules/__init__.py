"""Rules that find recipes in text without a language model: tables and pure functions that never raise."""
