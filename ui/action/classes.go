package action

import (
	"vise/model"
	"vise/themes"
)

// classMark says how a class is shown.
type classMark struct {
	// Mark returns its glyph from a set, Style its style from a theme.
	Mark  func(*themes.Glyphs) string
	Style func(*themes.Styles) themes.Ink
}

// MarkOf returns how a class is shown; model.Spaced names it. An unknown class is shown as done.
func MarkOf(c model.Class) classMark {
	switch c {
	case model.CurrentRunnable:
		return classMark{func(g *themes.Glyphs) string { return g.Current }, func(s *themes.Styles) themes.Ink { return s.Current }}
	case model.TriggeredBlocked:
		return classMark{func(g *themes.Glyphs) string { return g.Triggered }, func(s *themes.Styles) themes.Ink { return s.Triggered }}
	case model.QueuedRunnable:
		return classMark{func(g *themes.Glyphs) string { return g.Queued }, func(s *themes.Styles) themes.Ink { return s.Queued }}
	case model.WaitingForOperator, model.ReportOffered:
		return classMark{
			func(g *themes.Glyphs) string { return g.NeedsYou }, func(s *themes.Styles) themes.Ink { return s.NeedsYou }}
	case model.BlockedClass:
		return classMark{func(g *themes.Glyphs) string { return g.Blocked }, func(s *themes.Styles) themes.Ink { return s.Blocked }}
	}
	return classMark{func(g *themes.Glyphs) string { return g.Done }, func(s *themes.Styles) themes.Ink { return s.Done }}
}

// ShownClass returns the class under which a row is shown. A completed item with an offered report is shown as needing the operator.
func ShownClass(r model.Row) model.Class {
	if r.Offered() {
		return model.ReportOffered
	}
	return r.Class
}

// StateWords are the words for the state of an item in a list.
func StateWords(c model.Class, current, stalled bool) string {
	words := model.Spaced(c)
	if current && c != model.CurrentRunnable {
		words += ", picked"
	}
	if stalled {
		words += ", stalled"
	}
	return words
}
