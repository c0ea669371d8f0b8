package console

import (
	"testing"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
)

func TestATodoIsWrittenInAnEditorOfItsOwn(t *testing.T) {
	d := &todoDialog{list: []model.Todo{{Text: "short"}}}
	d.change("todo-edit")
	_, r := d.Press(widget.Key{ID: action.EditOutside}, widget.Context{})
	if r != widget.EditOutside("short") {
		t.Fatalf("the editor begins with %v", r)
	}
	d.Fill("two\nlines\n")
	if got := d.line.Value(); got != "two lines" {
		t.Errorf("the line is %q", got)
	}
}
