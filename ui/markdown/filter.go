package markdown

import (
	"cmp"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/ui/text"
)

// Styled makes one line of a renderer's output safe for a terminal. Of its sequences it keeps only colours, bold, faint, italic, underline,
// reverse, strike-through, and links to the web. It shows every other control or hidden character as a mark. Style and link end with the
// line, and spaces at the end are removed.
func Styled(line string) string {
	const escape, link = '\x1b', 8
	var p pen
	parser := ansi.GetParser()
	defer ansi.PutParser(parser)
	for {
		i := strings.IndexByte(line, escape)
		if i < 0 {
			p.write(line)
			return p.line()
		}
		p.write(line[:i])
		line = line[i:]
		seq, _, n, state := ansi.DecodeSequence(line, ansi.NormalState, parser)
		switch {
		case state == ansi.NormalState && ansi.HasCsiPrefix(seq) && parser.Command() == 'm':
			p.style(parser.Params())
		case state == ansi.NormalState && ansi.HasOscPrefix(seq) && parser.Command() == link:
			p.link = webLink(string(parser.Data()))
		default:
			p.write(model.TextMark)
			n = 1
		}
		line = line[n:]
	}
}

// webLink is the sequence that begins a link with the data of another ("8;id=1;https://…"), or empty if its address is not one of the web
// in plain characters. The pieces of a link that is wrapped have one id, so that a terminal shows them as one.
func webLink(data string) string {
	const longest = 2000
	parts := strings.SplitN(data, ";", 3)
	if len(parts) < 3 || len(data) > longest || !strings.HasPrefix(parts[2], "https://") && !strings.HasPrefix(parts[2], "http://") ||
		strings.ContainsFunc(data, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	id, _, _ := strings.Cut(parts[1], ":")
	return ansi.SetHyperlink(parts[2], id)
}

// pen writes text with as few style sequences as possible.
type pen struct {
	b      strings.Builder
	want   uv.Style // of the text that follows
	active uv.Style // of the terminal now
	link   string   // the sequence that begins the link of the text that follows; empty: none
	linked string   // the same of the terminal now
	spaces int      // written only before a letter
}

// write makes text safe and writes it.
func (p *pen) write(s string) {
	s = model.Text(text.Whole(s)).String()
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
	if p.link != p.linked {
		p.b.WriteString(cmp.Or(p.link, ansi.ResetHyperlink()))
		p.linked = p.link
	}
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
	if p.linked != "" {
		p.b.WriteString(ansi.ResetHyperlink())
	}
	return p.b.String()
}
