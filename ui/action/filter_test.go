package action

import (
	"strings"
	"testing"
	"time"

	"vise/model"
)

func TestFilterTermsMustAllHold(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rows := []model.Row{
		{ID: "1", Handle: "wi-aaaa", Objective: "Add jitter to backoff (retry)", Class: model.QueuedRunnable, UpdatedAt: now.Add(-2 * time.Hour)},
		{ID: "2", Handle: "wi-bbbb", Objective: "Land retry budget PR", Class: model.TriggeredBlocked, BlockedBy: "waits: CI", UpdatedAt: now.Add(-time.Minute)},
		{ID: "3", Handle: "wi-cccc", Objective: "Fix flaky auth test", Class: model.CompletedRecent, Reported: true, UpdatedAt: now.Add(-72 * time.Hour)},
		{ID: "4", Handle: "wi-dddd", Objective: "Split limiter", Class: model.CurrentRunnable, IsCurrent: true, UpdatedAt: now, Todo: model.TodoGist{Total: 2}},
	}
	for filter, want := range map[string]string{
		"":                             "1234",
		"retry":                        "12",
		"RETRY budget":                 "2",
		"retry -jitter":                "2",
		`"retry budget"`:               "2",
		`"budget retry"`:               "",
		"class:queued,triggered":       "12",
		"class:current":                "4",
		"class:completed":              "3", // as vise list says it
		"-class:done":                  "124",
		"age:>1d":                      "3",
		"age:<1h":                      "24",
		"has:report":                   "3",
		"has:todos":                    "4",
		"wi-bb":                        "2",
		"ci":                           "2",
		"lrbpr":                        "",
		"retry lim":                    "",
		"class:nonsense":               "1234", // cannot be read, hides nothing
		"class:triggered,queued retry": "12",
		"-":                            "2", // a word like any other: "wi-bbbb"… all rows contain a dash
	} {
		if filter == "-" {
			want = "1234"
		}
		f := ParseFilter(filter, now)
		var got strings.Builder
		for _, r := range rows {
			if f.Keeps(r) {
				got.WriteString(string(r.ID))
			}
		}
		if got.String() != want {
			t.Errorf("%q keeps %s, want %s", filter, got.String(), want)
		}
	}
}

func TestAFilterSaysWhatItCannotRead(t *testing.T) {
	for filter, want := range map[string]string{
		"class:x": "not x", "has:x": "has: knows", "age:soon": "age: is like", "colour:red": "no term colour", "class:qu": "not qu", "kind:pick": "no term kind: age:, agent:, class:, has:, text:",
	} {
		if got := ParseFilter(filter, time.Time{}).Trouble; !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", filter, got, want)
		}
	}
}
