package action

import "testing"

func TestASentenceNamesTheKeyThatHolds(t *testing.T) {
	for in, want := range map[string]string{
		"{submit} send · {close} keeps the draft": "ctrl+s send · esc keeps the draft",
		"no key here":               "no key here",
		"{nobody} {submit {submit}": "{nobody} {submit ctrl+s",
		"{submit":                   "{submit",
	} {
		if got := Keyed(in); got != want {
			t.Errorf("%q became %q, not %q", in, got, want)
		}
	}
	table := Table
	defer func() { Table = table }()
	Table = append([]Action{}, table...)
	for i := range Table {
		switch Table[i].ID {
		case Submit:
			Table[i].Keys = []string{"f2"}
		case Report:
			Table[i].Keys = nil
		}
	}
	if got := Keyed("{submit} send, {report} gives it"); got != "f2 send, : gives it" {
		t.Error(got)
	}
}
