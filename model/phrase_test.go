package model

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// The stored form of an item never excludes a phrase that its texts contain, whatever JSON escapes. A phrase is found
// where strings.EqualFold finds it.
func TestAPhraseIsFoundInWhatIsStored(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	letters := []rune("abkKsſ\u212aéÉßДд日 \"\\<&\n\u2028\u200b.:{}")
	random := func(n int) string {
		out := make([]rune, rng.IntN(n)+1)
		for i := range out {
			out[i] = letters[rng.IntN(len(letters))]
		}
		return string(out)
	}
	found := 0
	for range 20_000 {
		text := random(12)
		w := WorkItem{Handle: "wi-aaaa", Objective: Text(text), ResultSummary: Text(random(5)), BlockedBy: Text(random(3))}
		w.PlanArtifact.Preview = Text(random(4))
		w.PlanArtifact.UpdatedAt, w.UpdatedAt = time.Unix(rng.Int64N(1e9), 0).UTC(), time.Unix(rng.Int64N(1e9), rng.Int64N(1e9)).UTC()
		w.AgentID, w.State, w.TodoList = "ann", []State{Open, Completed}[rng.IntN(2)], []Todo{{Text: Text(random(3)), State: "completed"}}
		p := PhraseOf(random(3))
		stored, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		phrase := ""
		for _, cases := range p.letters {
			phrase += string(cases[0])
		}
		in := p.In([]byte(text))
		if in != foldedIn(text, phrase) {
			t.Fatalf("%q in %q: %v", phrase, text, in)
		}
		if in {
			found++
		}
		if in && !StoredHolds(stored, []Phrase{p.Stored()}) {
			t.Fatalf("%q is in %q and not in %s", phrase, text, stored)
		}
		row, seen := RowOf(w, nil, false), StoredRow(stored)
		if seen.AgentID != row.AgentID || !seen.UpdatedAt.Equal(row.UpdatedAt) || (seen.Class == CompletedRecent) != (w.State == Completed) {
			t.Fatalf("%+v is seen in %s", seen, stored)
		}
	}
	if found < 1000 {
		t.Errorf("only %d found: the test shows nothing", found)
	}
}

func foldedIn(text, phrase string) bool {
	n := utf8.RuneCountInString(phrase)
	runes := []rune(text)
	for i := 0; i+n <= len(runes); i++ {
		if strings.EqualFold(string(runes[i:i+n]), phrase) {
			return true
		}
	}
	return false
}
