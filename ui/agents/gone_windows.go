package agents

// gone never returns: nothing tells here that a pipe has no reader.
func gone() { select {} }
