package workstate_test

import (
	"bytes"
	"testing"

	"vise/model/workstate"
)

// Whatever a file holds, reading it ends in a thread or in an error, and a thread that can
// be written is read back with the same bytes.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"goal":"a","verified":["b",1,null],"uncertainties":["c",{"claim":"d"}],"git_context":{"available":true}}`,
		`{"discarded_hypotheses":[{"path":"x","paths":["y"]}],"contract_gaps":[{"kind":"k","count":2}],"evidence":[{"entry":"e","exit_status":0}]}`,
		`{"status":"x","version":1.0,"z":{"y":[1e999,"\ud800"]}}`, `[`, `{"a":`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		workstate.ReadPointer(raw)
		if p, err := workstate.ParsePatch(raw); err == nil {
			if th, _, err := workstate.New("x", "g").Apply(p); err == nil {
				stable(t, th)
			}
		}
		if o, err := workstate.ParseOutcome(raw); err == nil {
			workstate.FreshGaps(o.Contract, workstate.Evaluate(o.Contract, o), o)
		}
		if th, err := workstate.Read("x", raw); err == nil {
			stable(t, th)
		}
	})
}

func stable(t *testing.T, th workstate.Thread) {
	t.Helper()
	first, err := th.Write()
	if err != nil {
		return
	}
	back, err := workstate.Read("x", first)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, first)
	}
	if second, err := back.Write(); err != nil || !bytes.Equal(first, second) {
		t.Fatalf("got %v\n%s\nwant\n%s", err, second, first)
	}
}
