package cli

import (
	"os"

	"github.com/spf13/cobra"
)

// Tree is the command tree of a program with these parts.
func Tree(p Parts) *cobra.Command { return (&app{parts: p, getenv: os.Getenv}).root() }
