package cli

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the data of version.
type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

func (a *app) versionVerb() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Say which vise this is", Args: named()}
	return a.verb(c, func(context.Context, []string) (answer, error) {
		v := builtVersion()
		return answer{data: v, text: func(p *page) { p.line("vise %s %s", v.Version, v.Go) }}, nil
	})
}

// shortCommit is how much of a commit's name is shown.
const shortCommit = 12

func builtVersion() version {
	v := version{Version: "unknown", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value[:min(len(s.Value), shortCommit)]
		}
	}
	return v
}
