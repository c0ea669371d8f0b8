package cli

import (
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"
)

// Tree is the command tree of a program with these parts.
func Tree(p Parts) *cobra.Command { return (&app{parts: p, getenv: os.Getenv}).root() }

// HotTree is what the front makes of the command tree for these arguments.
func HotTree(args ...string) *cobra.Command {
	return (&app{parts: Parts{Elsewhere: Whole}, args: args, getenv: os.Getenv}).tree()
}

// Hot are the verbs that the front makes alone.
func Hot() []string { return sortedKeys(hot) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
