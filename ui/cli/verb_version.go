package cli

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"vise/model"
)

// version is the data of version.
type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	// Program is which program answered: vise, the front, or vise-workbench.
	Program string `json:"program"`
	// Whole is where the front finds vise-workbench; empty where it does not, and in that
	// program itself.
	Whole string `json:"whole,omitempty"`
	// Pages is where vise-markdown is; empty where it is not. A whole that was built in one
	// file lays Markdown out itself.
	Pages string `json:"pages,omitempty"`
}

func (a *app) versionVerb() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Say which vise this is", Args: named()}
	return a.verb(c, func(context.Context, []string) (answer, error) {
		v := a.ownVersion()
		return answer{data: v, text: func(p *page) { p.version(v) }}, nil
	})
}

// ownVersion is the version of this program, and where its other half is.
func (a *app) ownVersion() version {
	v := builtVersion()
	v.Program = wholeName
	if a.parts.Elsewhere != nil {
		v.Program = frontName
		v.Whole, _ = beside(wholeName) // none is told as none
	}
	v.Pages, _ = Pages()
	return v
}

func (p *page) version(v version) {
	p.line("vise %s %s", v.Version, v.Go)
	switch {
	case v.Program == wholeName:
		p.line("the whole program")
	case v.Whole == "":
		p.line("the front, without %s; %s", wholeName, installBoth)
	default:
		p.line("the front of %s", model.Text(v.Whole))
	}
	switch {
	case v.Pages != "":
		p.line("Markdown by %s", model.Text(v.Pages))
	case v.Program == frontName || isNamed(wholeName):
		p.line("without %s: plans are shown as written; %s", pagesName, installBoth)
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
