package watcher

import (
	"time"

	"vise/model"
	"vise/store/files"
)

// plan is one watched plan file: what is known of it, and when it is to be read.
type plan struct {
	item  Item
	dir   *dir
	known model.PlanArtifact
	// seen is the file's size and times just before it was last read.
	seen files.Stat
	// first is the first event since the last read, zero if there was none; due is when to
	// read; graceEnd is when an empty or missing file becomes news, zero if it is neither.
	first, due, graceEnd time.Time
	// read is when it was last read. soon is how many readings of the second that began at second
	// came sooner after the one before than rewriteGap.
	read, second time.Time
	soon         int
}

// touch notes an event of the file: it is read after a quiet time, or at the cap.
func (p *plan) touch(now time.Time) {
	if p.first.IsZero() {
		p.first = now
	}
	p.due = earlier(now.Add(quiet), p.first.Add(quietCap))
}

// came notes that another file took the plan's name. One that was renamed there is whole, so
// it is read as soon as no write follows; one that is being written is touched again. In a
// storm of saves it is read no oftener for that.
func (p *plan) came(now time.Time) {
	p.touch(now)
	if now.Before(p.read.Add(quietCap)) {
		return
	}
	p.due = earlier(p.due, now.Add(arrival))
}

// whole notes that the file has been closed by who wrote it, or was renamed to its place: it
// is read at once. What is closed empty is judged as always, and in a storm of saves, after the first
// few of a second, it is read no oftener than there is something to see.
func (p *plan) whole(now time.Time) {
	p.touch(now)
	switch {
	case now.After(p.second.Add(quietCap)):
		p.second, p.soon = now, 0
	case !now.Before(p.read.Add(rewriteGap)):
	case p.soon < soonMost:
		p.soon++
	default:
		p.due = earlier(p.due, p.read.Add(rewriteGap))
		return
	}
	p.due = now
}

// judge decides what a fresh reading is: news, no news, or too early to know. In that
// case due is when to read again, if no event makes it earlier or later.
func (p *plan) judge(fresh files.Plan, now time.Time) (isNews, tooEarly bool) {
	p.first, p.read = time.Time{}, now
	if p.unfinished(fresh) {
		if p.graceEnd.IsZero() {
			p.graceEnd = now.Add(grace)
		}
		if now.Before(p.graceEnd) {
			p.due = p.graceEnd
			if fresh.Unsettled {
				p.due = earlier(now.Add(quiet), p.graceEnd)
			}
			return false, true
		}
	}
	p.due, p.graceEnd = time.Time{}, time.Time{}
	isNews = p.known.Condition == "" || !model.SamePlan(p.known, fresh.PlanArtifact)
	p.known = fresh.PlanArtifact
	return isNews, false
}

// unfinished reports whether a reading may be the middle of a save: nothing where there
// was a text, as editors leave it for a moment, or a file that is being written.
func (p *plan) unfinished(fresh files.Plan) bool {
	return fresh.Unsettled || hasText(p.known) && !hasText(fresh.PlanArtifact)
}

// hasText reports whether there is something to read, whether or not it can be shown.
func hasText(a model.PlanArtifact) bool {
	switch a.Condition {
	case model.PlanOK, model.PlanNotText, model.PlanTooLarge:
		return a.Bytes > 0
	}
	return false
}
