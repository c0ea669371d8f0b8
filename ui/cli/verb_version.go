package cli

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/markdown"
)

// version is the data of version.
type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	// Pages is where vise-markdown is; empty where it is not. A program that was built in one
	// file lays Markdown out itself.
	Pages string `json:"pages,omitempty"`
}

func (a *app) versionVerb() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Say which vise this is"}
	return a.verb(c, func(context.Context, []string) (answer, error) {
		v := builtVersion()
		v.Pages, _ = markdown.Program() // none is told as none
		_, separate := a.markdown.(*markdown.Subprocess)
		return answer{data: v, text: func(p *page) { p.version(v, separate) }}, nil
	})
}

func (p *page) version(v version, separate bool) {
	p.line("vise %s %s", v.Version, v.Go)
	switch {
	case v.Pages != "":
		p.line("Markdown by %s", model.Text(v.Pages))
	case separate:
		p.line("without vise-markdown: plans are shown as written; install it, in vise's source: CGO_ENABLED=0 go install ./ui/...")
	}
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
