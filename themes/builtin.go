package themes

import (
	"github.com/charmbracelet/colorprofile"
)

// The built-in palettes. Tests check their contrasts: 4.5 to 1 for text on the background and on the selection, 4.5 to 1 for faint text on
// the background, 3 to 1 for borders (WCAG 2.2, AA), and 7 to 1 for text in the high-contrast palettes.
//
// Those with colours for everything have the fields of Palette in their order, on three lines:
//
//	name, whether it is dark, background, text, muted, faint, border
//	accent, focus, selection, code
//	current, triggered, needs you, queued, blocked, done, added, removed
var (
	dark = Palette{"dark", true, "#1c1d21", "#dfe3ea", "#a3adbd", "#8b96a9", "#727d90",
		"#82aaff", "#82aaff", "#2e3a52", "#272a31",
		"#a5d67a", "#c8a6f5", "#ffb86b", "#79d0e6", "#ff8796", "#8fae8f", "#a5d67a", "#ff8796"}
	light = Palette{"light", false, "#ffffff", "#1f2328", "#57606a", "#68717a", "#848d97",
		"#0550ae", "#0550ae", "#dde9f8", "#f3f4f6",
		"#14662b", "#6b35b5", "#8a4600", "#0b5f70", "#a8112a", "#4a6b4a", "#14662b", "#a8112a"}
	highContrastDark = Palette{"high-contrast-dark", true, "#000000", "#ffffff", "#d6d6d6", "#a0a0a0", "",
		"#8cc8ff", "#ffffff", "", "#1c1c1c",
		"#7dff7d", "#e0b3ff", "#ffd24d", "#7de8ff", "#ff9c9c", "#b5d6b5", "#7dff7d", "#ff9c9c"}
	highContrastLight = Palette{"high-contrast-light", false, "#ffffff", "#000000", "#333333", "#595959", "",
		"#003a8c", "#000000", "", "#f2f2f2",
		"#004d16", "#4a1a8a", "#5e2f00", "#00434f", "#800015", "#2f4a2f", "#004d16", "#800015"}
	// The colour-blind palettes separate their states by lightness and along the axis from blue to yellow, after Okabe and Ito, "Color
	// Universal Design" (2002).
	colourBlindDark = Palette{"colour-blind-dark", true, "#1c1d21", "#e6e6e6", "#ababab", "#8c8c8c", "#7c7c7c",
		"#56b4e9", "#56b4e9", "#2b3d4f", "#272a31",
		"#7fe8c0", "#f5c2f0", "#f0e442", "#67a9fe", "#f09040", "#a8a8a8", "#67a9fe", "#f09040"}
	colourBlindLight = Palette{"colour-blind-light", false, "#ffffff", "#1a1a1a", "#555555", "#6c6c6c", "#858585",
		"#005a91", "#005a91", "#dcecf7", "#f3f4f6",
		"#004622", "#8f2a73", "#55711f", "#0066a6", "#c11f10", "#484848", "#005a91", "#c11f10"}
	// dark256 and light256 replace dark and light on a terminal with 256 colours. Their colours were chosen by hand, because several
	// colours have the same nearest colour.
	dark256 = Palette{"dark", true, "#1c1d21", "254", "249", "245", "243",
		"111", "111", "237", "235",
		"150", "183", "215", "153", "211", "151", "150", "211"}
	light256 = Palette{"light", false, "#ffffff", "235", "240", "242", "245",
		"25", "25", "255", "255",
		"22", "91", "94", "24", "124", "59", "22", "124"}
	// ansi16 uses the sixteen colours of the terminal's own scheme. It does not use 0, 7, 8 and 15, which some schemes make equal to the
	// background, nor 4, which is hard to read on black.
	ansi16 = Palette{
		Name: "ansi16", Dark: true,
		Accent: "6", Focus: "6",
		Current: "2", Triggered: "5", NeedsYou: "3", Queued: "6", Blocked: "1",
		Added: "2", Removed: "1",
	}
	// ansi16Light is ansi16 for a light background, on which yellow, cyan and green are not readable. What needs you is red and bold: its
	// marks stand alone, and a reversed one would be a black block.
	ansi16Light = Palette{
		Name:   "ansi16-light",
		Accent: "4", Focus: "4",
		Triggered: "5", NeedsYou: "1", Queued: "4", Blocked: "1",
		Added: "4", Removed: "1",
	}
	mono = Palette{Name: "mono", Dark: true}
)

// All returns the built-in palettes, the default ones first.
func All() []Palette {
	return []Palette{dark, light, highContrastDark, highContrastLight, colourBlindDark, colourBlindLight, ansi16, ansi16Light, mono}
}

// ByName returns the built-in palette with that name.
func ByName(name string) (Palette, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return Palette{}, false
}

// On returns p if a terminal with that profile can show it, or else its replacement: mono without colours (also with NO_COLOR), ansi16 or
// ansi16-light with sixteen colours, and dark256 or light256 for dark and light with 256.
func (p Palette) On(profile colorprofile.Profile) Palette {
	switch profile {
	case colorprofile.NoTTY, colorprofile.ASCII:
		return mono
	case colorprofile.ANSI:
		switch {
		case p.Name == mono.Name:
		case p.Dark:
			return ansi16
		default:
			return ansi16Light
		}
	case colorprofile.ANSI256:
		switch p.Name {
		case dark.Name:
			return dark256
		case light.Name:
			return light256
		}
	}
	return p
}
