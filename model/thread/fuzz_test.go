package thread_test

import (
	"bytes"
	"testing"

	"vise/model/thread"
)

// For any file content reading ends in a thread or an error. A thread that can be written is read again with the same
// bytes.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"goal":"a","verified":["b",1,null],"uncertainties":["c",{"claim":"d"}],"git_context":{"available":true}}`,
		`{"discarded_hypotheses":[{"path":"x","paths":["y"]}],"contract_gaps":[{"kind":"k","count":2}],"evidence":[{"entry":"e","exit_status":0}]}`,
		`{"status":"x","version":1.0,"z":{"y":[1e999,"\ud800"]}}`, `[`, `{"a":`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		thread.ReadPointer(raw)
		if p, err := thread.ParsePatch(raw); err == nil {
			if th, _, err := thread.New("x", "g").Apply(p); err == nil {
				stable(t, th)
			}
		}
		if o, err := thread.ParseOutcome(raw); err == nil {
			thread.FreshGaps(o.Contract, thread.Evaluate(o.Contract, o), o)
		}
		if th, err := thread.Read("x", raw); err == nil {
			stable(t, th)
		}
	})
}

func stable(t *testing.T, th thread.Thread) {
	t.Helper()
	first, err := th.Write()
	if err != nil {
		return
	}
	back, err := thread.Read("x", first)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, first)
	}
	if second, err := back.Write(); err != nil || !bytes.Equal(first, second) {
		t.Fatalf("got %v\n%s\nwant\n%s", err, second, first)
	}
}
