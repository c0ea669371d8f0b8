package todo

import (
	"testing"

	"vise/model"
)

func TestAFindingIsRecognisedThatWasDismissedBefore(t *testing.T) {
	finding := func(id, status, resolution, at, file string) Dismissed {
		x := Todo{Source: "review", IssueID: id, Status: Status(status), Title: "SQL injection in the search"}
		x.FindingID, x.Resolution = "SEC-001", Resolution(resolution)
		x.ResolvedAt = model.Text(at)
		x.Files = append(x.Files, model.Text(file))
		return Dismissed{Todo: x, Session: "reviews/" + id}
	}
	asked := finding("009", "pending", "", "", "src/db.go:30").Todo
	for name, c := range map[string]struct {
		earlier []Dismissed
		want    string
	}{
		"the newest counts": {[]Dismissed{finding("001", "wont_fix", "false_positive", "2026-01-01", "src/db.go:3"),
			finding("002", "wont_fix", "out_of_scope", "2026-02-01", "src/db.go:3")}, "review/002"},
		"another file is another one":    {[]Dismissed{finding("001", "wont_fix", "false_positive", "2026-01-01", "src/other.go:3")}, ""},
		"a fix dismisses nothing":        {[]Dismissed{finding("001", "complete", "fixed", "2026-01-01", "src/db.go:3")}, ""},
		"a duplicate dismisses nothing":  {[]Dismissed{finding("001", "wont_fix", "duplicate", "2026-01-01", "src/db.go:3")}, ""},
		"a finding is not its own past":  {[]Dismissed{{Todo: asked}}, ""},
		"what is open dismisses nothing": {[]Dismissed{finding("001", "pending", "", "", "src/db.go:3")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := DismissedBefore(asked, c.earlier)
			if ok != (c.want != "") || ok && got.Ref() != Ref(c.want) {
				t.Errorf("got %v %v, want %q", got.Ref(), ok, c.want)
			}
		})
	}
}
