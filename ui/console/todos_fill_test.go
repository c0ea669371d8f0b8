package console

import (
	"testing"

	"vise/model"
	"vise/themes"
	"vise/ui/action"
	"vise/ui/console/screen"
)

func TestATodoIsWrittenInAnEditorOfItsOwn(t *testing.T) {
	d := &todoDialog{list: []model.Todo{{Text: "short"}}}
	var x facts
	x.Styles = screen.NewStyles(themes.All()[0], false)
	_, asks := d.Press(keyPress{ID: action.EditPlan}, x)
	f := asks.(opens).dialog.(*form)
	_, r := f.Press(keyPress{ID: action.EditOutside}, x)
	if r != editOutside("short") {
		t.Fatalf("the editor begins with %v", r)
	}
	f.Fill("two\nlines\n")
	if got := f.Value(0); got != "two lines" {
		t.Errorf("the line is %q", got)
	}
}
