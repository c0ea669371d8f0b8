package widget

import (
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// Frame is what everything on the screen is drawn with.
type Frame struct {
	*Styles
	// Now is what ages count to; its location is that of all times shown.
	Now time.Time
	// Keys are the actions with the keys that hold.
	Keys action.Catalogue
}

// Show is text from outside as it may stand on a line of the screen.
func (f Frame) Show(t model.Text) string { return f.Safe(t.String()) }

// Age is how long ago an instant was.
func (f Frame) Age(t time.Time) string { return text.Age(f.Now.Sub(t)) }

// Clock is an instant for people: the time today, else the date.
func (f Frame) Clock(t time.Time) string {
	t = t.In(f.Now.Location())
	switch {
	case t.Year() != f.Now.Year():
		return t.Format("Jan 2006")
	case t.YearDay() != f.Now.YearDay():
		return t.Format("2 Jan")
	}
	return t.Format("15:04:05")
}

// BothTimes is an instant in local time and in UTC.
func (f Frame) BothTimes(t time.Time) string {
	return t.In(f.Now.Location()).Format("Mon 2006-01-02 15:04 MST") + ", " + t.UTC().Format("2006-01-02T15:04Z")
}

// Said is a sentence set into w cells.
func (f Frame) Said(s string, w int) []string { return f.set(s, w, f.Muted) }

// Warned is a sentence with a warning mark before each of its lines.
func (f Frame) Warned(s string, w int) []string {
	var out []string
	for _, l := range text.Wrap(strings.TrimSpace(s), max(w-4, 1)) {
		out = append(out, " "+f.NeedsYou.Paint(f.Glyph.Warning+" "+f.Safe(l)))
	}
	return out
}

// Wrapped is a text of several lines set into w cells.
func (f Frame) Wrapped(t model.Text, w int, ink Ink) []string {
	var out []string
	for _, l := range t.Lines() {
		out = append(out, f.set(f.Safe(l), w, ink)...)
	}
	return out
}

func (f Frame) set(s string, w int, ink Ink) []string {
	var out []string
	for _, l := range text.Wrap(s, max(w-2, 1)) {
		out = append(out, " "+ink.Paint(l))
	}
	return out
}
