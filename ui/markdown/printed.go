package markdown

import "vise/ui/markdown/layout"

// Printed is a line as it is written down.
type Printed struct {
	At   Position `json:"at"`
	From int      `json:"from,omitempty"`
	To   int      `json:"to,omitempty"`
	Text string   `json:"text"`
	Wide bool     `json:"wide,omitempty"`
}

// Printed is l to be written down.
func (l Line) Printed() Printed { return Printed{l.At, l.From, l.To, l.text, l.wide} }

// Line is p as it was. What is read from a file is made safe for a terminal again.
func (p Printed) Line() Line {
	return Line{At: p.At, From: p.From, To: p.To, text: layout.Styled(p.Text), wide: p.Wide}
}
