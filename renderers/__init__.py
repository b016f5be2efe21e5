"""An outcome, filtered for its audience -> BBCode post, map picture, PDF."""
