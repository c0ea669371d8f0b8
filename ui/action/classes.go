package action

import (
	"vise/model"
	"vise/themes"
)

// MarkOf returns the glyph of a class in its ink; model.Spaced names it. An unknown class is shown as done.
func MarkOf(c model.Class, s *themes.Styles) themes.Piece {
	g := themes.Unicode
	switch c {
	case model.CurrentRunnable:
		return s.Current.Of(g.Current)
	case model.TriggeredBlocked:
		return s.Triggered.Of(g.Triggered)
	case model.QueuedRunnable:
		return s.Queued.Of(g.Queued)
	case model.WaitingForOperator, model.ReportOffered:
		return s.NeedsYou.Of(g.NeedsYou)
	case model.BlockedClass:
		return s.Blocked.Of(g.Blocked)
	}
	return s.Done.Of(g.Done)
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
