package thread

import "vise/model"

// Unsettled is what speaks against ending the work of a thread: gaps that ask for a review
// or more, and what nobody has verified. It is advice: whoever ends the work all the same
// says why.
func (t Thread) Unsettled() []model.Text {
	if t.Status.Ended() {
		return nil
	}
	var out []model.Text
	told := map[model.Text]bool{}
	for _, g := range t.Gaps {
		if g.Severity.Rank() >= NeedsReview.Rank() {
			out = append(out, model.Text(g.Severity)+": "+g.Summary)
			told[g.claim()] = true
		}
	}
	for _, u := range t.Unverified {
		if !told[u] {
			out = append(out, "unverified: "+u)
		}
	}
	return out
}
