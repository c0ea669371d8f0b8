package agents

import "fmt"

// Exit is the error of a hook that has written its answer; its value is the exit status that
// the agent's program reads.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
