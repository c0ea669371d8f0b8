package cli

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"vise/model"
)

// parseTodos reads a whole checklist: a JSON array of todos, or Markdown with one todo a
// line. Empty text is an empty checklist.
func parseTodos(source string) ([]model.Todo, error) {
	source = strings.TrimSpace(strings.TrimPrefix(source, "\ufeff"))
	if _, box := stateOf(source); strings.HasPrefix(source, "[") && !box {
		return jsonTodos(source)
	}
	if strings.HasPrefix(source, "{") {
		return nil, misuse("todos", "the checklist is a JSON object, not an array").WithHint("%s", todosHint)
	}
	return markdownTodos(source)
}

const todosHint = `give [{"text":"…","state":"pending"}] with state pending, in_progress or completed, or lines like - [ ] pending, - [~] in progress, - [x] completed`

func jsonTodos(source string) ([]model.Todo, error) {
	todos := []model.Todo{}
	if err := model.DecodeStrict([]byte(source), &todos); err != nil {
		return nil, misuse("todos", "the checklist is not JSON as expected: %s", model.Text(jsonError(source, err))).WithHint("%s", todosHint)
	}
	return todos, nil
}

// jsonError adds the line to an error that knows its place.
func jsonError(source string, err error) string {
	if at, ok := err.(*json.SyntaxError); ok && int(at.Offset) <= len(source) {
		line := 1 + bytes.Count([]byte(source[:at.Offset]), []byte("\n"))
		return "line " + strconv.Itoa(line) + ": " + err.Error()
	}
	return err.Error()
}

// boxes are the marks of a Markdown task and what they say.
var boxes = map[string]model.TodoState{
	"[ ]": model.TodoPending, "[x]": model.TodoCompleted, "[X]": model.TodoCompleted,
	"[~]": model.TodoInProgress, "[/]": model.TodoInProgress, "[-]": model.TodoInProgress,
}

// stateOf is the state that a line's box says.
func stateOf(line string) (model.TodoState, bool) {
	if len(line) < 3 {
		return "", false
	}
	state, ok := boxes[line[:3]]
	return state, ok
}

func markdownTodos(source string) ([]model.Todo, error) {
	todos := []model.Todo{}
	for i, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for _, bullet := range []string{"- ", "* ", "+ "} {
			line = strings.TrimPrefix(line, bullet)
		}
		state, ok := stateOf(line)
		if !ok {
			return nil, misuse("todos", "line %d of the checklist is no todo: %q", i+1, model.Text(line)).WithHint("%s", todosHint)
		}
		todos = append(todos, model.Todo{Text: model.Text(strings.TrimSpace(line[3:])), State: state})
	}
	return todos, nil
}
