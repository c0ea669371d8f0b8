package model

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// rightsTable is the table of docs/codes.md: Rights, row by row.
func rightsTable() string {
	table := "| act |"
	for _, role := range Roles {
		table += " " + string(role) + " |"
	}
	table += "\n|" + strings.Repeat("---|", len(Roles)+1) + "\n"
	for _, r := range Rights {
		table += "| " + r.Act + " |"
		for _, role := range Roles {
			table += map[bool]string{true: " yes |", false: " no |"}[r.May(role)]
		}
		table += "\n"
	}
	return table
}

// actors has an actor for each role, towards things of ann's.
var actors = map[Role]Actor{
	RoleOperator: Operator, RoleAgent: "agent:ann", RoleOther: "agent:bob", RoleExternal: "external:ci", RoleUnknown: Unknown,
}

// TestEachCellOfTheTableHolds carries out every act in every role, on a ledger where it is possible.
func TestEachCellOfTheTableHolds(t *testing.T) {
	cells := 0
	for _, r := range Rights {
		for _, name := range strings.Fields(r.Commands) {
			for _, role := range Roles {
				b, c := ledgerFor(t, name, r.Only)
				at := Stamp{At: bookTime.Add(time.Hour), NewID: "cell", Actor: actors[role], Agent: "ann"}
				if role == RoleOther && r.May(role) {
					at.Agent = "bob"
				}
				_, err := Step(b, at, c)
				var e *Error
				denied := errors.As(err, &e) && (e.Code == CodeRefused || e.Code == CodeNotOwner)
				if denied == r.May(role) || err != nil && !denied {
					t.Errorf("%s (%s %s) as %s: %v, the table says %v", r.Act, name, r.Only, role, err, r.May(role))
				}
				cells++
			}
		}
	}
	t.Logf("%d cells", cells)
}

// TestEveryCommandHasItsRow: each command is in the table once.
func TestEveryCommandHasItsRow(t *testing.T) {
	for _, name := range commandNames(t) {
		n := 0
		for _, r := range Rights {
			if r.Only == "" && slices.Contains(strings.Fields(r.Commands), name) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s stands in %d rows", name, n)
		}
	}
}

// stepOf matches the method that makes a type a command.
var stepOf = regexp.MustCompile(`(?m)^func \((?:\w+ )?(\w+)\) step\(s \*step\) error`)

// commandNames are the names of all commands.
func commandNames(t *testing.T) []string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		raw, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range stepOf.FindAllSubmatch(raw, -1) {
			out = append(out, string(m[1]))
		}
	}
	if len(out) < 30 {
		t.Fatalf("only %d commands found", len(out))
	}
	return out
}

var bookTime = time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)

// ledgerFor returns a ledger on which a command about ann's things is possible, and the command.
func ledgerFor(t *testing.T, name, only string) (*book, Command) {
	t.Helper()
	b, n := newBook(), 0
	do := func(by Actor, c Command) Receipt {
		t.Helper()
		n++
		ch, err := b.apply(Stamp{At: bookTime.Add(time.Duration(n) * time.Second), NewID: fmt.Sprint(n), Actor: by, Agent: "ann"}, c)
		if err != nil {
			t.Fatalf("%s: %v", CommandName(c), err)
		}
		return ch.Receipt
	}
	ann := AgentActor("ann")
	id := do(ann, CreateWorkItem{Objective: "One"}).WorkItemID
	wait := func(wake Wake) WaitID {
		return do(ann, WaitFor{WorkItemID: id, Reason: "why", Wake: wake, Resource: "run/1"}).WaitID
	}
	done := func() { do(ann, CompleteWorkItem{WorkItemID: id}) }
	objective := Text("Another")
	switch only {
	case onlyOperatorsBlocker:
		do(Operator, UpdateWorkItem{WorkItemID: id, BlockedBy: SetTo("not yet")})
		switch name {
		case "UpdateWorkItem":
			return b, UpdateWorkItem{WorkItemID: id, BlockedBy: Clear()}
		case "PickWorkItem":
			return b, PickWorkItem{WorkItemID: id, ClearBlocker: true, Reason: "now"}
		}
	case onlyForce:
		do(ann, StartTask{WorkItemID: id, Summary: "tests", Blocking: true})
		return b, CompleteWorkItem{WorkItemID: id, Force: true}
	case onlyLimits:
		one := 1
		return b, UpdateAgent{AgentID: "ann", MaxTurnsPerHour: &one}
	case onlyEvidence:
		none := EvidenceNone
		return b, UpdateAgent{AgentID: "ann", Evidence: &none}
	case onlyInterject:
		return b, Say{AgentID: "ann", Text: "stop", Priority: Interject}
	}
	switch name {
	case "CreateWorkItem":
		return b, CreateWorkItem{Objective: objective}
	case "UpdateWorkItem":
		return b, UpdateWorkItem{WorkItemID: id, Objective: &objective}
	case "PickWorkItem":
		return b, PickWorkItem{WorkItemID: id}
	case "WaitFor":
		return b, WaitFor{WorkItemID: id, Reason: "why", Wake: WakeExternal, Resource: "run/2"}
	case "LinkWorkItem":
		return b, LinkWorkItem{WorkItemID: id, Add: Links{Refs: []Ref{{Kind: "issue", Ref: "7"}}}}
	case "Batch":
		return b, Batch{Calls: []Call{{UpdateWorkItem{WorkItemID: id, Objective: &objective}}}}
	case "CompleteWorkItem":
		return b, CompleteWorkItem{WorkItemID: id}
	case "ReportWorkItem":
		done()
		return b, ReportWorkItem{WorkItemID: id, Text: "It is done, and tested."}
	case "OfferReport":
		done()
		return b, OfferReport{WorkItemIDs: []ItemID{id}, Text: "It is done.", Provenance: ReportNearRound}
	case "DeclineReport":
		done()
		do(ann, OfferReport{WorkItemIDs: []ItemID{id}, Text: "It is done.", Provenance: ReportNearRound})
		return b, DeclineReport{WorkItemID: id}
	case "Round":
		return b, Round{Text: "words", Calls: []Call{{UpdateWorkItem{WorkItemID: id, Objective: &objective}}}}
	case "KeepUsageLimit":
		return b, KeepUsageLimit{Until: bookTime.Add(time.Hour)}
	case "KeepSummary":
		return b, KeepSummary{Text: "half of it is done"}
	case "KeepCheck":
		return b, KeepCheck{WorkItemID: id, Command: "go test ./..."}
	case "RefreshTree":
		do(Operator, KeepCheck{WorkItemID: id, Command: "go test ./...", Contents: "before"})
		return b, RefreshTree{WorkItemID: id, Contents: "now"}
	case "NotifyOperator":
		return b, NotifyOperator{Text: "half of it is done"}
	case "Answer":
		return b, Answer{WaitID: wait(WakeOperatorInput), Text: "yes"}
	case "AskPermission":
		return b, AskPermission{AgentID: "ann", Program: "claude", Tool: "Bash"}
	case "AnswerPermission", "EndPermissions":
		asked := do(ann, AskPermission{AgentID: "ann", Program: "claude", Tool: "Bash", AnswerMS: 1 << 40}).PermissionID
		if name == "EndPermissions" {
			return b, EndPermissions{AgentID: "ann", PermissionIDs: []PermissionID{asked}}
		}
		return b, AnswerPermission{AgentID: "ann", PermissionID: asked, Answer: PermitOnce}
	case "CancelWait":
		return b, CancelWait{WaitID: wait(WakeOperatorInput)}
	case "Snooze":
		wait(WakeOperatorInput)
		return b, Snooze{WorkItemID: id}
	case "Acknowledge":
		wait(WakeOperatorInput)
		return b, Acknowledge{WorkItemID: id}
	case "CommentOn", "SendComments":
		comment := CommentOn{WorkItemID: id, File: "a.go", Text: "why?"}
		if name == "CommentOn" {
			return b, comment
		}
		do(Operator, comment)
		return b, SendComments{WorkItemID: id}
	case "Retry":
		return b, Retry{AgentID: "ann"}
	case "Undo":
		undo := *do(Operator, UpdateWorkItem{WorkItemID: id, BlockedBy: SetTo("not yet")}).Inverse
		undo.What = "blocked it"
		return b, undo
	case "NoteChecks":
		asks := WaitFor{WorkItemID: id, Reason: "why", Wake: WakeExternal, Source: "gh", Resource: "github:acme/gateway#7"}
		return b, NoteChecks{WaitID: do(ann, asks).WaitID, Checked: Checked{Checks: ChecksPass}}
	case "Trigger":
		return b, Trigger{WaitID: wait(WakeExternal), Payload: "passed"}
	case "Say":
		return b, Say{AgentID: "ann", Text: "hello"}
	case "SpawnAgent":
		return b, SpawnAgent{AgentID: "kid", InitialMessage: "help", Preset: PublicNamed}
	case "OpenDelegation":
		return b, OpenDelegation{WorkItemID: id, To: "kid", Objective: "help"}
	case "CancelDelegation":
		return b, CancelDelegation{DelegationID: do(ann, OpenDelegation{WorkItemID: id, To: "kid", Objective: "help"}).DelegationID}
	case "StartTask":
		return b, StartTask{WorkItemID: id, Summary: "tests"}
	case "EndTask":
		return b, EndTask{TaskID: do(ann, StartTask{WorkItemID: id, Summary: "tests"}).TaskID, Status: TaskCompleted}
	case "ClaimTurn":
		return b, ClaimTurn{AgentID: "ann", Holder: "drive"}
	case "BeatTurn", "EndTurn":
		turn := do(ann, ClaimTurn{AgentID: "ann", Holder: "drive", TTLMS: maxLease.Milliseconds()}).Turn
		bookLater := b.agent("ann")
		t2 := *bookLater.Turn
		t2.ExpiresAt = bookTime.Add(2 * time.Hour)
		bookLater.Turn = &t2
		b.put(bookLater)
		if name == "BeatTurn" {
			return b, BeatTurn{AgentID: "ann", Turn: turn}
		}
		return b, EndTurn{AgentID: "ann", Turn: turn, Outcome: TurnCompleted}
	case "HandMessages":
		return b, HandMessages{AgentID: "ann"}
	case "SeeMessages":
		return b, SeeMessages{AgentID: "ann"}
	case "RemoveAgent":
		b.put(Agent{ID: "kid"})
		return b, RemoveAgent{AgentID: "kid"}
	case "AddAgent":
		return b, AddAgent{AgentID: "kid"}
	case "UpdateAgent":
		on := true
		return b, UpdateAgent{AgentID: "ann", AutoPick: &on}
	case "Tick":
		return b, Tick{AgentID: "ann"}
	case "MintIngress":
		return b, MintIngress{AgentID: "ann", TokenHash: someHash}
	case "RevokeIngress":
		return b, RevokeIngress{IngressID: do(ann, MintIngress{AgentID: "ann", TokenHash: someHash}).IngressID}
	case "DeliverIngress":
		return b, DeliverIngress{IngressID: do(ann, MintIngress{AgentID: "ann", TokenHash: someHash}).IngressID, Payload: "words"}
	case "RefreshPlan":
		return b, RefreshPlan{WorkItemID: id, Plan: PlanArtifact{Condition: PlanMissing}}
	case "SavePlan":
		return b, SavePlan{WorkItemID: id, Base: b.item(id).PlanArtifact.Hash, Plan: PlanArtifact{Condition: PlanMissing}, InFile: true}
	case "NoteOverlap":
		other := OpenDelegation{WorkItemID: id, To: "kid", Objective: "help"}
		return b, NoteOverlap{WorkItemID: id, With: do(ann, other).ChildWorkItemID, File: "a.go"}
	case "RefreshTodos":
		return b, RefreshTodos{WorkItemID: id}
	case "Import":
		return b, Import{AgentID: "ann"}
	}
	t.Fatalf("how to do %s is not known", name)
	return nil, nil
}
