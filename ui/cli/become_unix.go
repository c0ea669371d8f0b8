//go:build unix

package cli

import "golang.org/x/sys/unix"

// become makes this process the program. It returns only when that failed.
func become(program string, argv, env []string) error {
	return unix.Exec(program, argv, env)
}
