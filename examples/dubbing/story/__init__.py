"""What users do, and what must hold then."""
