package acp

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	// Words ask for it. Choices are the titles of its values, if they are listed.
	Words   string
	Choices []string
	name    string
	kind    string
	values  []any
	// other is the field for an answer that is none of the choices, or "".
	other string
}

// Fields returns the fields of a form, by name.
func Fields(form acp.UnstableCreateElicitationForm) (out []Field) {
	all := form.RequestedSchema.Properties
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if base, isOther := strings.CutSuffix(name, "_custom"); isOther && all[base] != nil { // Claude Code
			continue
		}
		f := Field{name: name, Words: name}
		of := all[name]
		f.kind, _ = in(of, "type").(string)
		for _, x := range []string{"title", "description"} {
			if s, ok := in(of, x).(string); ok && s != "" {
				f.Words = s
			}
		}
		if f.kind == "boolean" {
			f.Choices, f.values = []string{"yes", "no"}, []any{true, false}
		}
		if f.kind == "array" {
			of = in(of, "items")
		}
		for _, list := range []string{"enum", "oneOf", "anyOf"} {
			values, _ := in(of, list).([]any)
			for _, x := range values {
				value := cmp.Or(in(x, "const"), x)
				f.values = append(f.values, value)
				f.Choices = append(f.Choices, fmt.Sprint(cmp.Or(in(x, "title"), value)))
			}
		}
		if all[name+"_custom"] != nil {
			f.other = name + "_custom"
		}
		out = append(out, f)
	}
	return out
}

// Fill puts an answer into the content of a form, and reports whether it is one. Several choices are separated by commas.
func (f Field) Fill(content map[string]any, answer string) bool {
	answer = strings.TrimSpace(answer)
	if f.kind == "integer" || f.kind == "number" {
		n, err := strconv.ParseFloat(answer, 64)
		content[f.name] = n
		return err == nil
	}
	words := []string{answer}
	if f.kind == "array" {
		words = strings.Split(answer, ",")
	}
	var chosen []any
	for _, word := range words {
		i := slices.IndexFunc(f.Choices, func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(word)) })
		switch {
		case i >= 0:
			chosen = append(chosen, f.values[i])
		case f.other != "":
			content[f.other] = answer
			return true
		case len(f.Choices) > 0:
			return false
		default:
			chosen = append(chosen, word)
		}
	}
	if content[f.name] = chosen[0]; f.kind == "array" {
		content[f.name] = chosen
	}
	return true
}
