//go:build !unix

package cli

import (
	"os"
	"os/exec"
)

// become runs the program in this one's place, and returns how it ended.
func become(program string, argv, env []string) error {
	c := exec.Command(program, argv[1:]...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	return c.Run()
}
