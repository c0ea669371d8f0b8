package todo

import (
	"testing"

	"vise/model"
)

func TestAFindingIsRecognisedThatWasDismissedBefore(t *testing.T) {
	finding := func(id, status, resolution, at, file string) Todo {
		x := Todo{Session: "reviews/" + id, Source: "review", IssueID: id, Status: Status(status), Title: "SQL injection in the search"}
		x.FindingID, x.Resolution = "SEC-001", Resolution(resolution)
		x.ResolvedAt = model.Text(at)
		x.Files = append(x.Files, model.Text(file))
		return x
	}
	asked := finding("009", "pending", "", "", "src/db.go:30")
	other := finding("001", "wont_fix", "false_positive", "2026-01-01", "src/db.go:3")
	other.Title, other.Said = "A lock is never released", 7
	for name, c := range map[string]struct {
		earlier []Todo
		want    string
	}{
		"the same id with another text": {[]Todo{other}, ""},
		"the newest counts": {[]Todo{finding("001", "wont_fix", "false_positive", "2026-01-01", "src/db.go:3"),
			finding("002", "wont_fix", "out_of_scope", "2026-02-01", "src/db.go:3")}, "review/002"},
		"another file is another one":    {[]Todo{finding("001", "wont_fix", "false_positive", "2026-01-01", "src/other.go:3")}, ""},
		"a fix dismisses nothing":        {[]Todo{finding("001", "complete", "fixed", "2026-01-01", "src/db.go:3")}, ""},
		"a duplicate dismisses nothing":  {[]Todo{finding("001", "wont_fix", "duplicate", "2026-01-01", "src/db.go:3")}, ""},
		"a finding is not its own past":  {[]Todo{asked}, ""},
		"what is open dismisses nothing": {[]Todo{finding("001", "pending", "", "", "src/db.go:3")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := DismissedBefore(asked, c.earlier)
			if (got == nil) != (c.want == "") || got != nil && got.Ref() != Ref(c.want) {
				t.Errorf("got %v, want %q", got, c.want)
			}
		})
	}
}
