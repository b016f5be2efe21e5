"""collect → parse → review → resolve → render → publish: one small idempotent function each."""
