package model

import (
	"slices"
	"strings"
	"time"
)

// Digest tells a person who was away what happened since an instant, and what needs the operator now.
type Digest struct {
	Since time.Time `json:"since"`
	// Completed are the items that were completed since, newest first.
	Completed []Finished `json:"completed"`
	Inbox     []Inboxed  `json:"inbox"`
	// Blocked are the items that were blocked since and still are, newest first.
	Blocked []Row `json:"blocked"`
	// Turns ended since; Failed of them failed. Usage is their use, as far as programs report it.
	Turns  int `json:"turns"`
	Failed int `json:"failed_turns,omitempty"`
	Usage
	// More counts the entries that each list leaves out.
	More DigestMore `json:"more,omitzero"`
}

// DigestMore counts what a digest leaves out.
type DigestMore struct {
	Completed int `json:"completed,omitempty"`
	Inbox     int `json:"inbox,omitempty"`
	Blocked   int `json:"blocked,omitempty"`
	// Turns: there were more turns than were counted.
	Turns bool `json:"turns,omitempty"`
}

// Empty reports whether nothing happened, and nothing needs the operator.
func (d Digest) Empty() bool { return len(d.Completed)+len(d.Inbox)+len(d.Blocked)+d.Turns == 0 }

// Finished is a completed item with the beginning of its report.
type Finished struct {
	Row
	// Report is the first line of its completion report; empty without one.
	Report Text `json:"report,omitempty"`
	// Evidence says how far it was verified; empty without checks and without a policy.
	Evidence Text `json:"evidence,omitempty"`
}

// Bounds of a digest: the shown length of each list, and how far it is counted.
const (
	digestShown   = 20
	digestCounted = 500
	// digestEvents bounds the journal entries that are searched for turns; digestPage is one read of them.
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
			before = e.Position()
			if e.Kind != EventTurnEnded {
				continue
			}
			news := DataOf[TurnNews](e)
			d.Turns, d.Usage = d.Turns+1, d.Plus(news.Usage)
			if news.Outcome == TurnFailed {
				d.Failed++
			}
		}
		read += len(page)
		if len(page) < digestPage {
			return
		}
	}
	d.More.Turns = true
}

func firstOf[T any](all []T) (shown []T, more int) {
	n := min(len(all), digestShown)
	return all[:n], len(all) - n
}

// firstLine is the first line with content: no heading, and without a list marker.
func firstLine(t Text) Text {
	for line := range strings.Lines(string(t)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return cut(Text(strings.TrimLeft(line, "*- ")), rowText)
		}
	}
	return ""
}
