package agents

// gone never returns: on Windows nothing shows that a pipe has no reader.
func gone() { select {} }
