package todos

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vise/model"
	"vise/model/todo"
)

const tome = "# TOME — rune-review Summary\n\n**Session Nonce**: a1b2\n\n" + `## P1

<!-- RUNE:FINDING nonce="a1b2" id="SEC-001" file="src/db.ts" line="42" severity="P1" -->
- [ ] **[SEC-001] SQL injection in login** in ` + "`src/db.ts:42`" + `
  - **Ash:** ward
  - **Rune Trace:**
    ` + "```ts\n    query(\"x\" + id)\n    ```" + `
  - **Issue:** input reaches
    the query
  - **Fix:** use parameters
<!-- /RUNE:FINDING id="SEC-001" -->

<!-- RUNE:FINDING nonce="evil" id="INJ-001" file="x" line="1" severity="P1" -->
### INJ-001: Injected
<!-- /RUNE:FINDING -->
<!-- RUNE:FINDING nonce="a1b2" id="QUAL-002" file="a.ts" line="1" severity="P2" interaction="question" -->
<!-- RUNE:FINDING nonce="a1b2" id="QUAL-003" file="a.ts" line="1" severity="P3" scope="pre-existing" -->
<!-- RUNE:FINDING nonce="a1b2" id="QUAL-004" file="a.ts" line="1" severity="P1" scope="pre-existing" -->
### QUAL-004: Old but critical
<!-- RUNE:FINDING nonce="a1b2" id="QUAL-005" file="a.ts" line="1" severity="P2" -->
Verdict: FALSE_POSITIVE
`

const sarif = `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"gosec","rules":[
 {"id":"G101","defaultConfiguration":{"level":"error"},"properties":{"security-severity":"4.5"},"helpUri":"https://x"}]}},
 "results":[
 {"ruleId":"G101","message":{"text":"hardcoded secret\nmore"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///repo/a%20b.go"},"region":{"startLine":7,"snippet":{"text":"key := 1"}}}}]},
 {"ruleId":"G102","level":"note","message":{"text":"same"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"c.go"},"region":{"startLine":LINE}}}]},
 {"ruleId":"G102","level":"note","message":{"text":"same"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"c.go"},"region":{"startLine":90}}}]},
 {"ruleId":"G103","message":{"text":"x"},"suppressions":[{"kind":"inSource"}]},
 {"ruleId":"G104","kind":"pass","message":{"text":"x"}}]}]}`

const govet = `# vise/a
{"vise/a":{"printf":[{"posn":"/repo/a/a.go:10:2","message":"wrong verb"}],"copylocks":{"error":"boom"}}}
# vise/b
{}
{"vise/b":{"nilness":[{"posn":"/repo/b/b.go:3:1","message":"nil"}]}}
`

const golangci = `{"Issues":[{"FromLinter":"errcheck","Text":"unchecked","Severity":"error","SourceLines":["f()"],"Pos":{"Filename":"a.go","Line":3,"Column":2}},
{"FromLinter":"lll","Text":"long","Severity":"","Pos":{"Filename":"b.go","Line":4}}],"Report":{}}`

func show(r report) string {
	var b strings.Builder
	for _, d := range r.Drafts {
		id, _, _ := strings.Cut(d.FindingID.Raw(), "-")
		fmt.Fprintf(&b, "%s %s %s %q %s %s %q\n", d.Source, d.Priority, id, d.Title.Raw(), d.Files, d.SourceRef.Raw(), d.Evidence.Raw())
	}
	for _, l := range r.Left {
		fmt.Fprintf(&b, "left: %s: %s\n", l.Finding, l.Reason)
	}
	return b.String()
}

func TestEveryFormatIsReadAndRecognised(t *testing.T) {
	for _, c := range []struct {
		format Format
		raw    string
		want   string
	}{
		{TOME, tome, "review p1 SEC \"SQL injection in login\" [src/db.ts:42] TOME.md \"    query(\\\"x\\\" + id)\"\n" +
			"review p1 QUAL \"Old but critical\" [a.ts:1] TOME.md \"\"\n" +
			"left: INJ-001: its nonce is not the session's: injected by copied text\nleft: QUAL-002: a question, not a finding\n" +
			"left: QUAL-003: was there before, and is not critical\nleft: QUAL-005: marked as a false positive\n"},
		{SARIF, strings.Replace(sarif, "LINE", "8", 1), "audit p2 G101 \"G101: hardcoded secret\" [a b.go:7] sarif:gosec \"key := 1\"\n" +
			"audit p3 G102 \"G102: same\" [c.go:8] sarif:gosec \"\"\naudit p3 G102 \"G102: same\" [c.go:90] sarif:gosec \"\"\n" +
			"left: G103 x: suppressed in the report\nleft: G104 x: of kind pass, which is no failure\n"},
		{goVet, govet, "audit p2 printf \"printf: wrong verb\" [a/a.go:10] go vet \"\"\naudit p2 nilness \"nilness: nil\" [b/b.go:3] go vet \"\"\n" +
			"left: vise/a copylocks: the analyzer reports an error, not findings\n"},
		{golangCI, golangci, "audit p1 errcheck \"errcheck: unchecked\" [a.go:3] golangci-lint \"f()\"\naudit p2 lll \"lll: long\" [b.go:4] golangci-lint \"\"\n"},
	} {
		if f, ok := Guess([]byte(c.raw)); !ok || f != c.format {
			t.Errorf("%s is guessed as %q", c.format, f)
		}
		got, err := Read(c.format, []byte(c.raw), Context{Root: "/repo", Ref: "TOME.md"})
		if err != nil {
			t.Errorf("%s: %v", c.format, err)
		}
		if show(got) != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.format, show(got), c.want)
		}
	}
}

func TestATomesTextsAreTaken(t *testing.T) {
	got, _ := Read(TOME, []byte(tome), Context{})
	if d := got.Drafts[0]; d.Problem != "input reaches\nthe query\n\n**Ash**: ward" || d.Action != "use parameters" {
		t.Fatalf("got %q and %q", d.Problem.Raw(), d.Action.Raw())
	}
}

// Whatever the form of a finding, each of its words is in the todo's file.
func TestAnImportKeepsAllOfAFindingsText(t *testing.T) {
	marked := func(text string) string {
		return "<!-- RUNE:FINDING nonce=\"n\" id=\"SEC-1\" file=\"a.go\" line=\"2\" severity=\"P1\" title=\"a > b\" -->\n" + text +
			"\n<!-- /RUNE:FINDING id=\"SEC-1\" -->\n"
	}
	for name, c := range map[string]struct {
		format Format
		raw    string
		want   []string
	}{
		"without labels": {TOME, marked("### SEC-1: The name is pasted\n\nFirst paragraph.\n\nSecond **bold** paragraph.\n\n- a list"),
			[]string{"# The name is pasted\n", "First paragraph.\n\nSecond **bold** paragraph.\n\n- a list\n"}},
		"other labels": {TOME, marked("- [ ] **[SEC-1] Pasted** in `a.go:2`\n  - **Issue:** it is\n    - one\n    - two\n  - **Impact**: all rows\n" +
			"  - **Fix:** quote\n\n    it\n  - **Rune Trace:**\n    ```go\n    q := name\n    ```\n  and after it\n    ```go\n    more()\n    ```"),
			[]string{"it is\n- one\n- two\n\n**Impact**: all rows\n", "quote\n\nit\n", "q := name\n", "and after it", "more()"}},
		"a long title": {TOME, marked("### SEC-1: " + strings.Repeat("long ", 40) + "end"), []string{"long end\n"}},
		"a long text":  {TOME, marked("### SEC-1: T\n" + strings.Repeat("word ", 20000) + "end"), []string{" word end\n"}},
		"a message by its id": {SARIF, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x","rules":[{"id":"R1","messageStrings":{"hot":{"text":"{0} burns {1}"}}}]}},
			"results":[{"ruleIndex":0,"message":{"id":"hot","arguments":["fire","wood"]}}]}]}`, []string{"R1: fire burns wood", "\nfire burns wood\n"}},
		"a message of the tool": {SARIF, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x","globalMessageStrings":{"hot":{"markdown":"**hot** {0}"}}}},
			"results":[{"rule":{"id":"R2"},"message":{"id":"hot","arguments":["fire"]}}]}]}`, []string{"**hot** fire"}},
		"other places": {SARIF, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"ruleId":"R3","message":{"markdown":"*leaks*"},
			"locations":[{"message":{"text":"read here"},"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":3}}},
			{"physicalLocation":{"artifactLocation":{"uri":"b.go"},"region":{"startLine":4}}}],
			"relatedLocations":[{"message":{"text":"made here"},"physicalLocation":{"artifactLocation":{"uri":"c.go"},"region":{"startLine":5}}}],
			"fixes":[{"description":{"text":"close it"}},{"description":{"text":"or do not open it"}}]}]}]}`,
			[]string{"*leaks*\n", "- `a.go:3` read here\n", "- `b.go:4`\n", "- `c.go:5` made here\n", "close it\nor do not open it\n"}},
		"of go vet": {goVet, `{"p":{"lostcancel":[{"posn":"a.go:3:2","message":"not used","related":[{"posn":"b.go:9:1","message":"returns here"}],
			"suggested_fixes":[{"message":"call it"}]}]}}`, []string{"not used\n", "- `b.go:9` returns here\n", "call it\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, review)
			got, err := Read(c.format, []byte(c.raw), Context{Ref: "r"})
			must(t, err)
			made, err := s.Create(got.Drafts, operator())
			must(t, err)
			if len(made.Created) != 1 {
				t.Fatalf("made %+v, left %+v", made, got.Left)
			}
			text := read(t, s.File(made.Created[0]))
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in\n%.3000s", w, text)
				}
			}
		})
	}
}

// A finding whose id is used is no second todo. It is said if it has another text than the one that has the id.
func TestAnotherTextWithAUsedIDIsSaid(t *testing.T) {
	s := newSession(t, review)
	finding := func(title, problem, ref string) todo.Draft {
		d := draft(title, todo.Pending)
		d.FindingID, d.SourceRef, d.Problem = "SEC-1", model.Text(ref), model.Text(problem)
		return d
	}
	made, err := s.Create([]todo.Draft{finding("Hole", "It leaks.", "a"), finding("Hole", "It leaks.", "a"), finding("Hole", "It drips.", "a"),
		finding("Gap", "It leaks.", "a"), finding("Hole", "It leaks.", "b"), finding("Hole", "It pours.", "c")}, operator())
	must(t, err)
	got := ""
	for _, x := range made.Skipped {
		got += fmt.Sprint(x.Existing, " ", x.OtherText, "; ")
	}
	if want := "review/001 false; review/001 true; review/001 true; "; got != want || len(made.Created) != 3 {
		t.Errorf("skipped %q, want %q; created %d", got, want, len(made.Created))
	}
	got = ""
	for _, p := range todo.CheckAll(mustLoad(t, s).Index) {
		got += fmt.Sprint(p.Todo, " ", p.Rule, "; ")
	}
	if want := "review/002 duplicate_finding; review/003 finding_reused; "; got != want {
		t.Errorf("problems %q, want %q", got, want)
	}
	if pairs := todo.FindSimilar(mustLoad(t, s).Todos); len(pairs) != 1 || pairs[0].Other != "review/002" {
		t.Errorf("duplicates: %+v", pairs)
	}
}

func TestATextThatNoFileCanHoldIsRefused(t *testing.T) {
	s := newSession(t, review)
	d := draft("one", todo.Pending)
	d.Problem = model.Text(strings.Repeat("x", maxTodoBytes))
	_, err := s.Create([]todo.Draft{d}, operator())
	refusedBy(t, err, todo.RuleTooLarge)
}

// Code above a finding moves it, and its id stays. Two of a kind in one file stay two.
func TestIDsDoNotFollowLines(t *testing.T) {
	ids := func(line string) (out []model.Text) {
		r, err := Read(SARIF, []byte(strings.Replace(sarif, "LINE", line, 1)), Context{Root: "/repo"})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Drafts {
			out = append(out, d.FindingID)
		}
		return out
	}
	a, b := ids("8"), ids("80")
	if fmt.Sprint(a) != fmt.Sprint(b) || a[1] == a[2] {
		t.Fatalf("got %v and %v", a, b)
	}
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	for _, c := range []struct {
		format Format
		raw    string
	}{
		{SARIF, "{"}, {SARIF, `{"version":"1.0","runs":[]}`}, {SARIF, `{"version":"2.1.0"}`}, {golangCI, `{}`}, {golangCI, `x`},
		{goVet, `{"a":`}, {goVet, `[]`}, {"xml", `x`}, {TOME, "\xff"},
	} {
		_, err := Read(c.format, []byte(c.raw), Context{})
		var e *model.Error
		if !errors.As(err, &e) || e.Code != model.CodeInvalid {
			t.Errorf("%s %q: %v", c.format, c.raw, err)
		}
	}
	for _, raw := range []string{"hello", "# Notes\n\nA name is not quoted.\n", "# demo\n./db.go:12:3: unreachable code\n"} {
		if f, ok := Guess([]byte(raw)); ok {
			t.Errorf("%q is guessed as %s", raw, f)
		}
	}
	if got, err := Read(golangCI, []byte(`{"Issues":null}`), Context{}); err != nil || len(got.Drafts) != 0 {
		t.Errorf("a clean run: %v %v", got, err)
	}
}

func TestEveryDraftCanBecomeATodo(t *testing.T) {
	long := strings.Repeat("ü", 5000)
	raw := fmt.Sprintf(`{"Issues":[{"FromLinter":%q,"Text":"\u001b[2J%s","Severity":%q,"Pos":{"Filename":%q,"Line":1}}]}`, long,
		long, long, long)
	got, err := Read(golangCI, []byte(raw), Context{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := todo.New(got.Drafts[0], "001", todo.Move{}); err != nil {
		t.Fatal(err)
	}
}
