package agents

import "fmt"

// Exit is the error of a hook that has written its answer. Its value is the exit status for the agent's program.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
