package themes

import "charm.land/lipgloss/v2"

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

// Unicode and ASCII are the two sets of glyphs.
var (
	Unicode = Glyphs{
		Current: "▶", Triggered: "◆", NeedsYou: "?", Queued: "○", Blocked: "■", Done: "✓",
		Warning: "!", Changed: "~", Failed: "✗", Work1: "▁", Work2: "▂", Work3: "▅", Work4: "▇",
		Pending: "·", InProgress: "▸",
		Cursor: ">", Mark: "+", Gutter: "▎", Following: "●", Dot: "·", Bullet: "•", Rule: "─",
		Light: lipgloss.RoundedBorder(), Heavy: lipgloss.ThickBorder(),
	}
	ASCII = Glyphs{
		Current: ">", Triggered: "*", NeedsYou: "?", Queued: "o", Blocked: "#", Done: "x",
		Warning: "!", Changed: "~", Failed: "X", Work1: ".", Work2: ":", Work3: "=", Work4: "%",
		Pending: "-", InProgress: ">",
		Cursor: ">", Mark: "+", Gutter: "|", Following: "@", Dot: "-", Bullet: "*", Rule: "-",
		Light: border("-", "|", "+"), Heavy: border("=", "H", "#"),
	}
)

func border(across, down, corner string) lipgloss.Border {
	return lipgloss.Border{
		Top: across, Bottom: across, Left: down, Right: down, Middle: corner,
		TopLeft: corner, TopRight: corner, BottomLeft: corner, BottomRight: corner,
		MiddleLeft: corner, MiddleRight: corner, MiddleTop: corner, MiddleBottom: corner,
	}
}
