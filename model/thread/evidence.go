package thread

import (
	"encoding/json"
	"strconv"

	"vise/model"
)

// Evidence is an execution that somebody watched: not a claim that it went well, but its
// exit status, and the commit it ran on.
type Evidence struct {
	// Entry is the line of the verified list that this execution stands for.
	Entry       model.Text
	Command     model.Text
	ExitStatus  int
	Head        string
	Dirty       bool
	At          model.Text
	ExecutionID model.Text

	more object
}

// Grade says how much a verified entry is worth.
type Grade string

// The grades, weakest first.
const (
	Claimed        Grade = "claimed"
	Observed       Grade = "observed"
	VerifiedAtHead Grade = "verified_at_head"
)

// GradeOf grades the entry of the verified list against the repository as it is: verified
// at HEAD only if the command passed on this very commit, with no uncommitted change then
// or now.
func (t Thread) GradeOf(entry model.Text, now Git) Grade {
	best := Claimed
	for _, e := range t.Evidence {
		if e.Entry != entry || e.ExitStatus != 0 {
			continue
		}
		if now.State == GitOK && e.Head == now.Head && e.Head != "" && !e.Dirty && !now.Dirty {
			return VerifiedAtHead
		}
		best = Observed
	}
	return best
}

func readEvidence(v any) (Evidence, bool) {
	o, ok := v.(object)
	if !ok {
		return Evidence{}, false
	}
	m := members{from: o}
	e := Evidence{
		Entry: m.text("entry"), Command: m.text("command"), Head: m.text("head").Raw(),
		At: m.text("at"), ExecutionID: m.text("execution_id"),
	}
	e.Dirty, _ = m.take("dirty").(bool)
	n, ok := m.take("exit_status").(json.Number)
	if !ok {
		return Evidence{}, false
	}
	status, err := strconv.Atoi(n.String())
	e.ExitStatus = status
	e.more = m.rest()
	return e, err == nil && !m.wrong && e.Entry != ""
}

func (e Evidence) tidy(c *cutter) Evidence {
	e.Entry, e.Command = c.text(e.Entry, maxText), c.text(e.Command, maxText)
	e.At, e.ExecutionID = c.text(e.At, maxMoment), c.text(e.ExecutionID, maxText)
	return e
}

// same: the newest run of a command on one commit replaces the one before.
func (e Evidence) same(f Evidence) bool {
	return e.Entry == f.Entry && e.Head == f.Head && e.ExitStatus == f.ExitStatus && e.Dirty == f.Dirty
}

func (e Evidence) json() object {
	o := copyOf(e.more)
	putText(o, "entry", e.Entry)
	putText(o, "command", e.Command)
	o["exit_status"] = json.Number(strconv.Itoa(e.ExitStatus))
	put(o, "head", e.Head)
	o["dirty"] = e.Dirty
	putText(o, "at", e.At)
	putText(o, "execution_id", e.ExecutionID)
	return o
}
