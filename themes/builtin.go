package themes

import (
	"github.com/charmbracelet/colorprofile"
)

// The built-in palettes. Tests check their contrasts: 4.5 to 1 for text on the background and on the selection, 4.5 to 1 for faint text on
// the background, 3 to 1 for borders (WCAG 2.2, AA), and 7 to 1 for text in the high-contrast palettes.
var (
	dark = Palette{
		Name: "dark", Dark: true, Background: "#1c1d21",
		Text: "#dfe3ea", Muted: "#a3adbd", Faint: "#8b96a9", Border: "#727d90",
		Accent: "#82aaff", Focus: "#82aaff", Selection: "#2e3a52", Code: "#272a31",
		Current: "#a5d67a", Triggered: "#c8a6f5", NeedsYou: "#ffb86b",
		Queued: "#79d0e6", Blocked: "#ff8796", Done: "#8fae8f",
		Added: "#a5d67a", Removed: "#ff8796",
	}
	light = Palette{
		Name: "light", Background: "#ffffff",
		Text: "#1f2328", Muted: "#57606a", Faint: "#68717a", Border: "#848d97",
		Accent: "#0550ae", Focus: "#0550ae", Selection: "#dde9f8", Code: "#f3f4f6",
		Current: "#14662b", Triggered: "#6b35b5", NeedsYou: "#8a4600",
		Queued: "#0b5f70", Blocked: "#a8112a", Done: "#4a6b4a",
		Added: "#14662b", Removed: "#a8112a",
	}
	highContrastDark = Palette{
		Name: "high-contrast-dark", Dark: true, Background: "#000000",
		Text: "#ffffff", Muted: "#d6d6d6", Faint: "#a0a0a0",
		Accent: "#8cc8ff", Focus: "#ffffff", Code: "#1c1c1c",
		Current: "#7dff7d", Triggered: "#e0b3ff", NeedsYou: "#ffd24d",
		Queued: "#7de8ff", Blocked: "#ff9c9c", Done: "#b5d6b5",
		Added: "#7dff7d", Removed: "#ff9c9c",
	}
	highContrastLight = Palette{
		Name: "high-contrast-light", Background: "#ffffff",
		Text: "#000000", Muted: "#333333", Faint: "#595959",
		Accent: "#003a8c", Focus: "#000000", Code: "#f2f2f2",
		Current: "#004d16", Triggered: "#4a1a8a", NeedsYou: "#5e2f00",
		Queued: "#00434f", Blocked: "#800015", Done: "#2f4a2f",
		Added: "#004d16", Removed: "#800015",
	}
	// The colour-blind palettes separate their states by lightness and along the axis from blue to yellow, after Okabe and Ito, "Color
	// Universal Design" (2002).
	colourBlindDark = Palette{
		Name: "colour-blind-dark", Dark: true, Background: "#1c1d21",
		Text: "#e6e6e6", Muted: "#ababab", Faint: "#8c8c8c", Border: "#7c7c7c",
		Accent: "#56b4e9", Focus: "#56b4e9", Selection: "#2b3d4f", Code: "#272a31",
		Current: "#7fe8c0", Triggered: "#f5c2f0", NeedsYou: "#f0e442",
		Queued: "#67a9fe", Blocked: "#f09040", Done: "#a8a8a8",
		Added: "#67a9fe", Removed: "#f09040",
	}
	colourBlindLight = Palette{
		Name: "colour-blind-light", Background: "#ffffff",
		Text: "#1a1a1a", Muted: "#555555", Faint: "#6c6c6c", Border: "#858585",
		Accent: "#005a91", Focus: "#005a91", Selection: "#dcecf7", Code: "#f3f4f6",
		Current: "#004622", Triggered: "#8f2a73", NeedsYou: "#55711f",
		Queued: "#0066a6", Blocked: "#c11f10", Done: "#484848",
		Added: "#005a91", Removed: "#c11f10",
	}
	// dark256 and light256 replace dark and light on a terminal with 256 colours. Their colours were chosen by hand, because several
	// colours have the same nearest colour.
	dark256 = Palette{
		Name: "dark", Dark: true, Background: "#1c1d21",
		Text: "254", Muted: "249", Faint: "245", Border: "243",
		Accent: "111", Focus: "111", Selection: "237", Code: "235",
		Current: "150", Triggered: "183", NeedsYou: "215",
		Queued: "153", Blocked: "211", Done: "151",
		Added: "150", Removed: "211",
	}
	light256 = Palette{
		Name: "light", Background: "#ffffff",
		Text: "235", Muted: "240", Faint: "242", Border: "245",
		Accent: "25", Focus: "25", Selection: "255", Code: "255",
		Current: "22", Triggered: "91", NeedsYou: "94",
		Queued: "24", Blocked: "124", Done: "59",
		Added: "22", Removed: "124",
	}
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
