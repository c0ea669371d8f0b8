package todo

import (
	"slices"
	"time"

	"vise/model"
)

// Schema is the version that new files carry. Files of version 1, or without one, are read.
const Schema = 2

// Todo is one file todo as its front matter tells it, with what the body adds:
// title, history, and the day of the last Work Log entry.
type Todo struct {
	Source   string   `json:"source"`
	IssueID  string   `json:"issue_id"`
	Schema   int      `json:"schema_version"`
	Status   Status   `json:"status"`
	Priority Priority `json:"priority"`
	// Title is the body's first heading, or a legacy title field.
	Title model.Text `json:"title"`
	Origin
	Tags         []model.Text `json:"tags"`
	Files        []model.Text `json:"files"`
	Dependencies []Ref        `json:"dependencies"`
	Related      []Ref        `json:"related_todos"`
	Claim
	Outcome
	// Created and Updated are days, "2026-02-25"; some releases wrote times.
	Created model.Text `json:"created"`
	Updated model.Text `json:"updated"`
	Computed
	// File is the name below the source's directory. It never changes.
	File    string `json:"file"`
	History []Row  `json:"history,omitempty"`
	// LastWork is the date in the heading of the last Work Log entry.
	LastWork model.Text `json:"last_work,omitempty"`
	// Notes are what the reader had to tolerate.
	Notes []Problem `json:"notes,omitempty"`
}

// Origin says where a todo came from.
type Origin struct {
	// SourceRef is the TOME or plan, as a path; with FindingID it identifies a finding.
	SourceRef       model.Text   `json:"source_ref"`
	FindingID       model.Text   `json:"finding_id"`
	FindingSeverity model.Text   `json:"finding_severity"`
	WorkflowChain   []model.Text `json:"workflow_chain"`
	// WorkSession is schema 1's session; it is read, never written.
	WorkSession model.Text `json:"work_session,omitempty"`
}

// Claim says who works on a todo.
type Claim struct {
	AssignedTo model.Text `json:"assigned_to"`
	ClaimedAt  model.Text `json:"claimed_at"`
	FixerClaim model.Text `json:"mend_fixer_claim,omitempty"`
	Lease      Lease      `json:"lease,omitzero"`
}

// Outcome says how a todo ended.
type Outcome struct {
	Resolution  Resolution `json:"resolution"`
	Reason      model.Text `json:"resolution_reason"`
	ResolvedBy  model.Text `json:"resolved_by"`
	ResolvedAt  model.Text `json:"resolved_at"`
	CompletedBy model.Text `json:"completed_by"`
	CompletedAt model.Text `json:"completed_at"`
	DuplicateOf Ref        `json:"duplicate_of"`
}

// Computed is the place in the dependency graph, counted from 1; 0 is not computed.
type Computed struct {
	ExecutionOrder int `json:"execution_order"`
	// Wave is another tool's key: read and kept.
	Wave int `json:"wave"`
}

// Ref is the todo's qualified id.
func (t Todo) Ref() Ref { return NewRef(t.Source, t.IssueID) }

// HasTags reports whether t carries every one of tags.
func (t Todo) HasTags(tags []model.Text) bool {
	for _, tag := range tags {
		if !slices.Contains(t.Tags, tag) {
			return false
		}
	}
	return true
}

// Stamp is how a moment is written into a file: UTC, to the second.
func Stamp(at time.Time) model.Text {
	if at.IsZero() {
		return ""
	}
	return model.Text(at.UTC().Format(time.RFC3339))
}

// Day is how a date is written into a file.
func Day(at time.Time) model.Text { return model.Text(at.UTC().Format(time.DateOnly)) }

// TimeOf reads a moment as files write it: an ISO time, or a day, which is its first moment.
func TimeOf(s model.Text) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if at, err := time.Parse(layout, s.Raw()); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
