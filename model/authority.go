package model

import "slices"

// Role is an actor's relation to the object of an act. It alone decides whether the act is allowed.
type Role string

// The roles, in the order of the table's columns. The scheduler has none: it can do everything that is not the operator's
// alone, within the rules of each act.
const (
	RoleOperator Role = "operator"
	RoleAgent    Role = "agent"
	// RoleOther is an agent that acts on things of another agent.
	RoleOther    Role = "another agent"
	RoleExternal Role = "external"
	RoleUnknown  Role = "unknown"
)

// Roles are the columns of the table.
var Roles = []Role{RoleOperator, RoleAgent, RoleOther, RoleExternal, RoleUnknown}

// Right is a row of the table of who may do what (docs/lifecycle.md 20).
type Right struct {
	// Act names the act in words.
	Act string
	// Commands are the commands that do it. A row with Only applies to only some of their acts.
	Commands []string
	Only     string
	// may has one letter for each role: y or n.
	may string
}

// The acts that only some commands of a kind do.
const (
	onlyOperatorsBlocker = "operators_blocker"
	onlyForce            = "force"
	onlyInterject        = "interject"
	onlyLimits           = "limits"
	onlyEvidence         = "evidence"
)

// Rights is the table. Each command is in exactly one row without Only.
var Rights = []Right{
	{Act: "make a work item", Commands: []string{"CreateWorkItem"}, may: "yynny"},
	{Act: "change, block, pick or park a work item",
		Commands: []string{"UpdateWorkItem", "PickWorkItem", "WaitFor", "LinkWorkItem", "Batch"}, may: "yynny"},
	{Act: "clear or replace a blocker that the operator set", Commands: []string{"UpdateWorkItem", "PickWorkItem", "WaitFor"},
		Only: onlyOperatorsBlocker, may: operatorAlone},
	{Act: "complete a work item, report on it", Commands: []string{"CompleteWorkItem", "ReportWorkItem", "OfferReport", "Round"},
		may: "yynny"},
	{Act: "complete an item that the operator blocked", Commands: []string{"CompleteWorkItem"},
		Only: onlyOperatorsBlocker, may: operatorAlone},
	{Act: "complete by force", Commands: []string{"CompleteWorkItem"}, Only: onlyForce, may: operatorAlone},
	{Act: "comment on an agent's changes", Commands: []string{"CommentOn", "SendComments"}, may: operatorAlone},
	{Act: "answer a question", Commands: []string{"Answer"}, may: operatorAlone},
	{Act: "answer a permission", Commands: []string{"AnswerPermission"}, may: operatorAlone},
	{Act: "ask for a permission, end it", Commands: []string{"AskPermission", "EndPermissions"}, may: "yynny"},
	{Act: "cancel a wait", Commands: []string{"CancelWait"}, may: "yynnn"},
	{Act: "snooze an entry of the inbox", Commands: []string{"Snooze"}, may: operatorAlone},
	{Act: "acknowledge, decline reports, retry, undo",
		Commands: []string{"Acknowledge", "AcknowledgeAll", "DeclineReport", "Retry", "Undo"}, may: operatorAlone},
	{Act: "trigger a wait that asks nothing", Commands: []string{"Trigger"}, may: "yynyy"},
	{Act: "record a forge's answer about a wait", Commands: []string{"NoteChecks"}, may: "ynnyn"},
	{Act: "say something to an agent", Commands: []string{"Say"}, may: "yyyyy"},
	{Act: "interject", Commands: []string{"Say"}, Only: onlyInterject, may: operatorAlone},
	{Act: "delegate, start and end tasks",
		Commands: []string{"SpawnAgent", "OpenDelegation", "CancelDelegation", "StartTask", "EndTask"}, may: "yynny"},
	{Act: "run turns, receive messages",
		Commands: []string{"ClaimTurn", "BeatTurn", "EndTurn", "HandMessages", "SeeMessages"}, may: "yynny"},
	{Act: "add an agent, record its session's last text and usage limit, notify the operator",
		Commands: []string{"AddAgent", "KeepSummary", "KeepUsageLimit", "NotifyOperator"}, may: "yyyny"},
	{Act: "change an agent's settings", Commands: []string{"UpdateAgent"}, may: "yynny"},
	{Act: "set an agent's limits", Commands: []string{"UpdateAgent"}, Only: onlyLimits, may: "ynnny"},
	{Act: "set the evidence that an agent's completions need", Commands: []string{"UpdateAgent"}, Only: onlyEvidence, may: "ynnny"},
	{Act: "run the scheduler", Commands: []string{"Tick"}, may: "ynnny"},
	{Act: "make and end a capability", Commands: []string{"MintIngress", "RevokeIngress"}, may: "yynny"},
	{Act: "deliver through a capability", Commands: []string{"DeliverIngress"}, may: "yyyyy"},
	{Act: "record the state of a file, and its overlaps",
		Commands: []string{"RefreshPlan", "SavePlan", "RefreshTodos", "RefreshTree", "NoteOverlap"}, may: "yynyy"},
	{Act: "record the result of a check", Commands: []string{"KeepCheck"}, may: "yynny"},
	{Act: "import", Commands: []string{"Import"}, may: "ynnny"},
}

// operatorAlone are the letters of acts that only the operator can do; the scheduler cannot do them either.
const operatorAlone = "ynnnn"

// May reports whether a role can do the act.
func (r Right) May(role Role) bool {
	i := slices.Index(Roles, role)
	return i < 0 && r.may != operatorAlone || i >= 0 && r.may[i] == 'y'
}

// roleOf is an actor's role towards its own things, by its name.
func roleOf(a Actor) Role {
	_, isAgent := a.Agent()
	switch {
	case a == Operator:
		return RoleOperator
	case isAgent:
		return RoleAgent
	case a == Scheduler:
		return ""
	case a.IsExternal():
		return RoleExternal
	}
	return RoleUnknown
}

// judge carries out a command if its actor can do it. The command itself checks whether a thing belongs to the acting agent
// (not_owner).
func (s *step) judge(c Command) error {
	if err := s.may(c.Name(), ""); err != nil {
		return err
	}
	return c.step(s)
}

// may refuses an act if the table does not allow it to the actor.
func (s *step) may(command, only string) error {
	for _, r := range Rights {
		if r.Only == only && slices.Contains(r.Commands, command) && !r.May(roleOf(s.at.Actor)) {
			hint := "say --actor operator if you speak for the operator"
			switch {
			case roleOf(s.at.Actor) == RoleAgent:
				hint = "it is the operator's: tell them what you need, with NotifyOperator or in your reply, and go on with other work"
			case r.May(RoleAgent):
				hint = "say --actor operator or --actor agent:NAME if you speak for one of them"
			}
			who := Text(s.at.Actor)
			if s.at.Actor == "" || s.at.Actor == Unknown {
				who = "an unknown actor"
			}
			return Refuse(CodeRefused, "%s may not %s", who, r.Act).At("actor").WithHint("%s", hint)
		}
	}
	return nil
}

// mayClear lets only the operator end a blocker that the operator set. A wait that the operator set holds until it is
// triggered; then the agent can end it too.
func (s *step) mayClear(w WorkItem, command string) error {
	triggered := slices.ContainsFunc(s.ItemWaits(w.AgentID, w.ID), func(x Wait) bool {
		return x.Triggered() && (x.Kind != WaitExternal || x.LastTrigger.Actor != s.at.Actor) // an actor cannot clear it by its own trigger
	})
	if w.BlockedBy == "" || w.BlockedByActor != Operator || triggered {
		return nil
	}
	err := s.may(command, onlyOperatorsBlocker)
	if e, ok := err.(*Error); ok {
		e.Message = string(w.Handle) + ": " + e.Message
	}
	return err
}
