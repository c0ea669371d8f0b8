package console

import (
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/model/todo"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
)

// What dialogs still ask the console for.

const refCells = screen.RefCells

func (c Console) handedOver() []string {
	a := c.truth.desk.Agent
	a.ID = c.place.agent
	return []string{c.frame().Handover(a, d80(c.layout.w)-1)}
}
func (c Console) wrapped(t model.Text, w int, k widget.Ink) []string {
	return c.frame().Wrapped(t, w, k)
}
func (c Console) warned(s string, w int) []string                 { return c.frame().Warned(s, w) }
func (c Console) said(s string, w int) []string                   { return c.frame().Said(s, w) }
func (c Console) glyphOfRow(r model.Row) string                   { return c.frame().RowMark(r) }
func (c Console) todoMark(s model.TodoState) (string, widget.Ink) { return c.frame().TodoMark(s) }
func (c Console) fileMark(s todo.Status) (string, widget.Ink)     { return c.frame().FileMark(s) }
func (c Console) fileLine(t todo.Todo, waits []todo.Wait, w int, selected bool) string {
	return c.frame().FileTodo(t, waits, w, selected)
}
func (c Console) deliveryWords(r model.Delivered) string {
	return screen.Delivery(c.truth.desk.Agent, r)
}
func (c Console) waitLines(x model.Wait, w int) []string { return c.frame().Wait(x, w) }
func (c Console) berthLines(b thread.Row, selected bool, w int) []string {
	return c.frame().Thread(b, selected, w)
}
func (s shelf) pending() []todo.Todo                    { return s.Pending() }
func inkOfRow(k *widget.Styles, r model.Row) widget.Ink { return screen.Frame{Styles: k}.RowInk(r) }
func excerpt(t model.Text) model.Text                   { return screen.Excerpt(t) }
func fileWord(s todo.Status) string                     { return screen.FileWord(s) }
func statusCounts(all []todo.Todo) string               { return screen.StatusCounts(all) }
func plural(n int, one, many string) string             { return screen.Plural(n, one, many) }
func parkedOn(seen []thread.Overview) int               { return screen.Parked(seen) }

const berthCells = screen.ThreadCells

func (c Console) bothTimes(t time.Time) string { return c.frame().BothTimes(t) }
