package mcp

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
)

// definitions are the seven tools as clients read them. An agent may never read more about them than these descriptions. Together they stay
// below 1,500 tokens, so facts about several tools are given once. The schemas name one type for each field, which every client can fill
// in. A null counts as absent, except that it clears a blocker.
//
//go:embed tools.json
var definitions []byte

// moreDefinitions are the further tools: one for agents whose hooks were never seen, and those that are offered only if All is set.
//
//go:embed more.json
var moreDefinitions []byte

// tool is a tool with its definition and behaviour.
type tool struct {
	Name   string          `json:"name"`
	About  string          `json:"description"`
	Schema json.RawMessage `json:"inputSchema"`
	// Answer is the schema of the fields that every answer has; nil for a tool without one.
	Answer json.RawMessage `json:"outputSchema"`
	// input is what is checked of Schema.
	input schema
	behaviour
}

// behaviour is what a tool does.
type behaviour struct {
	run   func(context.Context, *call) (any, error)
	reads bool
	// proves means that a caller has read the messages handed to it before.
	proves bool
	// isMore means that it is offered only if All is set.
	isMore bool
	// next says what usually follows a success.
	next string
	// needs is the hint for an input that is not as expected; empty: the names of the required fields.
	needs string
}

// behaviours holds the tools' behaviour by name.
var behaviours = map[string]behaviour{
	"CreateWorkItem": {run: create, next: "PickWorkItem makes it current; write the plan into the file plan_artifact.path"},
	"UpdateWorkItem": {run: update},
	"PickWorkItem":   {run: pick, proves: true},
	"GetWorkItem":    {run: get, reads: true, proves: true},
	"ListWorkItems":  {run: list, reads: true, proves: true, needs: "every field is optional"},
	"CompleteWorkItem": {
		run:  complete,
		next: "the report is the text of this same reply; ListWorkItems(filter=runnable) shows what is next",
	},
	"WaitFor":        {run: wait, next: "end your turn, or pick other work"},
	reportTool:       {run: report},
	"NotifyOperator": {run: notify, isMore: true, next: "go on; it needs no answer"},
	"OpenDelegation": {run: delegate, isMore: true, next: "WaitFor(wake=task_result, resource=delegation_id) parks your item until then"},
	"SpawnAgent":     {run: spawn, isMore: true, next: "WaitFor(wake=task_result, resource=delegation_id) parks your item until then"},
	"StartTask": {
		run: startTask, isMore: true, next: "WaitFor(wake=task_result, resource=task_id) parks an item until it ends; or go on",
		needs: `needs command, a list: ["go","test","./..."]`,
	},
	"UpdateThread": {run: keepThread, isMore: true, needs: `every field is optional: {"next_action":"run the tests"}`},
}

// tools are in the order of their definitions. They are parsed only on use, since most runs of the program are not servers.
var tools = sync.OnceValue(func() (all []tool) {
	for _, raw := range [][]byte{definitions, moreDefinitions} {
		var some []tool
		if err := json.Unmarshal(raw, &some); err != nil {
			panic(err) // the embedded files are always valid
		}
		all = append(all, some...)
	}
	for i := range all {
		t := &all[i]
		_ = json.Unmarshal(t.Schema, &t.input) // an embedded file
		t.behaviour = behaviours[t.Name]
	}
	return all
})

func (t tool) definition() *sdk.Tool {
	out := &sdk.Tool{Name: t.Name, Description: t.About, InputSchema: t.Schema, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.reads}}
	if !t.reads {
		out.Annotations.DestructiveHint = new(bool)
	}
	if t.Answer != nil {
		out.OutputSchema = t.Answer
	}
	return out
}

// schema holds the parts of a JSON schema that are checked before an input is decoded.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Required   []string          `json:"required"`
	Minimum    *float64          `json:"minimum"`
	MinLength  int               `json:"minLength"`
	MaxLength  int               `json:"maxLength"`
	Format     string            `json:"format"`
}

// hint says what an input of the tool needs.
func (t tool) hint() string {
	return cmp.Or(t.needs, model.ToolHint(t.Name), "needs "+strings.Join(t.input.Required, " and "))
}

// fields checks that an input has the required fields, and names only fields of its tool, spelt exactly. A decoder that accepts OBJECTIVE
// for objective would let two readers see different things.
func (t tool) fields(input []byte) error {
	var given map[string]any
	if json.Unmarshal(input, &given) != nil || given == nil {
		return model.Invalid("%s: arguments are not an object", t.Name).WithHint("%s", t.hint())
	}
	if err := t.named(t.input, given); err != nil {
		return err
	}
	for _, name := range t.input.Required {
		if given[name] == nil {
			return model.Invalid("%s: %s is missing", t.Name, name).At(name, "%s", t.hint())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.input.Properties)) {
		if why, hint := t.input.Properties[name].excludes(given[name]); why != "" {
			return model.Invalid("%s: %s %s", t.Name, name, why).At(name, "%s", hint)
		}
	}
	return nil
}

// excludes says why a value is outside the bounds of the schema, and what to do. Values of another type are the decoder's to report.
func (s schema) excludes(value any) (why, hint string) {
	number, isNumber := value.(float64)
	text, isText := value.(string)
	_, notTime := time.Parse(time.RFC3339, text)
	switch {
	case isNumber && s.Minimum != nil && number < *s.Minimum:
		return fmt.Sprintf("is %v", number), fmt.Sprintf("leave it out, or give at least %v", *s.Minimum)
	case isText && s.MinLength > 0 && strings.TrimSpace(text) == "":
		return "must not be empty", "give it some words"
	case s.MaxLength > 0 && utf8.RuneCountInString(strings.TrimSpace(text)) > s.MaxLength:
		n := utf8.RuneCountInString(strings.TrimSpace(text))
		return fmt.Sprintf("has %d characters, at most %d are kept", n, s.MaxLength), "shorten it"
	case value != nil && s.Format == "date-time" && notTime != nil:
		return "is no time in RFC 3339", "give it like 2026-01-02T15:04:05Z"
	}
	return "", ""
}

func (t tool) named(s schema, in any) error {
	switch in := in.(type) {
	case map[string]any:
		if s.Properties == nil {
			return nil // the caller chooses its keys
		}
		for key, value := range in {
			inner, ok := s.Properties[key]
			if !ok {
				return model.Invalid("%s has no field %q", t.Name, short(key)).At(short(key)).
					WithHint("its fields are %s", strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "))
			}
			if err := t.named(inner, value); err != nil {
				return err
			}
		}
	case []any:
		if s.Items == nil {
			return nil // a value of another type; the decoder reports it
		}
		for _, x := range in {
			if err := t.named(*s.Items, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// short makes a name from outside short and safe to repeat.
func short(s string) string {
	r := []rune(model.Text(s).String())
	return string(r[:min(len(r), 40)])
}
