"""The files for deployment: valid by their schemas, and run as far as that is possible without a container engine."""
