package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each act on a file todo, in each state in which one can be: the earlier program and today's answer the same and leave
// the same files.
func TestTheEarlierProgramChangesTodosTheSame(t *testing.T) {
	earlier, today := bothPrograms(t)
	var total tally
	l := newTrial(t, 0, earlier, today)
	for _, line := range beginning[:4] {
		l.act(line)
	}
	for _, state := range strings.Split(strings.TrimSpace(todoStates), "\n") {
		for _, line := range tableOf(todoActs) {
			l.over = false
			for _, w := range l.sides {
				w.writeTodos(state)
			}
			l.done = []string{state}
			done := l.carryOut(l.fill(line))
			if strings.HasPrefix(done, "exit 0") {
				l.tally.kinds["that were carried out"]++
			}
			l.act("todo show review/001 --json")
			var got [2]string
			for i, w := range l.sides {
				got[i] = w.todoFiles()
			}
			l.compare("todo files after "+line, got)
			l.tally.files += strings.Count(got[0], ".md\n")
		}
	}
	if n := l.tally.kinds["that were carried out"]; n < 150 {
		t.Errorf("only %d acts were carried out", n)
	}
	l.end()
	total.add(l.tally)
	total.print(t)
}

// todoStates are what differs in a todo's front matter from aTodo, and in that of the todo on which it can depend.
const todoStates = `
status: pending
status: ready
status: ready · dependencies: ["review/002"]
status: ready · assigned_to: "ben"
status: in_progress · assigned_to: "ann" · claimed_at: "2026-03-01T09:00:00Z" · lease: {id: "first", until: "2099-03-01T10:00:00Z"}
status: in_progress · assigned_to: "ann" · claimed_at: "2026-03-01T09:00:00Z" · lease: {id: "first", until: "2026-03-01T10:00:00Z"}
status: in_progress
status: blocked · assigned_to: "ann" · claimed_at: "2026-03-01T09:00:00Z" · dependencies: ["review/002"]
status: blocked · assigned_to: "ann" · claimed_at: "2026-03-01T09:00:00Z" · dependencies: ["review/003"]
status: interrupted · assigned_to: "ann" · claimed_at: "2026-03-01T09:00:00Z"
status: complete · resolution: fixed · resolution_reason: "done" · resolved_by: "ann" · resolved_at: "2026-03-01T09:00:00Z" · completed_by: "ann" · completed_at: "2026-03-01T09:00:00Z"
status: wont_fix · resolution: false_positive · resolution_reason: "constant" · resolved_by: "user" · resolved_at: "2026-03-01T09:00:00Z"
status: wont_fix · resolution: duplicate · resolution_reason: "same" · resolved_by: "user" · resolved_at: "2026-03-01T09:00:00Z" · duplicate_of: "review/002" · related_todos: ["review/002"]
status: nothing
`

// todoActs are acts of the owner, of another agent and of the operator.
const todoActs = `
todo start review/001 --as ann --json
todo start review/001 --as ben --approve --json
todo start review/001 --force --json
todo start review/001 --as ann --fence first --json
todo next --claim --as ben --json
todo complete review/001 --reason works --as ann --json
todo complete review/001 --reason works --as ann --fence first --json
todo complete review/001 --reason works --as ben --json
todo complete review/001 --reason works
todo complete review/001 --as ann --json
todo block review/001 --on review/002 --as ann --json
todo block review/001 --on review/003 --reason later --as ann --fence first --json
todo block review/001 --on review/001 --as ann --json
todo interrupt review/001 --reason tired --as ann --json
todo interrupt review/001 --as ben --json
todo resume review/001 --json
todo resume --json
todo log review/001 tested --did all --as ann --json
todo resolve review/001 no --wont-fix --json
todo resolve review/001 no --false-positive --as ben --json
todo resolve review/001 same --duplicate-of review/002 --json
todo resolve review/001 --superseded --json
todo resolve review/001 --undo --json
todo reopen review/001 again --json
todo reopen review/001 again --as ann --json
todo triage review/001 --approve --json
todo triage review/001 --wont-fix --reason no --json
todo triage review/001 --defer --json
todo triage review/001 --undo --json
todo triage --json
todo list --json
todo validate --json
todo validate --fix --json
todo cleanup --session tmp/review/7 --json
`

const aTodo = `---
schema_version: 2
status: ready
priority: p2
issue_id: "ISSUE"
source: review
tags: []
dependencies: []
files: ["limit.go:3"]
assigned_to: null
created: "2026-02-25"
updated: "2026-02-25"
resolution: null
resolution_reason: ""
resolved_by: ""
resolved_at: ""
claimed_at: ""
completed_by: ""
completed_at: ""
duplicate_of: ""
related_todos: []
---

# Finding ISSUE

## Problem Statement

The limiter leaks a timer.

## Work Log

## Status History

| Timestamp | From | To | Actor | Reason |
|-----------|------|----|-------|--------|
`

// writeTodos writes the session anew: a todo in this state, one that is ready and one that is complete.
func (w *side) writeTodos(state string) {
	dir := filepath.Join(w.dir, "repo", "tmp", "review", "7", "todos")
	must(w.t, os.RemoveAll(dir))
	must(w.t, os.MkdirAll(filepath.Join(dir, "review"), 0o700))
	complete := regexp.MustCompile(`(?m)^status: complete.*$`).FindString(todoStates)
	for i, state := range []string{state, "status: ready", complete} {
		issue := fmt.Sprintf("%03d", i+1)
		text := strings.ReplaceAll(aTodo, "ISSUE", issue)
		for _, line := range strings.Split(state, " · ") {
			key, _, _ := strings.Cut(line, ":")
			at := regexp.MustCompile(`(?m)^` + key + `: .*$`)
			if !at.MatchString(text) { // a lease stands behind the claim
				line, at = "$0\n"+line, regexp.MustCompile(`(?m)^claimed_at: .*$`)
			}
			text = at.ReplaceAllString(text, line)
		}
		must(w.t, os.WriteFile(filepath.Join(dir, "review", issue+"-ready-p2-finding.md"), []byte(text), 0o600))
	}
}

func (w *side) todoFiles() string {
	files, err := filepath.Glob(filepath.Join(w.dir, "repo", "tmp", "review", "7", "todos", "*", "*"))
	must(w.t, err)
	var out strings.Builder
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(w.t, err)
		fmt.Fprintf(&out, "%s\n%s\n", file, raw)
	}
	return out.String()
}
