package console

import (
	"testing"

	"vise/model"
	"vise/ui/action"
)

func TestATodoIsWrittenInAnEditorOfItsOwn(t *testing.T) {
	d := &todoDialog{list: []model.Todo{{Text: "short"}}}
	d.change(action.EditPlan)
	_, r := d.Press(keyPress{ID: action.EditOutside}, facts{})
	if r != editOutside("short") {
		t.Fatalf("the editor begins with %v", r)
	}
	d.Fill("two\nlines\n")
	if got := d.line.Value(); got != "two lines" {
		t.Errorf("the line is %q", got)
	}
}
