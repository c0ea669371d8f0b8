package todo

// Dismissed is an earlier finding that was not true or not wanted.
type Dismissed struct {
	Todo
	// Session is where it lies; empty: in the session of the finding that asks.
	Session string
}

// SameFinding reports whether an earlier todo, closed without a fix, said what t says: the
// same finding of the same file, or one that looks like it. What was a duplicate, or was
// superseded, dismissed nothing.
func SameFinding(t, earlier Todo) bool {
	if earlier.Status != WontFix || earlier.Resolution == Duplicate || earlier.Resolution == Superseded {
		return false
	}
	shared := jaccard(t, earlier) > 0
	if t.FindingID != "" && t.FindingID == earlier.FindingID && shared {
		return true
	}
	return score(t, earlier) >= showSimilar
}

// DismissedBefore is the newest earlier todo that says what t says and was dismissed.
func DismissedBefore(t Todo, earlier []Dismissed) (Dismissed, bool) {
	var newest Dismissed
	found := false
	for _, e := range earlier {
		if e.Ref() == t.Ref() && e.Session == "" || !SameFinding(t, e.Todo) {
			continue
		}
		if !found || e.ResolvedAt > newest.ResolvedAt {
			newest, found = e, true
		}
	}
	return newest, found
}
