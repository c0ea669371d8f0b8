package model

import (
	"slices"
	"strings"
)

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

// Right is a row of the table of who may do what (docs/codes.md).
type Right struct {
	// Act names the act in words.
	Act string
	// Commands are the names of the commands that do it. A row with Only applies to only some of their acts.
	Commands, Only string
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
	{"make a work item", "CreateWorkItem", "", "yynny"},
	{"change, block, pick or park a work item", "UpdateWorkItem PickWorkItem WaitFor LinkWorkItem Batch", "", "yynny"},
	{"clear or replace a blocker that the operator set", "UpdateWorkItem PickWorkItem WaitFor", onlyOperatorsBlocker, operatorAlone},
	{"complete a work item, report on it", "CompleteWorkItem ReportWorkItem OfferReport Round", "", "yynny"},
	{"complete an item that the operator blocked", "CompleteWorkItem", onlyOperatorsBlocker, operatorAlone},
	{"complete by force", "CompleteWorkItem", onlyForce, operatorAlone},
	{"comment on an agent's changes", "CommentOn SendComments", "", operatorAlone},
	{"answer a question", "Answer", "", operatorAlone},
	{"answer a permission", "AnswerPermission", "", operatorAlone},
	{"ask for a permission, end it", "AskPermission EndPermissions", "", "yynny"},
	{"cancel a wait", "CancelWait", "", "yynnn"},
	{"snooze an entry of the inbox", "Snooze", "", operatorAlone},
	{"acknowledge, decline reports, retry, undo", "Acknowledge DeclineReport Retry Undo", "", operatorAlone},
	{"trigger a wait that asks nothing", "Trigger", "", "yynyy"},
	{"record a forge's answer about a wait", "NoteChecks", "", "ynnyn"},
	{"say something to an agent", "Say", "", "yyyyy"},
	{"interject", "Say", onlyInterject, operatorAlone},
	{"delegate, start and end tasks", "SpawnAgent OpenDelegation CancelDelegation StartTask EndTask", "", "yynny"},
	{"run turns, receive messages", "ClaimTurn BeatTurn EndTurn HandMessages SeeMessages", "", "yynny"},
	{"add an agent, record its session's last text and usage limit, notify the operator",
		"AddAgent KeepSummary KeepUsageLimit NotifyOperator", "", "yyyny"},
	{"remove or rename an agent", "RemoveAgent", "", operatorAlone},
	{"change an agent's settings", "UpdateAgent", "", "yynny"},
	{"set an agent's limits", "UpdateAgent", onlyLimits, "ynnny"},
	{"set the evidence that an agent's completions need", "UpdateAgent", onlyEvidence, "ynnny"},
	{"run the scheduler", "Tick", "", "ynnny"},
	{"make and end a capability", "MintIngress RevokeIngress", "", "yynny"},
	{"deliver through a capability", "DeliverIngress", "", "yyyyy"},
	{"record the state of a file, and its overlaps", "RefreshPlan SavePlan RefreshTodos RefreshTree NoteOverlap", "", "yynyy"},
	{"record the result of a check", "KeepCheck", "", "yynny"},
	{"import", "Import", "", "ynnny"},
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
	s.receipt.Command = CommandName(c)
	if err := s.may(""); err != nil {
		return err
	}
	return c.step(s)
}

// may refuses an act if the table does not allow it to the actor.
func (s *step) may(only string) error {
	for _, r := range Rights {
		if r.Only == only && slices.Contains(strings.Fields(r.Commands), s.receipt.Command) && !r.May(roleOf(s.at.Actor)) {
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
			return Refused("%s may not %s", who, r.Act).At("actor", "%s", hint)
		}
	}
	return nil
}

// mayClear lets only the operator end a blocker that the operator set. A wait that the operator set holds until it is
// triggered; then the agent can end it too.
func (s *step) mayClear(w WorkItem) error {
	triggered := slices.ContainsFunc(s.ItemWaits(w.AgentID, w.ID), func(x Wait) bool {
		return x.Triggered() && (x.Kind != WaitExternal || x.LastTrigger.Actor != s.at.Actor) // an actor cannot clear it by its own trigger
	})
	if w.BlockedBy == "" || w.BlockedByActor != Operator || triggered {
		return nil
	}
	err := s.may(onlyOperatorsBlocker)
	if e, ok := err.(*Error); ok {
		e.Message = string(w.Handle) + ": " + e.Message
	}
	return err
}
