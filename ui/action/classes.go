package action

import (
	"vise/model"
	"vise/themes"
)

// MarkOf returns the glyph of a class; model.Spaced names it. An unknown class is shown as done.
func MarkOf(c model.Class, g *themes.Glyphs) string {
	switch c {
	case model.CurrentRunnable:
		return g.Current
	case model.TriggeredBlocked:
		return g.Triggered
	case model.QueuedRunnable:
		return g.Queued
	case model.WaitingForOperator, model.ReportOffered:
		return g.NeedsYou
	case model.BlockedClass:
		return g.Blocked
	}
	return g.Done
}

// InkOf returns the ink of a class.
func InkOf(c model.Class, s *themes.Styles) themes.Ink {
	switch c {
	case model.CurrentRunnable:
		return s.Current
	case model.TriggeredBlocked:
		return s.Triggered
	case model.QueuedRunnable:
		return s.Queued
	case model.WaitingForOperator, model.ReportOffered:
		return s.NeedsYou
	case model.BlockedClass:
		return s.Blocked
	}
	return s.Done
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
