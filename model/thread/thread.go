package thread

import (
	"cmp"
	"slices"
	"strings"

	"vise/model"
)

// Status is the status of a thread.
type Status string

const (
	InProgress Status = "in_progress"
	Resolved   Status = "resolved"
	Abandoned  Status = "abandoned"
	Blocked    Status = "blocked"
	Paused     Status = "paused"
)

// Closings are the statuses that close can set.
var Closings = []Status{Resolved, Abandoned, Blocked, Paused}

// Statuses are all of them.
var Statuses = append([]Status{InProgress}, Closings...)

// Ended reports whether nobody is expected to continue the thread.
func (s Status) Ended() bool { return s == Resolved || s == Abandoned }

// ParseStatus reads a status as the file format does, without regard to case and outer space.
func ParseStatus(s string) (Status, bool) {
	st := Status(strings.ToLower(trim(s)))
	return st, slices.Contains(Statuses, st)
}

// Thread is the suspended state of one piece of work. A nil Git means that no git context was saved. A thread read from a file can exceed
// the limits; a saved one does not.
type Thread struct {
	ID         ID
	Status     Status
	Goal       model.Text
	Hypothesis model.Text
	NextAction model.Text

	ActiveFiles    []model.Text
	Verified       []model.Text
	Unverified     []model.Text
	DiscardedPaths []model.Text
	Commands       []model.Text
	Risks          []model.Text
	ExecutionIDs   []model.Text

	Uncertainties []uncertainty
	DeadEnds      []deadEnd
	Gaps          []Gap
	Evidence      []evidence

	Git                  *GitContext
	CreatedAt, UpdatedAt model.Text

	file *file
}

// file is the part of a thread's file that vise does not understand.
type file struct {
	more     object
	problems []problem
}

// New returns a thread with only its goal.
func New(id ID, goal model.Text) Thread {
	return Thread{ID: id, Status: InProgress, Goal: clipped(goal)}
}

// StrongestGap returns the gap to show first, or nil.
func (t Thread) StrongestGap() *Gap { return Strongest(t.Gaps) }

// Problems returns what was wrong in the thread's file.
func (t Thread) Problems() []problem {
	if t.file == nil {
		return nil
	}
	return t.file.problems
}

// has reports whether the thread's file had a problem of a kind.
func (t Thread) has(kind string) bool {
	return slices.ContainsFunc(t.Problems(), func(p problem) bool { return p.Kind == kind })
}

// text returns the field of a text name, and list that of a list name. Both return nil for other names.
func (t *Thread) text(f Field) *model.Text {
	return map[Field]*model.Text{goal: &t.Goal, currentHypothesis: &t.Hypothesis, nextAction: &t.NextAction}[f]
}

func (t *Thread) list(f Field) *[]model.Text {
	return map[Field]*[]model.Text{
		activeFiles: &t.ActiveFiles, discardedPaths: &t.DiscardedPaths, recommendedCommands: &t.Commands, risks: &t.Risks,
		sourceExecutionIDs: &t.ExecutionIDs, unverified: &t.Unverified, Verified: &t.Verified,
	}[f]
}

// signal reports whether the thread says anything other than its name and status.
func (t Thread) signal() bool {
	said := t.Goal != "" || t.Hypothesis != "" || t.NextAction != "" ||
		len(t.Uncertainties)+len(t.DeadEnds)+len(t.Gaps) > 0
	for _, f := range listFields {
		said = said || len(*t.list(f)) > 0
	}
	return said
}

// Summary is the thread on one line. It is empty if the thread says nothing.
func (t Thread) Summary() model.Text {
	if !t.signal() {
		return ""
	}
	line := sentence(cmp.Or(t.Goal.Raw(), string(t.ID)))
	if t.NextAction != "" {
		line += " Next: " + sentence(t.NextAction.Raw())
	}
	if h := t.Hypothesis.Raw(); h != "" && len([]rune(h)) <= 120 {
		line += " Hypothesis: " + sentence(h)
	}
	return model.Text(line)
}

func sentence(s string) string { return strings.TrimRight(s, ".") + "." }

// Awaits reports whether the end of a command is a fact of the thread's work: the command validates something, or the thread recommends it
// or lists it as unverified.
func (t Thread) Awaits(command model.Text) bool { return validates(command) || t.recommends(command) }

// recommends reports whether the thread recommends the command or lists it as unverified.
func (t Thread) recommends(command model.Text) bool {
	return slices.ContainsFunc(slices.Concat(t.Commands, t.Unverified), func(u model.Text) bool {
		return squeeze(u.Raw()) == squeeze(model.Redact(command).Raw())
	})
}
