package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Forge is the program through which vise asks a host of repositories: gh for GitHub, glab for GitLab. The process that runs
// the scheduler asks it about external waits that name it as source (docs/lifecycle.md 4).
type Forge string

// The forges.
const (
	GitHub Forge = "gh"
	GitLab Forge = "glab"
)

// forgeHosts are the forges' hosts as resources name them.
var forgeHosts = map[Forge]string{GitHub: "github:", GitLab: "gitlab:"}

// Asked is the subject of a question to a forge: a pull request, or the checks of a branch.
type Asked struct {
	Forge Forge
	// Repo is the full name of the repository, owner/name.
	Repo string
	// Number is the pull request's number; 0 for a branch.
	Number int
	Branch string
}

// forgeName reports whether s can be a name at a forge: letters, digits, _ and, after the first character, those in more. A
// program could take a name with another first character for an option or a path.
func forgeName(s, more string) bool {
	return len(s) <= maxForgeName && IsName(s, LowerCase+UpperCase+Digits+"_", more) && !strings.Contains(s, "..")
}

// maxForgeName bounds the name of a repository or branch, in bytes.
const maxForgeName = 255

// ParseAsked reads a resource such as github:owner/name#7 or github:owner/name@branch.
func ParseAsked(f Forge, resource Text) (Asked, error) {
	host, known := forgeHosts[f]
	rest, ok := strings.CutPrefix(resource.Raw(), host)
	wrong := Invalid("%q names neither a pull request nor a branch", resource).At("resource",
		"name a pull request, like %sowner/name#7, or a branch, like %sowner/name@main", host, host)
	if !known || !ok {
		return Asked{}, wrong
	}
	at := strings.IndexAny(rest, "#!@")
	if at < 0 {
		return Asked{}, wrong
	}
	a := Asked{Forge: f, Repo: rest[:at]}
	if rest[at] == '@' {
		a.Branch = rest[at+1:]
	} else if n, err := strconv.ParseUint(rest[at+1:], 10, 31); err == nil {
		a.Number = int(n)
	}
	parts := strings.Split(a.Repo, "/")
	if !forgeName(a.Repo, "/.-") || slices.Contains(parts, "") || len(parts) < 2 || f == GitHub && len(parts) > 2 ||
		a.Number == 0 && !forgeName(a.Branch, "/.-+#@") {
		return Asked{}, wrong
	}
	return a, nil
}

// Resource is the name of a in a wait.
func (a Asked) Resource() Text { return Text(forgeHosts[a.Forge] + a.String()) }

func (a Asked) String() string {
	if a.Number > 0 {
		return fmt.Sprintf("%s#%d", a.Repo, a.Number)
	}
	return a.Repo + "@" + a.Branch
}

// Words name a in words.
func (a Asked) Words() string {
	if a.Number > 0 {
		return "pull request " + a.String()
	}
	return "the checks of " + a.String()
}

// Asks is the subject about which a forge is asked for this wait; ok is false without one.
func (w Wait) Asks() (Asked, bool) {
	if w.Kind != WaitExternal || forgeHosts[Forge(w.Source)] == "" {
		return Asked{}, false
	}
	a, err := ParseAsked(Forge(w.Source), w.Resource)
	return a, err == nil
}

// Checked is a forge's last answer about a wait.
type Checked struct {
	State  PullState   `json:"state,omitempty"`
	Review ReviewState `json:"review,omitempty"`
	Checks CheckState  `json:"checks,omitempty"`
	// Failing is the name of a failing check.
	Failing Text   `json:"failing,omitempty"`
	Commit  string `json:"commit,omitempty"`
	// Problem says why the forge cannot be asked now; the other fields then hold its answer before that.
	Problem Text `json:"problem,omitempty"`
	// Since is when this state began.
	Since time.Time `json:"since,omitzero"`
}

// PullState is the state of a pull request; empty for a branch.
type PullState string

// The states of a pull request.
const (
	PullOpen   PullState = "open"
	PullMerged PullState = "merged"
	PullClosed PullState = "closed"
)

// ReviewState is the reviewers' decision; empty without one.
type ReviewState string

// The decisions of reviewers.
const (
	ReviewApproved ReviewState = "approved"
	ReviewChanges  ReviewState = "changes_requested"
)

// CheckState is the state of a commit's checks; empty if there are none yet. One failing check makes it fail.
type CheckState string

// The states of checks.
const (
	ChecksRun  CheckState = "running"
	ChecksFail CheckState = "failing"
	ChecksPass CheckState = "passing"
)

// Gist is the forge's answer in a few words.
func (c Checked) Gist() Text {
	switch {
	case c == Checked{}:
		return ""
	case c.Problem != "":
		return c.Problem
	case c.State == PullMerged, c.State == PullClosed:
		return Text(c.State)
	case c.Checks == ChecksFail:
		return cmp.Or(c.Failing, "a check") + " fails" // its name first: a row is narrow
	case c.Review == ReviewChanges:
		return "changes requested"
	}
	checks := map[CheckState]Text{ChecksRun: "checks run", ChecksPass: "passing"}[c.Checks]
	switch {
	case c.Review == ReviewApproved && checks != "":
		return "approved, " + checks
	case c.Review == ReviewApproved:
		return "approved"
	}
	return cmp.Or(checks, "no checks yet")
}

// wakes reports whether c decides something new after was; then it triggers the wait.
func (c Checked) wakes(was Checked) bool {
	decided := (c.Checks == ChecksFail || c.Checks == ChecksPass) && (c.Checks != was.Checks || c.Commit != was.Commit)
	return decided || c.Review != "" && c.Review != was.Review ||
		(c.State == PullMerged || c.State == PullClosed) && c.State != was.State
}

// AskedOf are an item's waits about which a forge is asked; with an empty item, the agent's own waits.
func AskedOf(f Facts, agent AgentID, item ItemID) []Wait {
	return AskedAmong(f.ItemWaits(agent, item))
}

// AskedAmong are the waits of a list about which a forge is asked. The list is not used afterwards.
func AskedAmong(list []Wait) []Wait {
	return slices.DeleteFunc(list, func(x Wait) bool { _, asked := x.Asks(); return !asked })
}

// ForgeTrouble says why a forge cannot be asked about some of an agent's items.
type ForgeTrouble struct {
	Problem Text `json:"problem"`
	// Handles are the items among the first rows of each class.
	Handles []Handle `json:"handles"`
}

// ForgeTroubles are an agent's troubles, the oldest first.
func ForgeTroubles(f Facts, agent AgentID) (out []ForgeTrouble) {
	if f.Count(agent, schedulingTally(waitingExternal)) == 0 {
		return nil
	}
	var all []Wait
	for _, c := range []Class{TriggeredBlocked, BlockedClass, WaitingForOperator} { // of items that can wait for a forge
		for _, r := range f.Rows(agent, c, nil, rankHorizon) {
			if forgeHosts[Forge(r.Wait.Source)] != "" {
				all = append(all, AskedOf(f, agent, r.ID)...)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Wait) int { return x.Checked.Since.Compare(y.Checked.Since) })
	for _, x := range all {
		w, ok := f.Item(x.WorkItemID)
		if !ok || x.Checked.Problem == "" {
			continue
		}
		at := slices.IndexFunc(out, func(t ForgeTrouble) bool { return t.Problem == x.Checked.Problem })
		if at < 0 {
			at, out = len(out), append(out, ForgeTrouble{Problem: x.Checked.Problem})
		}
		out[at].Handles = append(out[at].Handles, w.Handle)
	}
	return out
}

// Words say it in one line.
func (t ForgeTrouble) Words() string {
	s := t.Problem.String() + "; waits for it: " + string(t.Handles[0])
	if more := len(t.Handles) - 1; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// NoteChecks brings a forge's answer about a wait. A decision in it triggers the wait; each comment is a message for the agent,
// once.
type NoteChecks struct {
	WaitID  WaitID  `json:"wait_id"`
	Checked Checked `json:"checked"`
	// Payload is for the trigger: the failing check and the end of its log.
	Payload  Text           `json:"payload,omitempty"`
	Comments []ForgeComment `json:"comments,omitempty"`
}

// ForgeComment is a comment on a pull request. Its id at the forge makes sure that it becomes only one message.
type ForgeComment struct {
	ID   string `json:"id"`
	Text Text   `json:"text"`
}

// MaxForgeComments bounds the comments in one command.
const MaxForgeComments = 200

// checkNews is the data of wait_checked.
type checkNews struct {
	WaitID   WaitID `json:"wait_condition_id"`
	Resource Text   `json:"resource"`
	Checked
}

func (c NoteChecks) step(s *step) error {
	x, err := s.oneWait(c.WaitID)
	if err != nil {
		return err
	}
	if _, ok := x.Asks(); !ok {
		return Refused("no forge is asked about wait %s", x.ID).At("wait_id", "waits of source gh or glab are")
	}
	now, err := c.checked(x)
	if err != nil {
		return err
	}
	s.receipt.AgentID, s.receipt.WorkItemID = x.AgentID, x.WorkItemID
	was := x.Checked
	now.Since = was.Since
	if now != was {
		now.Since = s.at.At
		x.Checked, x.UpdatedAt = now, s.at.At
		s.put(x)
		s.event(EventWaitChecked, x.WorkItemID, checkNews{WaitID: x.ID, Resource: x.Resource, Checked: now})
	}
	if now.Problem == "" && now.wakes(was) {
		s.wake([]Wait{x}, s.from(x.Source, cmp.Or(trimmed(c.Payload), now.Gist())))
	}
	for _, said := range c.Comments {
		s.hear(x, said)
	}
	return nil
}

// checked is the new answer for a wait. If the forge cannot be asked, its earlier answer stays, with the reason.
func (c NoteChecks) checked(x Wait) (Checked, error) {
	now := c.Checked
	problem, err := optional("problem", now.Problem, MaxWaitText)
	if err != nil || problem != "" {
		was := x.Checked
		was.Problem = problem
		return was, err
	}
	if now.Failing, err = optional("failing", now.Failing, MaxWaitText); err != nil {
		return now, err
	}
	switch {
	case !slices.Contains([]PullState{"", PullOpen, PullMerged, PullClosed}, now.State),
		!slices.Contains([]ReviewState{"", ReviewApproved, ReviewChanges}, now.Review),
		!slices.Contains([]CheckState{"", ChecksRun, ChecksFail, ChecksPass}, now.Checks):
		return now, Invalid("unknown state in %q, %q, %q", Text(now.State), Text(now.Review), Text(now.Checks)).At("checked",
			"see docs/json.md")
	case len(c.Payload) > MaxPayload || len(now.Commit) > maxForgeName || len(c.Comments) > MaxForgeComments:
		return now, Invalid("a forge said too much at once").At("checked", "send less")
	}
	return now, nil
}

// hear queues a comment for the agent, unless it was queued before.
func (s *step) hear(x Wait, said ForgeComment) {
	a, ok := s.Agent(x.AgentID)
	body, err := messageBody(said.Text)
	if !ok || err != nil {
		return // text that cannot be a message is skipped
	}
	id := MessageID("ms-" + Hash(string(x.AgentID), x.Resource.Raw(), said.ID)[:32])
	if _, known := s.Message(id); !known {
		s.queue(a, Message{ID: id, WorkItemID: x.WorkItemID, Source: x.Source, Priority: Normal, Body: body})
	}
}

// keepChecked lets a wait begin with the last answer of the wait that it replaces, if both have the same subject.
func keepChecked(x Wait, earlier []Wait) Wait {
	for _, was := range earlier {
		if was.Kind == x.Kind && was.Source == x.Source && was.Resource == x.Resource {
			x.Checked = was.Checked
		}
	}
	return x
}
