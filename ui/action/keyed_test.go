package action

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestASentenceNamesTheKeyThatHolds(t *testing.T) {
	for in, want := range map[string]string{
		"{submit} send · {back} keeps the draft": "ctrl+s send · esc keeps the draft",
		"no key here":               "no key here",
		"{nobody} {submit {submit}": "{nobody} {submit ctrl+s",
		"{submit":                   "{submit",
	} {
		if got := Standard().Keyed(in); got != want {
			t.Errorf("%q became %q, not %q", in, got, want)
		}
	}
	table := Standard()
	for i := range table {
		switch table[i].ID {
		case Submit:
			table[i].Keys = []string{"f2"}
		case Report:
			table[i].Keys = nil
		}
	}
	if got := table.Keyed("{submit} send, {report} gives it"); got != "f2 send, : gives it" {
		t.Error(got)
	}
}

func TestControlWithALetterOfAnotherLayoutIsTheKeyAtItsPlace(t *testing.T) {
	for key, want := range map[rune]ID{'ы': Submit, 'щ': EditOutside} {
		if a, _ := Standard().Of(Text, tea.KeyPressMsg(tea.Key{Code: key, Mod: tea.ModCtrl})); a.ID != want {
			t.Errorf("ctrl+%c is %q, not %s", key, a.ID, want)
		}
	}
}
