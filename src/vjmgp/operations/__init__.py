"""Keep long studies running; nothing here decides a result."""
