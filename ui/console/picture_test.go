package console

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"

	"vise/themes"
	"vise/ui/config"
)

// go test ./ui/console -run Picture -pictures draws the themes dark and light into docs/pictures.
var pictures = flag.Bool("pictures", false, "draw docs/pictures anew")

const picturesDir = "../../docs/pictures"

func TestDarkAndLightHavePictures(t *testing.T) {
	for _, name := range []string{"dark", "light"} {
		p, _ := themes.ByName(name)
		path := filepath.Join(picturesDir, p.Name+".svg")
		if *pictures {
			synctest.Test(t, func(t *testing.T) {
				if err := os.WriteFile(path, []byte(picture(pictured(t, p.Name), p)), 0o644); err != nil {
					t.Fatal(err)
				}
			})
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() == 0 || info.Size() > 100<<10 {
			t.Errorf("%s: no picture below 100 KB (%v): go test ./ui/console -run Picture -pictures", p.Name, err)
		}
	}
}

// pictured is a frame with an example of everything.
func pictured(t *testing.T, theme string) string {
	wd := newWorld(t, 100, 30, func(o *Options) {
		o.Settings = config.Defaults()
		o.Settings.Theme = theme
	})
	defer wd.end()
	for _, change := range []string{
		"create cur Split rate limiter out of gateway", "create t Land retry budget PR", "create q1 Add jitter to backoff",
		"create q2 Reproduce 日本語 header bug", "create b Rotate signing keys", "create n Pick cache eviction policy", "create d Fix flaky auth test",
		"pick cur", "block b ops must open port 6380", "await t ci.github run/8812", "trigger t ci.github ok", "ask n LRU or LFU?", "complete d Fixed.",
		"todos cur x Extract interface | x Move bucket | > Write limiter contract tests | - Replay traffic",
		`plan cur # Plan\n\nA refactor, not a *behaviour* change: the bucket moves out of ` + "`gateway/limit.go`" + `.\n\n## Scope\n\n- keep wire headers byte-identical\n- burst size is a field, not a constant\n- see [the RFC](https://example.org/rfc)\n\n## Verification\n\n` + "```go\\nfunc TestBucket(t *testing.T) {}\\n```" + `\n`,
	} {
		wd.change(change)
	}
	wd.settle()
	wd.pass(time.Minute)
	wd.settle()
	return wd.console.View().Content
}

// The size of a cell, in the picture's units.
const cellW, cellH = 8.4, 18.0

// picture draws a frame as SVG: a rectangle behind cells with a background, and each run of letters of one style at its
// place.
func picture(frame string, p themes.Palette) string {
	lines := strings.Split(frame, "\n")
	background, ink := hexOf(p.Background, "#101014"), hexOf(p.Text, "#d8d8d8")
	var b strings.Builder
	w, h := cellW*float64(ansi.StringWidth(lines[0])), cellH*float64(len(lines))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14"><title>vise in the theme %s</title><rect width="100%%" height="100%%" fill="%s"/>`, w, h+8, p.Name, background)
	b.WriteByte('\n')
	for y, l := range lines {
		drawLine(&b, l, 4+cellH*float64(y), background, ink)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// style is the state that escape sequences set.
type style struct {
	fg, bg                                  string
	bold, faint, italic, underline, reverse bool
}

func drawLine(b *strings.Builder, line string, y float64, background, ink string) {
	var style style
	x := 0
	for line != "" {
		if strings.HasPrefix(line, "\x1b[") {
			end := strings.IndexByte(line, 'm')
			style.set(strings.Split(line[2:end], ";"))
			line = line[end+1:]
			continue
		}
		run := line
		if i := strings.Index(line, "\x1b"); i >= 0 {
			run = line[:i]
		}
		line = line[len(run):]
		if strings.HasPrefix(line, "\x1b]") { // a link: its text stays
			end := strings.IndexAny(line[1:], "\a\\")
			line = line[end+2:]
		}
		style.draw(b, run, float64(x)*cellW, y, background, ink)
		x += ansi.StringWidth(run)
	}
}

func (l style) draw(b *strings.Builder, run string, x, y float64, background, ink string) {
	fg, bg := l.fg, l.bg
	if fg == "" {
		fg = ink
	}
	if l.reverse {
		if bg == "" {
			bg = background
		}
		fg, bg = bg, fg
	}
	width := cellW * float64(ansi.StringWidth(run))
	if bg != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, width, cellH, bg)
	}
	if strings.TrimSpace(run) == "" {
		return
	}
	lead := float64(len(run)-len(strings.TrimLeft(run, " "))) * cellW
	words := strings.Trim(run, " ")
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`,
		x+lead, y+14, fg, cellW*float64(ansi.StringWidth(words)), l.attributes(), html.EscapeString(words))
	b.WriteByte('\n')
}

func (l style) attributes() string {
	out := ""
	for _, a := range []struct {
		on   bool
		text string
	}{{l.bold, ` font-weight="bold"`}, {l.faint, ` opacity="0.6"`}, {l.italic, ` font-style="italic"`}, {l.underline, ` text-decoration="underline"`}} {
		if a.on {
			out += a.text
		}
	}
	return out
}

// set applies the parameters of one sequence.
func (l *style) set(params []string) {
	for i := 0; i < len(params); i++ {
		n, _ := strconv.Atoi(params[i])
		switch {
		case n == 0:
			*l = style{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 3:
			l.italic = true
		case n == 4:
			l.underline = true
		case n == 7:
			l.reverse = true
		case n == 38 || n == 48:
			colour, used := extended(params[i+1:])
			i += used
			if n == 38 {
				l.fg = colour
			} else {
				l.bg = colour
			}
		case n >= 30 && n <= 37:
			l.fg = sixteen[n-30]
		case n >= 90 && n <= 97:
			l.fg = sixteen[n-90+8]
		}
	}
}

func extended(params []string) (colour string, used int) {
	at := func(i int) float64 { n, _ := strconv.Atoi(params[i]); return float64(n) / 255 }
	if params[0] == "2" {
		return colorful.Color{R: at(1), G: at(2), B: at(3)}.Hex(), 4
	}
	n, _ := strconv.Atoi(params[1])
	return sixteen[n%16], 2
}

// sixteen are a terminal's own colours, as most terminals draw them on black.
var sixteen = [16]string{
	"#000000", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8d8d8",
	"#7f848e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
}

func hexOf(c themes.Color, other string) string {
	if strings.HasPrefix(string(c), "#") {
		return string(c)
	}
	return other
}
