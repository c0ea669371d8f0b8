package themes

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// profiles are the values of the setting, by name.
var profiles = map[string]colorprofile.Profile{
	"truecolor": colorprofile.TrueColor, "256": colorprofile.ANSI256, "16": colorprofile.ANSI, "none": colorprofile.ASCII,
}

// Profile returns how many colours a terminal has, if that is not to be detected: set says it, or tmux runs inside a terminal with all
// colours and hides them. why gives the reason. Otherwise ok is false.
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

// Describe returns how many colours vise uses on the terminal behind out, and why.
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

// valueOf returns a variable of an environment. The last entry counts.
func valueOf(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
