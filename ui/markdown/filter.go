package markdown

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
)

// Styled makes one line of a renderer's output safe for a terminal. Of its sequences it keeps only colours, bold, faint, italic, underline,
// reverse and strike-through. It removes the sequences of links, and shows every other control or hidden character as a mark. The style
// ends with the line, and spaces at the end are removed.
func Styled(line string) string {
	const escape, link = '\x1b', 8
	var p pen
	parser := ansi.GetParser()
	defer ansi.PutParser(parser)
	for {
		i := strings.IndexByte(line, escape)
		if i < 0 {
			p.write(model.Text(line).String())
			return p.line()
		}
		p.write(model.Text(line[:i]).String())
		line = line[i:]
		seq, _, n, state := ansi.DecodeSequence(line, ansi.NormalState, parser)
		switch {
		case state == ansi.NormalState && ansi.HasCsiPrefix(seq) && parser.Command() == 'm':
			p.style(parser.Params())
		case state == ansi.NormalState && ansi.HasOscPrefix(seq) && parser.Command() == link:
		default:
			p.write(model.TextMark)
			n = 1
		}
		line = line[n:]
	}
}

// pen writes text with as few style sequences as possible.
type pen struct {
	b      strings.Builder
	want   uv.Style // of the text that follows
	active uv.Style // of the terminal now
	spaces int      // written only before a letter
}

func (p *pen) write(s string) {
	letters := strings.TrimRight(s, " ")
	if letters != "" {
		p.flush()
		p.b.WriteString(letters)
	}
	p.spaces += len(s) - len(letters)
}

// flush writes the spaces held back and the change to the wanted style.
func (p *pen) flush() {
	p.b.WriteString(strings.Repeat(" ", p.spaces))
	p.spaces = 0
	if p.want.Equal(&p.active) {
		return
	}
	if !p.active.IsZero() {
		p.b.WriteString(ansi.ResetStyle)
	}
	if !p.want.IsZero() {
		p.b.WriteString(p.want.String())
	}
	p.active = p.want
}

// style changes the wanted style. Blinking and concealed text are left out.
func (p *pen) style(params ansi.Params) {
	uv.ReadStyle(params, &p.want)
	p.want.Attrs &^= uv.AttrBlink | uv.AttrRapidBlink | uv.AttrConceal
	p.want.Underline, p.want.UnderlineColor = min(p.want.Underline, uv.UnderlineSingle), nil
}

// line returns the written line and ends its style.
func (p *pen) line() string {
	if !p.active.IsZero() {
		p.b.WriteString(ansi.ResetStyle)
	}
	return p.b.String()
}
