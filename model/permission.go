package model

import (
	"slices"
	"time"
	"unicode/utf8"
)

// Permission is a prompt of an agent's program that asks whether it can use a tool. The agent keeps it only while the prompt
// waits (docs/lifecycle.md 23).
type Permission struct {
	ID PermissionID `json:"permission_id"`
	// Program and Session are where the prompt waits; a subagent of the session can be the one that asks.
	Program  Text `json:"program"`
	Session  Text `json:"session_id"`
	Subagent Text `json:"subagent,omitempty"`
	// Tool is the tool, Input the beginning of its arguments.
	Tool  Text `json:"tool"`
	Input Text `json:"input,omitempty"`
	// Process is the program's process; the prompt ends with it.
	Process Process   `json:"process,omitzero"`
	AskedAt time.Time `json:"asked_at"`
	// AnswerUntil is the end of the program's wait for an answer given here; zero: only the program itself asks.
	AnswerUntil time.Time `json:"answer_until,omitzero"`
	// CanAlways: the program accepts "always" as an answer.
	CanAlways bool `json:"can_always,omitempty"`
	// Answer is the operator's answer; it is set until the program takes it.
	Answer PermissionAnswer `json:"answer,omitempty"`
	// Refused: nobody was there to answer, so the program was told no. It stays until it is hidden.
	Refused bool `json:"refused,omitempty"`
}

// PermissionID identifies a prompt.
type PermissionID string

// PermissionAnswer is the operator's answer to a prompt.
type PermissionAnswer string

// The answers. The program keeps an "always" and no longer asks about such a use.
const (
	PermitOnce   PermissionAnswer = "once"
	PermitAlways PermissionAnswer = "always"
	PermitDeny   PermissionAnswer = "deny"
)

// PermissionPrefix is the prefix of the ids of permissions.
const PermissionPrefix = "pm-"

const (
	// maxPermissions bounds the prompts that an agent keeps; nobody would look through more.
	maxPermissions = 20
	// maxPermissionInput bounds the kept part of a tool's arguments, in Unicode scalars.
	maxPermissionInput = 2000
	// MaxPermissionAge is the age at which a prompt is over if its process cannot be checked.
	MaxPermissionAge = 24 * time.Hour
)

// PermissionInput is the kept part of a tool's arguments. It says how much was cut off, so that nobody permits a hidden part
// without knowing.
func PermissionInput(all Text) Text {
	kept := cut(all, maxPermissionInput)
	if more := utf8.RuneCountInString(string(all[len(kept):])); more > 0 {
		kept += Textf(" … and %s more", Counted(more, "character"))
	}
	return kept
}

// Over reports whether the prompt no longer waits; alive says whether a process runs.
func (p Permission) Over(now time.Time, alive func(Process) bool) bool {
	return now.Sub(p.AskedAt) > MaxPermissionAge || p.Process.PID != 0 && !alive(p.Process)
}

// words are the prompt on one line.
func (p Permission) words() Text {
	if p.Input == "" {
		return p.Tool
	}
	return p.Tool + ": " + Text(squeezed(p.Input))
}

// PermissionOf finds the permission with an id, and its agent.
func PermissionOf(r Reader, id PermissionID) (p Permission, agent AgentID, ok bool) {
	r.Inbox(NeedPermit, func(x Inboxed) bool {
		agent = x.AgentID
		ok = x.ID == ItemID(id)
		return !ok
	})
	if !ok {
		return p, "", false
	}
	a, _ := r.Agent(agent)
	i := a.permission(id)
	if i < 0 {
		return p, "", false
	}
	return a.Permissions[i], agent, true
}

func (a Agent) permission(id PermissionID) int {
	return slices.IndexFunc(a.Permissions, func(p Permission) bool { return p.ID == id })
}

// AskPermission says that a program waits for the operator's permission.
type AskPermission struct {
	AgentID  AgentID `json:"agent_id"`
	Program  Text    `json:"program"`
	Session  Text    `json:"session_id"`
	Subagent Text    `json:"subagent,omitempty"`
	Tool     Text    `json:"tool"`
	Input    Text    `json:"input,omitempty"`
	Process  Process `json:"process,omitzero"`
	// AnswerMS is how many milliseconds the program waits for an answer given here.
	AnswerMS  int64 `json:"answer_ms,omitempty"`
	CanAlways bool  `json:"can_always,omitempty"`
	// Refused means that nobody was there to answer, so the program was told no. The prompt stays as a note of that.
	Refused bool `json:"refused,omitempty"`
}

// AnswerPermission is the operator's answer; the program takes it later.
type AnswerPermission struct {
	AgentID      AgentID          `json:"agent_id"`
	PermissionID PermissionID     `json:"permission_id"`
	Answer       PermissionAnswer `json:"answer"`
}

// EndPermissions says that prompts of an agent are over.
type EndPermissions struct {
	AgentID       AgentID        `json:"agent_id"`
	PermissionIDs []PermissionID `json:"permission_ids"`
}

// permissionEvent is the data of the events of a permission.
type permissionEvent struct {
	PermissionID PermissionID     `json:"permission_id"`
	Program      Text             `json:"program,omitempty"`
	Tool         Text             `json:"tool,omitempty"`
	Input        Text             `json:"input,omitempty"`
	Answer       PermissionAnswer `json:"answer,omitempty"`
}

// describePermission says what happened to a permission.
func describePermission(what string) func(permissionEvent) string {
	return func(d permissionEvent) string {
		words := what + ": " + string(Permission{Tool: d.Tool, Input: d.Input}.words())
		if d.Answer != "" {
			words += ": " + string(d.Answer)
		}
		return words
	}
}

func (c AskPermission) step(s *step) error {
	tool, err := required("tool", c.Tool, MaxReason)
	if err != nil {
		return err
	}
	a, err := s.ownAgent(c.AgentID)
	if err != nil {
		return err
	}
	p := Permission{ID: PermissionID(s.newID(PermissionPrefix)), Program: cut(c.Program, rowText), Session: cut(c.Session, rowText),
		Subagent: cut(c.Subagent, rowText), Tool: tool, Input: PermissionInput(c.Input), Process: c.Process, AskedAt: s.at.At,
		CanAlways: c.CanAlways}
	switch {
	case c.Refused:
		p.Refused, p.Answer, p.Process = true, PermitDeny, Process{}
	case c.AnswerMS > 0:
		p.AnswerUntil = s.at.At.Add(time.Duration(c.AnswerMS) * time.Millisecond)
	}
	kept := slices.DeleteFunc(slices.Clone(a.Permissions), func(x Permission) bool {
		return c.Refused && x.Refused && x.Tool == p.Tool && x.Input == p.Input
	})
	if i := slices.IndexFunc(kept, func(x Permission) bool { return x.Refused }); i >= 0 && len(kept) >= maxPermissions {
		kept = slices.Delete(kept, i, i+1)
	}
	if len(kept) >= maxPermissions {
		return Refused("agent %s waits for %d permissions already", a.ID, len(kept)).At("agent_id",
			"answer them where they are asked")
	}
	a.Permissions = append(kept, p)
	s.put(a)
	s.receipt.PermissionID = p.ID
	s.event(EventPermissionAsked, "", permissionEvent{PermissionID: p.ID, Program: p.Program, Tool: p.Tool, Input: p.Input})
	return nil
}

// ownAgent is the agent that a command about the agent itself names; an unknown one is created.
func (s *step) ownAgent(id AgentID) (Agent, error) {
	if caller, isAgent := s.at.Actor.Agent(); isAgent && caller != id {
		return Agent{}, Refuse(CodeNotOwner, "agent %s is not you", Text(id)).At("agent_id", "act for yourself")
	}
	a, err := s.agent(id)
	s.receipt.AgentID = id
	return a, err
}

func (c AnswerPermission) step(s *step) error {
	a, ok := s.Agent(c.AgentID)
	if !ok {
		return unknownAgent(c.AgentID)
	}
	i := a.permission(c.PermissionID)
	if i < 0 {
		return Refuse(CodeStale, "permission %s is not asked for any more", Text(c.PermissionID)).At("permission_id",
			"vise inbox lists what is")
	}
	if err := oneOf("answer", c.Answer, PermitOnce, PermitAlways, PermitDeny); err != nil {
		return err
	}
	p := a.Permissions[i]
	switch {
	case p.Answer == c.Answer:
	case p.Answer != "":
		return Refuse(CodeStale, "permission %s was answered: %s", p.ID, Text(p.Answer)).At("permission_id",
			"%s", p.howToAnswer())
	case !p.AnswerUntil.After(s.at.At):
		return Refused("permission %s is answered in %s, not here", p.ID, p.Program).At("permission_id",
			"answer it there; permissions: ask_here in the agent's configuration has it asked here for a while")
	case c.Answer == PermitAlways && !p.CanAlways:
		return Refused("the program %s takes no \"always\" for permission %s", p.Program, p.ID).At("answer",
			"use once or deny")
	}
	s.receipt.AgentID, s.receipt.PermissionID = a.ID, p.ID
	if p.Answer == c.Answer {
		return nil
	}
	a.Permissions = slices.Clone(a.Permissions)
	a.Permissions[i].Answer = c.Answer
	s.put(a)
	s.event(EventPermissionAnswered, "", permissionEvent{PermissionID: p.ID, Tool: p.Tool, Answer: c.Answer})
	return nil
}

func (c EndPermissions) step(s *step) error {
	a, err := s.agentFor(c.AgentID, "end permissions of")
	if err != nil {
		return err
	}
	var left []Permission
	for _, p := range a.Permissions {
		if !slices.Contains(c.PermissionIDs, p.ID) {
			left = append(left, p)
			continue
		}
		s.event(EventPermissionEnded, "", permissionEvent{PermissionID: p.ID, Tool: p.Tool, Answer: p.Answer})
	}
	if len(left) < len(a.Permissions) {
		a.Permissions = left
		s.put(a)
	}
	return nil
}

// permissionNeeds are the prompts of an agent as entries of the inbox. The wait's instant is until when an answer given here
// arrives.
func permissionNeeds(a Agent) (out []Inboxed) {
	for _, p := range a.Permissions {
		need := ownNeed(a.ID, NeedPermit, reasonAgentPermission, ItemID(p.ID), p.words(), p.AskedAt)
		wait := &need.Row.Wait
		*wait = WaitGist{Source: p.Program, Resource: p.Session, WakeAt: p.AnswerUntil}
		if p.Answer != "" {
			wait.WakeAt, wait.TriggeredBy = time.Time{}, Text(p.Answer)
		}
		if p.Refused {
			wait.TriggeredBy += ", as nobody was there"
		}
		out = append(out, need)
	}
	return out
}

// permissionNeed is a prompt as an entry of the inbox, with the lines that explain it.
func permissionNeed(f Facts, agent AgentID, p Permission) (x Inboxed, lines []whyLine) {
	a, _ := f.Agent(agent)
	x = permissionNeeds(a)[a.permission(p.ID)]
	return x, []whyLine{
		{"Class", "needs you: " + p.Program + " waits for your permission"}, {"Tool", p.Tool}, {"With", p.Input},
		{"Session", p.Session}, {"Answer", p.howToAnswer()},
	}
}

// howToAnswer says where the prompt can be answered.
func (p Permission) howToAnswer() Text {
	switch {
	case p.Refused:
		return "nobody was there, so " + p.Program + " was told no; vise hide " + Text(p.ID) + " hides this"
	case p.Answer != "":
		return Text(p.Answer) + "; " + p.Program + " has not taken it yet"
	case p.AnswerUntil.IsZero():
		return "in " + p.Program
	}
	return "until " + Text(p.AnswerUntil.Format(time.RFC3339)) + " with vise permit " + Text(p.ID) + ", then in " + p.Program
}

// Permission is the permission in the row; ok is false for all other rows.
func (r Row) Permission() (id PermissionID, ok bool) {
	return PermissionID(r.ID), r.IsPermission()
}

// IsPermission reports whether the row is a permission.
func (r Row) IsPermission() bool { return r.ReasonCode == reasonAgentPermission }

// PermitsHere reports whether the row is a permission that can be answered here at now.
func (r Row) PermitsHere(now time.Time) bool {
	return r.IsPermission() && r.Wait.WakeAt.After(now)
}
