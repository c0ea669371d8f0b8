package markdown

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
)

// Styled is one line of a renderer's output made safe for a terminal: of its sequences
// only colours, bold, faint, italic, underline, reverse and strike-through are left, a
// link's sequences go, and any other control or hidden character is shown as a mark. The
// style ends with the line, and spaces at the end are gone.
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

// pen writes text with as few style sequences as it can.
type pen struct {
	b      strings.Builder
	want   uv.Style // of what comes
	active uv.Style // of the terminal
	spaces int      // written only if a letter follows
}

func (p *pen) write(s string) {
	letters := strings.TrimRight(s, " ")
	if letters != "" {
		p.flush()
		p.b.WriteString(letters)
	}
	p.spaces += len(s) - len(letters)
}

// flush writes the spaces held back and changes to the style that is wanted.
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

// style changes the style that is wanted: nothing blinks or is concealed.
func (p *pen) style(params ansi.Params) {
	uv.ReadStyle(params, &p.want)
	p.want.Attrs &^= uv.AttrBlink | uv.AttrRapidBlink | uv.AttrConceal
	p.want.Underline, p.want.UnderlineColor = min(p.want.Underline, uv.UnderlineSingle), nil
}

// line is what was written, its style ended.
func (p *pen) line() string {
	if !p.active.IsZero() {
		p.b.WriteString(ansi.ResetStyle)
	}
	return p.b.String()
}
