"""Those who hear, translate and speak: programs of this machine, or servers."""
