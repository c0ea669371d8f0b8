package model

import (
	"fmt"
	"strings"
)

// How turns, ticks, messages and capabilities are told.

func tellTurn(d TurnNews) string {
	if d.Outcome == "" {
		return fmt.Sprintf("turn %d began, held by %s", d.Turn, d.Holder)
	}
	s := fmt.Sprintf("turn %d %s after %s", d.Turn, spaced(string(d.Outcome)), counted(d.Rounds, "round"))
	if d.Code != "" {
		s += " (" + string(d.Code) + ")"
	}
	if d.Reason != "" {
		s += ": " + spaced(string(d.Reason))
	}
	return s
}

func tellRound(d RoundNews) string {
	s := fmt.Sprintf("round %d", d.Round)
	if len(d.Calls) > 0 {
		s += " called " + strings.Join(d.Calls, ", ")
	}
	if d.Refused != "" {
		s += " was refused: " + string(d.Refused)
	}
	if d.Text != "" {
		s += ": " + string(d.Text)
	}
	return s
}

func tellTick(d TickNews) string {
	if d.Subsystem == reasonRecheck {
		return counted(d.Count, "blocked work item") + " due for a second look"
	}
	s := "offered: " + spaced(d.Reason)
	if d.Attempt > 1 {
		s += fmt.Sprintf(", attempt %d", d.Attempt)
	}
	return s
}

func tellMessage(d MessageNews) string {
	s := "message"
	if d.Source != "" {
		s += " through " + string(d.Source)
	}
	return s + " (" + string(d.Priority) + "): " + string(d.Text)
}

func tellTask(d TaskNews) string {
	if d.Status == TaskRunning {
		return "task started: " + string(d.Summary)
	}
	s := "task " + string(d.Status) + ": " + string(d.Summary)
	if d.Result != "" {
		first, _, _ := strings.Cut(string(d.Result), "\n")
		s += " (" + first + ")"
	}
	return s
}

func tellIngress(what string) func(IngressNews) string {
	return func(d IngressNews) string { return "capability " + string(d.IngressID) + " " + what }
}
