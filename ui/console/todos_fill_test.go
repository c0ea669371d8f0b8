package console

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

func TestATodoIsWrittenInAnEditorOfItsOwn(t *testing.T) {
	d := &todoDialog{list: []model.Todo{{Text: "short"}}}
	d.change("todo-edit")
	_, w := d.press(tea.KeyPressMsg(tea.Key{Code: 'o', Mod: tea.ModCtrl}), surroundings{})
	if w.outside == nil || *w.outside != "short" {
		t.Fatalf("the editor begins with %v", w.outside)
	}
	d.fill("two\nlines\n")
	if got := d.line.Value(); got != "two lines" {
		t.Errorf("the line is %q", got)
	}
}
