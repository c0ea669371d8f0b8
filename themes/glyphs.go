package themes

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Glyphs are the marks on screen. Each is one cell wide in every terminal.
type Glyphs struct {
	Current, Triggered, NeedsYou, Queued, Blocked, Done string // the classes of work items

	Warning, Changed           string
	Failed                     string // in a strip
	Work1, Work2, Work3, Work4 string // in a strip, from little work to much
	Pending, InProgress        string // todos; a finished one shows Done
	Cursor                     string // before the selected row
	Mark                       string // in a marked row
	Gutter                     string // before a plan line that is new or changed
	Following, Dot             string
	Bullet                     string // of a list in a plan
	Rule                       string
	Light, Heavy               lipgloss.Border // a pane, the focused pane
}

// Unicode are the glyphs. ASCII replaces them, borders and the other signs of the screen by as many cells of ASCII.
var (
	Unicode = Glyphs{
		Current: "▶", Triggered: "◆", NeedsYou: "?", Queued: "○", Blocked: "■", Done: "✓",
		Warning: "!", Changed: "~", Failed: "✗", Work1: "▁", Work2: "▂", Work3: "▅", Work4: "▇",
		Pending: "·", InProgress: "▸",
		Cursor: ">", Mark: "+", Gutter: "▎", Following: "●", Dot: "·", Bullet: "•", Rule: "─",
		Light: lipgloss.RoundedBorder(), Heavy: lipgloss.ThickBorder(),
	}
	ASCII = strings.NewReplacer(strings.Fields(`▶ > ◆ * ○ o ■ # ✓ x ✗ X ▁ . ▂ : ▅ = ▇ % · - ▸ > ▾ v ▎ | ● @ • * ☑ x ☐ o
		─ - │ | ╭ + ╮ + ╰ + ╯ + ┼ + ━ = ┃ H ┏ # ┓ # ┗ # ┛ # ╋ # ‹ < › > … ~ — - – - − - × x ↑ ^ ↓ v ← < → >`)...)
)
