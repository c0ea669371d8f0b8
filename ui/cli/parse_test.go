package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vise/model"
)

func TestAChecklistIsJSONOrMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"":   "",
		"[]": "",
		`[{"text":"a","state":"pending"},{"text":"b","state":"completed"}]`: "pending a, completed b",
		"- [ ] a\n- [x] b\n- [X] c\n- [~] d\n- [/] e\n- [-] f":              "pending a, completed b, completed c, in_progress d, in_progress e, in_progress f",
		"* [ ] a\r\n\n  + [x] b":       "pending a, completed b",
		"[ ] a":                        "pending a",
		"[x] not JSON":                 "completed not JSON",
		"\ufeff- [ ] after a mark":     "pending after a mark",
		"- [ ] [link](x) and `code` -": "pending [link](x) and `code` -",
	} {
		todos, err := parseTodos(in)
		var got []string
		for _, x := range todos {
			got = append(got, fmt.Sprintf("%s %s", x.State, x.Text))
		}
		if err != nil || strings.Join(got, ", ") != want || todos == nil {
			t.Errorf("%q is %v, %v, want %s", in, got, err, want)
		}
	}
	for in, says := range map[string]string{
		"[":                    "not JSON as expected",
		"[{\n\"text\" 1}]":     "line 2",
		`[{"text":"a","x":1}]`: "unknown field",
		`[] []`:                "text after",
		`{"text":"a"}`:         "not an array",
		"words":                "line 1 of the checklist is not a todo",
		"- [ ] a\n- [?] b":     "line 2",
		"-[ ] a":               `"-[ ] a"`,
		"**[x] a":              `"**[x] a"`,
		"- [ ] a\n---":         `not a todo: "---"`,
	} {
		if _, err := parseTodos(in); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want %q", in, err, says)
		}
	}
}

// What was not read is named as the operator named it: a file, or standard input. Just as much as the limit is read.
func TestInputAtItsLimitAndBeyond(t *testing.T) {
	dir := t.TempDir()
	for name, bytes := range map[string]int64{"full": maxInput, "over": maxInput + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, name), bytes); err != nil {
			t.Fatal(err)
		}
	}
	for value, says := range map[string]string{"@full": "", "@over": "over has more than 8388608 bytes", "@.": "read .: ",
		"-": "standard input has more than 8388608 bytes"} {
		e := &Env{Context: t.Context(), dir: dir, in: io.LimitReader(zeros{}, maxInput+1)}
		said, err := content(e, "todos", value)
		if says == "" && (err != nil || len(said) != maxInput) || says != "" && (err == nil || !strings.HasPrefix(err.Error(), says)) {
			t.Errorf("%s: %d bytes, %v, want %q", value, len(said), err, says)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Escaping changes only how the JSON is written, not its values. The result has nothing that a terminal obeys.
func TestHarmlessJSONSaysTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\u009b", "\u202e", "\u2028", "\x7f", "\U000e0041"}).Draw(t, "hostile")
		raw, err := json.Marshal(map[string]string{"text": s})
		if err != nil {
			t.Fatal(err)
		}
		out := harmless(raw)
		var back, was map[string]string
		if json.Unmarshal(out, &back) != nil || json.Unmarshal(raw, &was) != nil || back["text"] != was["text"] {
			t.Fatalf("%q became %s", s, out)
		}
		for len(out) > 0 {
			r, size := utf8.DecodeRune(out)
			if r == 0x7f || r >= 0x80 && r <= 0x9f || r >= 0x202a && r <= 0x202e || r == 0x2028 || r == 0xe0041 {
				t.Fatalf("%U is left", r)
			}
			out = out[size:]
		}
	})
}

func TestEveryErrorHasACodeAnExitAndAWayOut(t *testing.T) {
	for _, c := range []struct {
		err  error
		code model.Code
		exit int
	}{
		{model.Refuse(model.CodeStale, "moved on"), model.CodeStale, 4},
		{fmt.Errorf("open: %w", fs.ErrPermission), model.CodeReadOnly, 5},
		{flagError(commandTree(testApp()), errors.New("bad flag syntax: --=")), model.CodeInvalid, 2},
		{errors.New("write: no space left on device"), model.CodeFull, 5},
		{errors.New("anything\x1b[2J"), model.CodeInternal, 1},
		{fmt.Errorf("in a step: %w", model.Refuse(model.CodeBusy, "busy")), model.CodeBusy, 75},
	} {
		var out strings.Builder
		a := testApp()
		a.err = &out
		exit, e := fail(a, commandTree(a), c.err), fault(c.err)
		if e.Code != c.code || exit != c.exit || strings.Count(out.String(), "\n") != 2 || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%v: got %+v, exit %d, want %s, %d\n%s", c.err, e, exit, c.code, c.exit, out.String())
		}
	}
	for _, x := range exits {
		for _, code := range x.codes {
			if got := exitOf(model.Refuse(code, "x")); got != x.code {
				t.Errorf("%s exits %d, and is in the row of %d", code, got, x.code)
			}
		}
	}
}
