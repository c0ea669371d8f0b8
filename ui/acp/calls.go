package acp

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	acp "github.com/coder/acp-go-sdk"
)

// Call is a tool call, as its updates told it so far.
type Call struct {
	ID        acp.ToolCallId
	Title     string
	Kind      acp.ToolKind
	Status    acp.ToolCallStatus
	Input     any
	Output    any
	Content   []acp.ToolCallContent
	Locations []acp.ToolCallLocation
}

// With returns the call with what an update adds.
func (c Call) With(u acp.ToolCallUpdate) Call {
	c.ID = u.ToolCallId
	if u.Title != nil {
		c.Title = *u.Title
	}
	if u.Kind != nil {
		c.Kind = *u.Kind
	}
	if u.Status != nil {
		c.Status = *u.Status
	}
	if m, isMap := u.RawInput.(map[string]any); u.RawInput != nil && (!isMap || len(m) > 0) {
		c.Input = u.RawInput
	}
	if u.RawOutput != nil {
		c.Output = u.RawOutput
	}
	if len(u.Content) > 0 {
		c.Content = u.Content
	}
	if len(u.Locations) > 0 {
		c.Locations = u.Locations
	}
	return c
}

// Words describe a call to a person: what it does, and its arguments.
func (c Call) Words() (tool, input string) {
	tool = cmp.Or(strings.TrimSpace(c.Title), string(c.Kind), "a tool")
	if command, ok := in(c.Input, "command").(string); ok {
		return tool, command
	}
	for _, x := range c.Content {
		if x.Diff != nil {
			input += x.Diff.Path + "\n" + x.Diff.NewText + "\n"
		}
	}
	if input += c.texts(); c.Input != nil && input == "" {
		raw, _ := json.Marshal(c.Input) // what was decoded marshals
		input = string(raw)
	}
	return tool, strings.TrimSpace(input)
}

// texts are the texts of the call's content.
func (c Call) texts() string {
	var all []string
	for _, x := range c.Content {
		if x.Content != nil && x.Content.Content.Text != nil {
			all = append(all, x.Content.Content.Text.Text)
		}
	}
	return strings.Join(all, "\n")
}

// Field is a field of a form.
type Field struct {
	// Words ask for it. Choices are its values, if they are listed.
	Name, Words string
	Choices     []string
	kind        string
}

// Fields returns the fields of a form, by name.
func Fields(form acp.UnstableCreateElicitationForm) (out []Field) {
	for _, name := range slices.Sorted(maps.Keys(form.RequestedSchema.Properties)) {
		f := Field{Name: name, Words: name}
		m, _ := form.RequestedSchema.Properties[name].(map[string]any)
		f.kind, _ = m["type"].(string)
		for _, of := range []string{"title", "description"} {
			if s, ok := m[of].(string); ok && s != "" {
				f.Words = s
			}
		}
		list, _ := m["enum"].([]any)
		for _, x := range list {
			if s, ok := x.(string); ok {
				f.Choices = append(f.Choices, s)
			}
		}
		if f.kind == "boolean" {
			f.Choices = []string{"yes", "no"}
		}
		out = append(out, f)
	}
	return out
}

// Value reads an answer as the field's value.
func (f Field) Value(answer string) (any, bool) {
	answer = strings.TrimSpace(answer)
	switch f.kind {
	case "boolean":
		return slices.Contains([]string{"yes", "y", "true"}, strings.ToLower(answer)), true
	case "integer", "number":
		n, err := strconv.ParseFloat(answer, 64)
		return n, err == nil
	}
	return answer, true
}
