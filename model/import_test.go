package model

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPartsOfAnImportBringTheWhole imports random records at once, and in parts, some of them twice: the ledgers are
// the same.
func TestPartsOfAnImportBringTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := someImport(t)
		whole, parted := newBook(), newBook()
		at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), Actor: Operator}
		bring := func(b *book, c Command, id string) {
			at.NewID = id
			if _, err := b.apply(at, c); err != nil {
				t.Fatal(err)
			}
		}
		bring(whole, in, "whole")
		bring(parted, AddAgent{AgentID: in.AgentID}, "agent")
		for i, part := range in.Parts(rapid.IntRange(1, 5).Draw(t, "at once"), rapid.IntRange(1, 3000).Draw(t, "bytes")) {
			bring(parted, part, fmt.Sprint(i))
			bring(parted, part, fmt.Sprint(i, "again"))
		}
		for _, x := range []struct{ a, b any }{
			{every[WorkItem](whole), every[WorkItem](parted)}, {every[Task](whole), every[Task](parted)},
			{every[Wait](whole), every[Wait](parted)},
			{len(every[Message](whole)), len(every[Message](parted))},
			{every[Agent](whole), every[Agent](parted)},
		} {
			if !reflect.DeepEqual(x.a, x.b) {
				t.Fatalf("at once:\n%+v\npart by part:\n%+v", x.a, x.b)
			}
		}
	})
}

func someImport(t *rapid.T) Import {
	n := rapid.IntRange(0, 8).Draw(t, "items")
	item := func(label string) ItemID { // one of them, or none
		i := rapid.IntRange(-1, n-1).Draw(t, label)
		if i < 0 {
			return ""
		}
		return ItemID(fmt.Sprint("w", i))
	}
	in := Import{AgentID: "ann", Focus: item("focus")}
	for i := range n {
		state := rapid.SampledFrom([]State{Open, Completed}).Draw(t, "state")
		in.Items = append(in.Items, Imported{Item: WorkItem{ID: ItemID(fmt.Sprint("w", i)), Objective: "o", State: state, PlanStatus: Draft}})
	}
	if twice := item("item that comes twice"); twice != "" {
		in.Items = append(in.Items, Imported{Item: WorkItem{ID: twice, Objective: "o", State: Open, PlanStatus: Draft}})
	}
	tasks := rapid.IntRange(0, 4).Draw(t, "tasks")
	for i := range tasks {
		status := rapid.SampledFrom([]TaskStatus{TaskRunning, TaskFailed}).Draw(t, "status")
		in.Tasks = append(in.Tasks, Task{ID: TaskID(fmt.Sprint("t", i)), WorkItemID: item("task of"), Status: status, Summary: "s"})
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "waits") {
		x := Wait{ID: WaitID(fmt.Sprint("x", i)), WorkItemID: item("wait of"), Kind: WaitExternal, Status: WaitActive, Reason: "r",
			Resource: "run"}
		if tasks > 0 && rapid.Bool().Draw(t, "on a task") {
			x.Kind, x.Resource = WaitTask, Text(fmt.Sprint("t", rapid.IntRange(0, tasks-1).Draw(t, "which")))
		}
		in.Waits = append(in.Waits, x)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "messages") {
		in.Messages = append(in.Messages, Message{ID: MessageID(fmt.Sprint("m", i)), WorkItemID: item("message of"), Priority: Normal, Body: "b"})
	}
	return in
}
