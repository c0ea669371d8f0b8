package action

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestAnActionHasTheKeysThatWereSet(t *testing.T) {
	table, troubles := Remap(map[ID][]string{Pick: {"ctrl+k", "f5"}, Unfold: {}}, []Action{Custom("own-deploy", "Deploy", "", "D", true)})
	if len(troubles) > 0 {
		t.Fatal(troubles)
	}
	if got := table.KeyOf(Pick); got != "ctrl+k" {
		t.Errorf("pick has the key %q", got)
	}
	for key, want := range map[string]ID{"f5": Pick, "p": "", "=": "", "D": "own-deploy"} {
		if got, _ := table.find(Desk, key); got.ID != want {
			t.Errorf("%s means %q, want %q", key, got.ID, want)
		}
	}
	if got, _ := table.Of(Desk, tea.KeyPressMsg(tea.Key{Code: 'p', Text: "p"})); got.ID != "" {
		t.Errorf("the old key still means %s", got.ID)
	}
	if table.Refusal(table.ByID("own-deploy"), State{}) == "" {
		t.Error("a command about an item is offered without one")
	}
	if table.KeyOf(Unfold) != "" {
		t.Error("an action without keys shows one")
	}
}

// TestALetterIsTypedWhereTextIsTyped, whatever action it was given to.
func TestALetterIsTypedWhereTextIsTyped(t *testing.T) {
	for _, id := range []ID{Submit, Redraw} {
		table, troubles := Remap(map[ID][]string{id: {"x", "ctrl+x", "f9"}}, nil)
		if len(troubles) > 0 {
			t.Fatal(troubles)
		}
		for key, want := range map[string]ID{"x": "", "ctrl+x": id, "f9": id} {
			if got, _ := table.find(Text, key); got.ID != want {
				t.Errorf("in a text %s means %q, want %q", key, got.ID, want)
			}
		}
	}
}

func TestAKeyThatCannotBeHadIsRefusedByName(t *testing.T) {
	for name, c := range map[string]struct {
		keys map[ID][]string
		want []string
	}{
		"taken":              {map[ID][]string{Pick: {"c"}}, []string{"c means pick and complete", `"desk"`}},
		"swapped":            {map[ID][]string{Pick: {"c"}, Complete: {"p"}}, nil},
		"twice":              {map[ID][]string{Pick: {"p", "p"}}, []string{"p is given twice"}},
		"a last resort":      {map[ID][]string{EditOutside: {"ctrl+l"}}, []string{"redraw and edit-outside", "text dialog"}},
		"no action":          {map[ID][]string{"pikc": {"p"}}, []string{"no such action"}},
		"no key":             {map[ID][]string{Pick: {"control-p"}}, []string{"is no key"}},
		"empty":              {map[ID][]string{Pick: {""}}, []string{"is no key"}},
		"many letters":       {map[ID][]string{Pick: {"pp"}}, []string{"is no key"}},
		"an escape":          {map[ID][]string{Pick: {"\x1b"}}, []string{"is no key"}},
		"tab in disguise":    {map[ID][]string{Pick: {"ctrl+i"}}, []string{"as tab"}},
		"shift and a letter": {map[ID][]string{Pick: {"shift+p"}}, []string{"write that"}},
		"text":               {map[ID][]string{EditOutside: {"r"}}, []string{"typed as text"}},
		"no way out":         {map[ID][]string{Back: {}}, []string{"no way out"}},
		"another name":       {map[ID][]string{"acknowledge": {"ctrl+a"}}, nil},
		"a former action":    {map[ID][]string{"read-page-down": {"n"}}, []string{"no such action"}},
		"plus":               {map[ID][]string{Pick: {"+", "ctrl++"}}, nil},
		"another alphabet":   {map[ID][]string{Pick: {"ж"}}, nil},
	} {
		_, troubles := Remap(c.keys, nil)
		var said []string
		for _, x := range troubles {
			said = append(said, string(x.ID)+": "+x.Why)
		}
		all := strings.Join(said, "\n")
		if len(c.want) == 0 && len(troubles) > 0 {
			t.Errorf("%s: refused: %s", name, all)
		}
		if len(c.want) > 0 && len(troubles) == 0 {
			t.Errorf("%s: taken", name)
		}
		for _, w := range c.want {
			if !strings.Contains(all, w) {
				t.Errorf("%s: got %q, want %q in it", name, all, w)
			}
		}
	}
}

func TestEveryKeyOfTheTableCanBeBound(t *testing.T) {
	if _, troubles := Remap[[]string](nil, nil); len(troubles) > 0 {
		t.Errorf("the table itself has keys that are refused: %v", troubles)
	}
}
