package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// hot are the verbs that agents and scripts run all day. Of a command line that names one
// the front makes that verb alone: the tree of all takes half a millisecond.
var hot = map[string]func(*app) *cobra.Command{
	"new": (*app).newVerb, "pick": (*app).pickVerb, "update": (*app).updateVerb, "block": (*app).blockVerb,
	"unblock": (*app).unblockVerb, "wait": (*app).waitVerb, "complete": (*app).completeVerb, "report": (*app).reportVerb,
	"plan": (*app).planVerb, "status": (*app).statusVerb, "list": (*app).listVerb, "show": (*app).showVerb, "next": (*app).nextVerb,
	"why": (*app).whyVerb, "events": (*app).eventsVerb, "context": (*app).contextVerb, "notes": (*app).notesVerb,
	"resume": (*app).resumeVerb, "hook": (*app).hookVerb, "version": (*app).versionVerb,
}

// tree is what of the command tree the arguments need. Without any the console opens.
func (a *app) tree() *cobra.Command {
	if len(a.args) == 0 {
		return a.bareRoot()
	}
	if a.parts.Elsewhere == nil {
		return a.root()
	}
	build, ok := hot[firstWord(a.args)]
	if !ok {
		return a.root()
	}
	root := a.bareRoot()
	root.AddCommand(build(a))
	return root
}

// valued are the flags of every verb that take the next argument.
var valued = []string{"--home", "--agent", "--actor"}

// firstWord is the first argument that is neither a flag of every verb nor its value.
func firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case slices.Contains(valued, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}
