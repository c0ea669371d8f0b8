package model

import (
	"slices"
	"strings"
	"time"
)

// Digest is what happened since an instant and what needs the operator now: what a person
// reads who was away.
type Digest struct {
	Since time.Time `json:"since"`
	// Completed are the items that were completed since, newest first.
	Completed []Finished `json:"completed"`
	Inbox     []Inboxed  `json:"inbox"`
	// Blocked are the items that were blocked since, newest first, and still are.
	Blocked []Row `json:"blocked"`
	// Turns ended since, of which Failed failed; Usage is what they used, as far as programs say so.
	Turns  int `json:"turns"`
	Failed int `json:"failed_turns,omitempty"`
	Usage
	// More is how many of each list are left out.
	More DigestMore `json:"more,omitzero"`
}

// DigestMore counts what a digest leaves out.
type DigestMore struct {
	Completed int `json:"completed,omitempty"`
	Inbox     int `json:"inbox,omitempty"`
	Blocked   int `json:"blocked,omitempty"`
	// Turns: there were more of them than were counted.
	Turns bool `json:"turns,omitempty"`
}

// Empty reports whether nothing happened, and nothing needs the operator.
func (d Digest) Empty() bool { return len(d.Completed)+len(d.Inbox)+len(d.Blocked)+d.Turns == 0 }

// Finished is a completed item with the beginning of its report.
type Finished struct {
	Row
	// Report is the first line of its completion report; empty without one.
	Report Text `json:"report,omitempty"`
	// Evidence says in how far it was verified; empty where nothing was seen to check it and nothing asked for that.
	Evidence Text `json:"evidence,omitempty"`
}

// Bounds of a digest: how much of each list is shown, and how far it is counted.
const (
	digestShown   = 20
	digestCounted = 500
	// digestEvents bounds how far back turns are looked for in the journal, digestPage is one read of it.
	digestEvents = 20_000
	digestPage   = 500
)

// DigestOf reads what happened since an instant.
func DigestOf(r Reader, since, now time.Time) Digest {
	d := Digest{Since: since, Completed: []Finished{}, Inbox: []Inboxed{}, Blocked: []Row{}}
	for _, row := range r.Finished(nil, digestCounted) {
		if row.UpdatedAt.Before(since) {
			break
		}
		if len(d.Completed) == digestShown {
			d.More.Completed++
			continue
		}
		w, _ := r.Item(row.ID)
		x := Finished{Row: row, Report: firstLine(w.ResultSummary)}
		if e := EvidenceOf(r, w); e.IsKnown() {
			x.Evidence = e.Words()
		}
		d.Completed = append(d.Completed, x)
	}
	d.Inbox = append(d.Inbox, Inbox(r, now, digestCounted)...)
	d.Inbox, d.More.Inbox = firstOf(d.Inbox)
	for a := range AllAgents(r) {
		for _, row := range r.Rows(a.ID, BlockedClass, nil, digestCounted) {
			if row.UpdatedAt.Before(since) {
				break
			}
			d.Blocked = append(d.Blocked, row)
		}
	}
	slices.SortStableFunc(d.Blocked, func(x, y Row) int { return y.UpdatedAt.Compare(x.UpdatedAt) })
	d.Blocked, d.More.Blocked = firstOf(d.Blocked)
	d.countTurns(r)
	return d
}

// countTurns counts the turns that ended since.
func (d *Digest) countTurns(r Reader) {
	read := 0
	for before := (Position{}); read < digestEvents; {
		page := r.HistoryBefore("", before, digestPage)
		for _, e := range page {
			if e.At.Before(d.Since) {
				return
			}
			if before = e.Position(); e.Kind != EventTurnEnded {
				continue
			}
			news := DataOf[TurnNews](e)
			d.Turns, d.Usage = d.Turns+1, d.Plus(news.Usage)
			if news.Outcome == TurnFailed {
				d.Failed++
			}
		}
		if read += len(page); len(page) < digestPage {
			return
		}
	}
	d.More.Turns = true
}

func firstOf[T any](all []T) (shown []T, more int) {
	n := min(len(all), digestShown)
	return all[:n], len(all) - n
}

// firstLine is the first line that says something: no heading, and without a list's mark.
func firstLine(t Text) Text {
	for line := range strings.Lines(string(t)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return cut(Text(strings.TrimLeft(line, "*- ")), rowText)
		}
	}
	return ""
}
