"""The Kitchen application."""
