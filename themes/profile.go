package themes

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// profiles are what may be set, by name.
var profiles = map[string]colorprofile.Profile{
	"truecolor": colorprofile.TrueColor, "256": colorprofile.ANSI256, "16": colorprofile.ANSI, "none": colorprofile.ASCII,
}

// Profile is how many colours a terminal is taken to have, where that is not left to be found out: set says so, or a
// terminal with all colours is around tmux, which hides them. why says which. ok is false otherwise.
func Profile(set string, env []string) (p colorprofile.Profile, why string, ok bool) {
	if p, ok := profiles[set]; ok {
		return p, "colours: " + set + " in the configuration", true
	}
	if valueOf(env, "NO_COLOR") == "" && valueOf(env, "TMUX") != "" &&
		slices.Contains([]string{"truecolor", "24bit"}, strings.ToLower(valueOf(env, "COLORTERM"))) {
		return colorprofile.TrueColor, "inside tmux COLORTERM says so", true
	}
	return p, "", false
}

// Describe says how many colours the terminal behind out is taken to have, and why.
func Describe(set string, out io.Writer, env []string) string {
	p, why, ok := Profile(set, env)
	if !ok {
		p, why = colorprofile.Detect(out, env), fmt.Sprintf("TERM is %q, COLORTERM %q", valueOf(env, "TERM"), valueOf(env, "COLORTERM"))
		if valueOf(env, "NO_COLOR") != "" {
			why = "NO_COLOR is set"
		}
	}
	words := map[colorprofile.Profile]string{colorprofile.TrueColor: "all colours", colorprofile.ANSI256: "256 colours",
		colorprofile.ANSI: "16 colours", colorprofile.ASCII: "no colours", colorprofile.NoTTY: "no colours: not a terminal"}
	return words[p] + ": " + why
}

// valueOf is a variable of an environment; the last one counts.
func valueOf(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
