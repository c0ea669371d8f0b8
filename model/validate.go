package model

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// trimmed is t without surrounding white space.
func trimmed(t Text) Text { return Text(strings.TrimSpace(string(t))) }

// required checks a text field: not empty, valid UTF-8, at most limit scalars.
func required(field string, t Text, limit int) (Text, error) {
	t = trimmed(t)
	if t == "" {
		return "", Refuse(CodeInvalid, "%s must not be empty", field).At(field).WithHint("give %s some words", field)
	}
	return optional(field, t, limit)
}

// optional checks a text field that may be empty.
func optional(field string, t Text, limit int) (Text, error) {
	t = trimmed(t)
	if !utf8.ValidString(string(t)) {
		return "", Refuse(CodeInvalid, "%s is not UTF-8 text", field).At(field).WithHint("send text in UTF-8")
	}
	if n := utf8.RuneCountInString(string(t)); n > limit {
		return "", Refuse(CodeInvalid, "%s has %d characters, at most %d are kept", field, n, limit).At(field).
			WithHint("shorten it; details belong in plan.md")
	}
	return t, nil
}

func validPlanStatus(p PlanStatus) error {
	switch p {
	case Draft, Ready, NeedsInput:
		return nil
	}
	return Refuse(CodeInvalid, "unknown plan_status %q", Text(p)).At("plan_status").WithHint("use draft, ready or needs_input")
}

// validTodos checks a whole checklist and returns it trimmed. More than one todo in
// progress is only worth a warning.
func validTodos(list []Todo) ([]Todo, []Warning, error) {
	if len(list) > MaxTodos {
		return nil, nil, Refuse(CodeInvalid, "todo_list has %d todos, at most %d are kept", len(list), MaxTodos).At("todo_list").
			WithHint("a checklist is short; scope belongs in plan.md")
	}
	out := make([]Todo, len(list))
	running := 0
	for i, t := range list {
		field := fmt.Sprintf("todo_list[%d]", i)
		text, err := required(field+".text", t.Text, MaxTodoText)
		if err != nil {
			return nil, nil, err
		}
		if err := validTodoState(field, t.State); err != nil {
			return nil, nil, err
		}
		if t.State == TodoInProgress {
			running++
		}
		out[i] = Todo{Text: text, State: t.State}
	}
	if running > 1 {
		return out, []Warning{{Kind: WarnManyInProgress, Message: fmt.Sprintf("%d todos are in progress; normally one is", running)}}, nil
	}
	return out, nil, nil
}

func validTodoState(field string, s TodoState) error {
	switch s {
	case TodoPending, TodoInProgress, TodoCompleted:
		return nil
	}
	return Refuse(CodeInvalid, "%s: unknown todo state %q", field, Text(s)).At("todo_list").
		WithHint(`a todo is {"text":"…","state":"pending"}; its state is pending, in_progress or completed`)
}

// validDecisions checks what a completion says of linked todos; what a decision may be is
// model/todo's to say.
func validDecisions(d map[string]Text) error {
	if len(d) > MaxTodos {
		return Refuse(CodeInvalid, "linked_todos has %d decisions, at most %d are kept", len(d), MaxTodos).At("linked_todos")
	}
	for ref, word := range d {
		if _, err := required("linked_todos["+Text(ref).String()+"]", word, MaxReason); err != nil {
			return err
		}
	}
	return nil
}
