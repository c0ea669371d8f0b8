package themes

import "github.com/charmbracelet/colorprofile"

// ByName is the built-in palette of that name.
func ByName(name string) (Palette, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return Palette{}, false
}

// On is p where a terminal of that profile can show it, else what comes nearest: mono
// without colours (NO_COLOR too), ansi16 with sixteen.
func (p Palette) On(profile colorprofile.Profile) Palette {
	switch profile {
	case colorprofile.NoTTY, colorprofile.ASCII:
		return mono
	case colorprofile.ANSI:
		if p.Name != mono.Name {
			return ansi16
		}
	}
	return p
}
