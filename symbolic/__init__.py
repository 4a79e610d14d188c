"""States to conflicts: vocabulary, facts, rule book, solver and proofs (no torch)."""
