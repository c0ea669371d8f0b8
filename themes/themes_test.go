package themes

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
	"go.yaml.in/yaml/v3"
)

// go test ./themes -run Contrast -update writes docs/contrast.md again.
var updateContrast = flag.Bool("update", false, "write docs/contrast.md anew")

const contrastPage = "../docs/contrast.md"

// pair is a text colour on a background, and the least contrast that it needs.
type pair struct {
	head   string
	ground Color
	tokens map[string]Color
	want   float64
}

func pairs(p Palette) []pair {
	words := 4.5
	if strings.HasPrefix(p.Name, "high-contrast") {
		words = 7
	}
	faint, border := map[string]Color{"faint": p.Faint}, map[string]Color{"border": cmp.Or(p.Border, p.Faint)}
	return []pair{
		{"words", p.Background, letters(p), words}, {"on the selection", p.Selection, letters(p), 4.5},
		{"on code", p.Code, letters(p), 4.5}, {"faint words", p.Background, faint, 4.5},
		{"faint, selected", p.Selection, faint, 3}, {"borders", p.Background, border, 3},
	}
}

// Every colour on every background on which it is drawn, if it is the same on every terminal.
func TestContrast(t *testing.T) {
	all := All()
	dark256, light256 := dark256, light256
	dark256.Name, light256.Name = "dark, 256 colours", "light, 256 colours"
	page := "# Contrast\n\n<!-- Written by: go test ./themes -run Contrast -update -->\n\n" +
		"The lowest contrast of each theme, as WCAG 2.2 measures it, and the colour that has it. Words need 4.5 to 1 (7 in the\n" +
		"high-contrast themes), borders and what is faint on the selected row 3. A dash: the theme has no such ground, the\n" +
		"selected row is reversed. ansi16, ansi16-light and mono use the terminal's own colours, which nobody can measure here.\n\n| theme |"
	for _, x := range pairs(dark) {
		page += " " + x.head + " |"
	}
	page += "\n|---|" + strings.Repeat("---|", len(pairs(dark))) + "\n"
	for _, p := range append(all, dark256, light256) {
		if p.Background == "" {
			continue
		}
		page += "| " + p.Name + " |"
		for _, x := range pairs(p) {
			page += " " + lowest(t, p.Name, x) + " |"
		}
		page += "\n"
	}
	if *updateContrast {
		if err := os.WriteFile(contrastPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if was, err := os.ReadFile(contrastPage); err != nil || string(was) != page {
		t.Errorf("%s is not what holds (%v): go test ./themes -run Contrast -update", contrastPage, err)
	}
}

// lowest returns the least contrast of a pair, and the colour that has it.
func lowest(t *testing.T, theme string, x pair) string {
	if x.ground == "" {
		return "–"
	}
	least, which := 21.0, ""
	for _, name := range slices.Sorted(maps.Keys(x.tokens)) {
		got := contrast(t, x.tokens[name], x.ground)
		if got < x.want {
			t.Errorf("%s, %s: %s %s on %s has %.2f, want %.1f", theme, x.head, name, x.tokens[name], x.ground, got, x.want)
		}
		if got < least {
			least, which = got, name
		}
	}
	return fmt.Sprintf("%.1f %s", math.Floor(least*10)/10, which)
}

func TestStatesStayApartForTheColourBlind(t *testing.T) {
	const apart = 0.12 // distance in Lab; a just noticeable one is about 0.02
	for _, p := range []Palette{colourBlindDark, colourBlindLight} {
		for blindness, matrix := range colourBlindness {
			states := map[string]Color{"current": p.Current, "triggered": p.Triggered, "needs you": p.NeedsYou, "queued": p.Queued, "blocked": p.Blocked, "done": p.Done}
			for a, ca := range states {
				for b, cb := range states {
					if d := seen(t, ca, matrix).DistanceLab(seen(t, cb, matrix)); a < b && d < apart {
						t.Errorf("%s, %s: %s and %s are %.3f apart, want %.2f", p.Name, blindness, a, b, d, apart)
					}
				}
			}
		}
	}
}

func TestSelectionIsVisibleWithoutColour(t *testing.T) {
	for _, p := range All() {
		s := p.Styles()
		plain, selected := colourless(s.Text.Paint("row")), colourless(s.Selected.Paint("row"))
		if plain == selected {
			t.Errorf("%s: the selected row %q looks like any other without its colours", p.Name, selected)
		}
		if p.Selection == "" && !reversed(s.Selected) {
			t.Errorf("%s: a selection without a colour is not reversed", p.Name)
		}
		if colourless(s.Badge.Paint("3")) == colourless(s.Text.Paint("3")) {
			t.Errorf("%s: the badge looks like text without its colours", p.Name)
		}
	}
	for name, as := range glyphsAs {
		if g := Unicode; as(g.Light.Left) == as(g.Heavy.Left) || as(g.Light.Top) == as(g.Heavy.Top) || as(g.Cursor) == " " {
			t.Errorf("%s: focus or selection cannot be seen by glyphs alone", name)
		}
	}
}

// reversed reports whether SGR 7 is among the attributes of an ink, before its colour.
func reversed(k Ink) bool { return regexp.MustCompile(`^\x1b\[([1-9];)*7[;m]`).MatchString(k.on) }

func TestMonoHasNoColour(t *testing.T) {
	for name, c := range foregrounds(mono) {
		if c != "" {
			t.Errorf("%s is %q", name, c)
		}
	}
	s := mono.Styles()
	for _, out := range []string{s.Text.Paint("x"), s.Blocked.Paint("x"), s.Queued.Paint("x")} {
		if out != "x" {
			t.Errorf("got %q, want plain text", out)
		}
	}
}

// On a light ground of a terminal with 16 colours only these can be read, and a mark that stands alone is never an inverse block.
func TestSixteenColoursOnWhiteAreRead(t *testing.T) {
	for name, c := range foregrounds(light.On(colorprofile.ANSI)) {
		if !slices.Contains([]Color{"", "1", "4", "5"}, c) {
			t.Errorf("%s is %q", name, c)
		}
	}
	s := light.On(colorprofile.ANSI).Styles()
	if got, want := s.NeedsYou.Paint("?"), "\x1b[1;31m?\x1b[m"; got != want {
		t.Errorf("what needs you is %q, want %q", got, want)
	}
	v := reflect.ValueOf(*s)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		block := reversed(v.Field(i).Interface().(Ink))
		if want := slices.Contains([]string{"Selected", "Badge", "Match"}, name); block != want {
			t.Errorf("%s: reversed %v", name, block)
		}
	}
}

func TestAPaletteFitsItsTerminal(t *testing.T) {
	for _, c := range []struct {
		dark    bool
		profile colorprofile.Profile
		want    string
	}{
		{true, colorprofile.TrueColor, "dark"}, {false, colorprofile.TrueColor, "light"},
		{true, colorprofile.ANSI256, "dark"}, {false, colorprofile.Unknown, "light"},
		{true, colorprofile.ANSI, "ansi16"}, {false, colorprofile.ANSI, "ansi16-light"},
		{true, colorprofile.ASCII, "mono"}, {false, colorprofile.NoTTY, "mono"},
	} {
		palette := light
		if c.dark {
			palette = dark
		}
		if got := palette.On(c.profile).Name; got != c.want {
			t.Errorf("dark %v, %v: got %s, want %s", c.dark, c.profile, got, c.want)
		}
	}
	if got := mono.On(colorprofile.ANSI).Name; got != "mono" {
		t.Errorf("mono on sixteen colours: got %s", got)
	}
}

func TestEveryPaletteIsFoundByItsName(t *testing.T) {
	for _, p := range All() {
		if got, ok := ByName(p.Name); !ok || got != p {
			t.Errorf("%s: got %+v, %v", p.Name, got, ok)
		}
	}
	if _, ok := ByName("none"); ok {
		t.Error("a palette nobody made was found")
	}
}

func TestAPaletteIsWrittenAndReadAsYAML(t *testing.T) {
	for _, p := range All() {
		out, err := yaml.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back Palette
		if err := yaml.Unmarshal(out, &back); err != nil || back != p {
			t.Errorf("%s: got %+v (%v) from\n%s", p.Name, back, err, out)
		}
	}
}

// glyphsAs are the two ways in which glyphs are shown.
var glyphsAs = map[string]func(string) string{"unicode": func(s string) string { return s }, "ascii": ASCII.Replace}

func TestEveryGlyphIsOneCellAndEveryClassHasItsOwn(t *testing.T) {
	for name, as := range glyphsAs {
		g := Unicode
		eachString(reflect.ValueOf(g), func(field, s string) {
			if s = as(s); name == "ascii" && strings.HasPrefix(field, "Middle") && field != "Middle" {
				return // no border has them
			}
			if ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 {
				t.Errorf("%s %s %q is %d cells wide", name, field, s, ansi.StringWidth(s))
			}
			if name == "ascii" && (len(s) != 1 || s[0] > '~') {
				t.Errorf("%s %q is not ASCII", field, s)
			}
		})
		seen := map[string]bool{}
		for _, class := range []string{g.Current, g.Triggered, g.NeedsYou, g.Queued, g.Blocked, g.Done, g.Warning, g.Changed} {
			if class = as(class); seen[class] {
				t.Errorf("%s: %q means two things", name, class)
			}
			seen[class] = true
		}
	}
}

func foregrounds(p Palette) map[string]Color {
	return map[string]Color{
		"Text": p.Text, "Muted": p.Muted, "Faint": p.Faint, "Border": cmp.Or(p.Border, p.Faint), "Accent": p.Accent, "Focus": p.Focus, "Current": p.Current,
		"Triggered": p.Triggered, "NeedsYou": p.NeedsYou, "Queued": p.Queued, "Blocked": p.Blocked, "Done": p.Done,
		"Added": p.Added, "Removed": p.Removed,
	}
}

func eachString(v reflect.Value, do func(name, s string)) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Struct {
			eachString(f, do)
		} else {
			do(v.Type().Field(i).Name, f.String())
		}
	}
}

// contrast is the contrast ratio of two colours after WCAG 2.2, 1 to 21.
func contrast(t *testing.T, a, b Color) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// luminance is that of a colour that is the same on every terminal. Indexed colours from 16 on are.
func luminance(t *testing.T, c Color) float64 {
	t.Helper()
	rgb, err := colorful.Hex(string(c))
	if n, isIndex := strconv.Atoi(string(c)); isIndex == nil && n >= 16 && n <= 255 {
		rgb, _ = colorful.MakeColor(ansi.IndexedColor(n))
	} else if err != nil {
		t.Fatalf("the contrast of %s is not known: %v", c, err)
	}
	r, g, b := rgb.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// letters are the colours of text, by their names in a theme file.
func letters(p Palette) map[string]Color {
	return map[string]Color{
		"text": p.Text, "muted": p.Muted, "accent": p.Accent, "focus": p.Focus,
		"current": p.Current, "triggered": p.Triggered, "needs_you": p.NeedsYou,
		"queued": p.Queued, "blocked": p.Blocked, "done": p.Done,
		"added": p.Added, "removed": p.Removed,
	}
}

func hex(t *testing.T, c Color) colorful.Color {
	t.Helper()
	out, err := colorful.Hex(string(c))
	if err != nil {
		t.Fatalf("%q: %v", c, err)
	}
	return out
}

// colourBlindness has the effect of each kind on linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
var colourBlindness = map[string][9]float64{
	"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

func seen(t *testing.T, c Color, m [9]float64) colorful.Color {
	t.Helper()
	r, g, b := hex(t, c).LinearRgb()
	return colorful.LinearRgb(m[0]*r+m[1]*g+m[2]*b, m[3]*r+m[4]*g+m[5]*b, m[6]*r+m[7]*g+m[8]*b).Clamped()
}

// colourless is s as a terminal without colours shows it: only its attributes are left.
func colourless(s string) string {
	var b strings.Builder
	w := colorprofile.Writer{Forward: &b, Profile: colorprofile.ASCII}
	if _, err := w.WriteString(s); err != nil {
		panic(err)
	}
	return b.String()
}

func TestAColourIsTakenOrRefused(t *testing.T) {
	for in, want := range map[Color]bool{
		"": true, "#1C1D21": true, "0": true, "255": true,
		"red": false, "#fff": false, "#12345g": false, "256": false, "-1": false, "007": false, "#1c1d21ff": false, "\x1b[31m": false,
	} {
		if got := in.Valid(); got != want {
			t.Errorf("%q: got %v", in, got)
		}
	}
}
