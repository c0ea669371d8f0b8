//go:build !unix

package lock

var suspension suspender

type suspender struct{}

// Prepare has nothing to install where terminals cannot stop a process.
func Prepare() {}

func (suspender) enter() {}

func (suspender) leave() {}
