package model

import (
	"fmt"
	"testing"
	"time"
)

func TestADigestShowsTheFirstAndCountsTheRest(t *testing.T) {
	b := newBook()
	at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), Actor: Operator, Agent: "ann"}
	before := at.At
	for i := range digestShown + 3 {
		at.At, at.NewID = at.At.Add(time.Second), fmt.Sprint(i)
		if _, err := b.apply(at, CreateWorkItem{Objective: Text(fmt.Sprint("item ", i))}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.apply(at, UpdateWorkItem{WorkItemID: ItemID(fmt.Sprint("wi-", i)), BlockedBy: SetTo("the vault")}); err != nil {
			t.Fatal(err)
		}
	}
	if d := DigestOf(b, before, at.At); len(d.Blocked) != digestShown || d.More.Blocked != 3 || d.Blocked[0].ID != "wi-22" {
		t.Errorf("%d blocked, %d more, first %s", len(d.Blocked), d.More.Blocked, d.Blocked[0].ID)
	}
	if d := DigestOf(b, at.At.Add(-time.Second), at.At); len(d.Blocked) != 2 || d.More.Blocked != 0 {
		t.Errorf("of the last second: %d blocked, %d more", len(d.Blocked), d.More.Blocked)
	}
}

func TestTheFirstLineOfAReportIsWhatItSays(t *testing.T) {
	for _, x := range []struct{ report, want Text }{
		{"", ""}, {"# Report\n\n- All tests pass.\n- More", "All tests pass."}, {"  done  \nmore", "done"}, {"# only a heading", ""},
	} {
		if got := firstLine(x.report); got != x.want {
			t.Errorf("%q: %q, want %q", x.report, got, x.want)
		}
	}
}
