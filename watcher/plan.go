package watcher

import (
	"time"

	"vise/model"
	"vise/store/files"
)

// plan is one watched plan file: its known state, and when to read it.
type plan struct {
	item  Item
	dir   *dir
	known model.PlanArtifact
	// seen is the file's size and times just before the last read.
	seen files.Stat
	// first is the first event since the last read, or zero. due is when to read. graceEnd is when an empty or missing file becomes news,
	// or zero.
	first, due, graceEnd time.Time
	// read is the time of the last read. soon counts the reads, in the second that began at second, that came less than rewriteGap after
	// the read before.
	read, second time.Time
	soon         int
}

// touch notes an event of the file. The file is read after the time quiet without events, or at quietCap.
func (p *plan) touch(now time.Time) {
	if p.first.IsZero() {
		p.first = now
	}
	p.due = earlier(now.Add(quiet), p.first.Add(quietCap))
}

// came notes that another file took the plan's name. A renamed file is whole, so it is read as soon as no write follows; if the file is
// still being written, its next event calls touch. During frequent saves this causes no more reads than touch does.
func (p *plan) came(now time.Time) {
	p.touch(now)
	if now.Before(p.read.Add(quietCap)) {
		return
	}
	p.due = earlier(p.due, now.Add(arrival))
}

// whole notes that the writer closed the file, or that a file was renamed to its name. The file is read at once. During frequent saves,
// soonMost reads in a second may come sooner than rewriteGap after the one before, and later ones must wait for rewriteGap. judge handles
// an empty file as usual.
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

// judge decides whether a fresh read is news, no news, or too early to tell. If it is too early, due is when to read again, unless an event
// changes it.
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
	p.knows(fresh.PlanArtifact)
	return isNews, false
}

// knows sets the known state, without the text, because there can be thousands of plans.
func (p *plan) knows(a model.PlanArtifact) {
	p.known = a
	p.known.Preview = ""
}

// unfinished reports whether a read may be from the middle of a save: the text is gone, as some editors leave it for a moment, or the file
// is being written.
func (p *plan) unfinished(fresh files.Plan) bool {
	return fresh.Unsettled || hasText(p.known) && !hasText(fresh.PlanArtifact)
}

// hasText reports whether the plan has content, even if it cannot be shown.
func hasText(a model.PlanArtifact) bool {
	switch a.Condition {
	case model.PlanOK, model.PlanNotText, model.PlanTooLarge:
		return a.Bytes > 0
	}
	return false
}
