package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
)

// tool is one of the seven.
type tool struct {
	name, about string
	schema      string
	reads       bool
	// proves: whoever calls it has read what was handed to it before.
	proves bool
	// next tells the agent what usually follows a success.
	next string
	run  func(context.Context, *call) (any, error)
}

const todosSchema = `{"type":"array","maxItems":200,"description":"The whole checklist; it replaces the one before","items":{"type":"object","additionalProperties":false,"required":["text","state"],"properties":{"text":{"type":"string","maxLength":500},"state":{"enum":["pending","in_progress","completed"]}}}}`

const idSchema = `{"type":"string","description":"Id or handle (wi-7f3k)"}`

const seenSchema = `{"type":"integer","minimum":0,"description":"The revision you saw; refused as stale if the item moved on"}`

// tools are the seven. Their descriptions are all that an agent may
// ever read of them; together the definitions stay below 2,500 tokens. The schemas name one
// type a field, which every client can fill in; null is taken for absent all the same,
// except that it clears a blocker.
var tools = []tool{
	{
		name: "CreateWorkItem",
		about: "Create a work item: one durable objective that outlives this session. Only for work that spans turns or is tracked explicitly; refine the current item instead of creating another for the same objective. " +
			"Does not change focus: PickWorkItem does. Returns the item; edit plan_artifact.path as a file for the plan.",
		schema: `{"type":"object","additionalProperties":false,"required":["objective"],"properties":{` +
			`"objective":{"type":"string","minLength":1,"maxLength":2000,"description":"What is to be achieved, short"},` +
			`"plan_status":{"enum":["draft","ready","needs_input"],"description":"draft by default"},` +
			`"plan":{"type":"string","description":"Markdown that the plan file begins with"},` +
			`"todo_list":` + todosSchema + `}}`,
		next: "PickWorkItem makes it current; write the plan into the file plan_artifact.path",
		run:  create,
	},
	{
		name: "UpdateWorkItem",
		about: "Change what is given of an open item and leave the rest. Call it after material progress. " +
			"blocked_by or plan_status=needs_input releases focus, because the item cannot go on; prefer WaitFor when something could wake it. blocked_by=null clears the blocker and its waits.",
		schema: `{"type":"object","additionalProperties":false,"required":["work_item_id"],"properties":{` +
			`"work_item_id":` + idSchema + `,` +
			`"objective":{"type":"string","maxLength":2000},` +
			`"plan_status":{"enum":["draft","ready","needs_input"],"description":"needs_input only for real ambiguity"},` +
			`"todo_list":` + todosSchema + `,` +
			`"blocked_by":{"type":["string","null"],"maxLength":2000,"description":"Why it cannot advance; null clears, absent leaves it"},` +
			`"recheck_after_ms":{"type":"integer","minimum":1,"description":"When to look at the blocker again; an hour by default"},` +
			`"seen_revision":` + seenSchema + `}}`,
		run: update,
	},
	{
		name: "PickWorkItem",
		about: "Make an open item current. What follows in this turn belongs to it. Give a reason when you leave a current item that is still runnable. " +
			"A blocked item may be picked to inspect it; clear_blocker=true (with reason) says that its blocker is gone. Returns the previous and the current item.",
		schema: `{"type":"object","additionalProperties":false,"required":["work_item_id"],"properties":{` +
			`"work_item_id":` + idSchema + `,` +
			`"reason":{"type":"string","maxLength":2000},` +
			`"clear_blocker":{"type":"boolean"},` +
			`"seen_revision":` + seenSchema + `}}`,
		proves: true, run: pick,
	},
	{
		name:  "GetWorkItem",
		about: "Read one item: state, readiness, plan descriptor with a preview, waits, completion report. Read the file plan_artifact.path for the whole plan.",
		schema: `{"type":"object","additionalProperties":false,"required":["work_item_id"],"properties":{` +
			`"work_item_id":` + idSchema + `,` +
			`"include_todo_list":{"type":"boolean"},` +
			`"todo_offset":{"type":"integer","minimum":0,"description":"Go on with a long todo list from here"}}}`,
		reads: true, proves: true, run: get,
	},
	{
		name:  "ListWorkItems",
		about: "List your items in the order in which they should be worked on: current, triggered (review whether the blocker is gone), queued, waiting for the operator, blocked, completed. Use it before you switch or create.",
		schema: `{"type":"object","additionalProperties":false,"properties":{` +
			`"filter":{"enum":["all","open","completed","current","queued","blocked","waiting_for_operator","runnable"],"description":"all by default"},` +
			`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"20 by default; a page may be shorter"},` +
			`"cursor":{"type":"string","description":"next_cursor of the page before"},` +
			`"include_todo_list":{"type":"boolean"}}}`,
		reads: true, proves: true, run: list,
	},
	{
		name: "CompleteWorkItem",
		about: "Complete an item, for good. Write the completion report for the operator as text in this same reply (what was done, how it was checked, what is left): it becomes the item's report. " +
			"Complete one item a reply, the current one. Unfinished todos are only a warning; linked file todos stay open unless you decide.",
		schema: `{"type":"object","additionalProperties":false,"required":["work_item_id"],"properties":{` +
			`"work_item_id":` + idSchema + `,` +
			`"linked_todos":{"type":"object","additionalProperties":{"type":"string"},"description":"Decisions, as {\"review/003\":\"finished\"}; or wont_fix:REASON, out_of_scope:REASON, superseded:REASON, moved:ITEM, keep"},` +
			`"seen_revision":` + seenSchema + `}}`,
		next: "the report is the text of this same reply; ListWorkItems(filter=runnable) shows what is next",
		run:  complete,
	},
	{
		name: "WaitFor",
		about: "Park the current item (or work_item_id) until something happens; replaces its earlier waits and releases focus. Without any item the wait is your own. A trigger never unblocks: review, then PickWorkItem(clear_blocker). " +
			"End your turn, or pick other work, afterwards.",
		schema: `{"type":"object","additionalProperties":false,"required":["reason","wake"],"properties":{` +
			`"reason":{"type":"string","minLength":1,"maxLength":2000,"description":"Why it cannot go on"},` +
			`"wake":{"enum":["operator_input","task_result","external","timer","system"]},` +
			`"resource":{"type":"string","maxLength":2000,"description":"task_result: task id; external: the thing, such as github:owner/repo#12; timer: RFC 3339 time"},` +
			`"work_item_id":{"type":"string","description":"Default: the current item"},` +
			`"question":{"type":"string","maxLength":2000,"description":"operator_input: what to ask"},` +
			`"choices":{"type":"array","maxItems":5,"items":{"type":"string"},"description":"Answers to choose from"},` +
			`"source":{"type":"string","maxLength":2000,"description":"external: who will tell, such as ci"},` +
			`"condition":{"type":"string","maxLength":2000,"description":"external: what must have happened"},` +
			`"wake_at":{"type":"string","format":"date-time"},` +
			`"recheck_after_ms":{"type":"integer","minimum":1,"description":"Look again then even if nothing came"},` +
			`"deliver":{"enum":["wake_hint","enqueue_message"]},` +
			`"seen_revision":` + seenSchema + `}}`,
		next: "end your turn, or pick other work",
		run:  wait,
	},
}

func (t tool) definition() *sdk.Tool {
	closed := false
	return &sdk.Tool{
		Name: t.name, Description: t.about, InputSchema: json.RawMessage(t.schema),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.reads, OpenWorldHint: &closed, DestructiveHint: &closed},
	}
}

// schema is as much of a JSON schema as the check of names needs.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
}

// fields checks that an input names only fields of its tool, spelt exactly: a decoder that
// takes OBJECTIVE for objective would let two readers see two things.
func (t tool) fields(input []byte) error {
	var s schema
	if err := json.Unmarshal([]byte(t.schema), &s); err != nil {
		return err
	}
	var in any
	if err := json.Unmarshal(input, &in); err != nil {
		return model.Refuse(model.CodeInvalid, "%s: arguments are not JSON", t.name)
	}
	if _, ok := in.(map[string]any); !ok {
		return model.Refuse(model.CodeInvalid, "%s: arguments are not an object", t.name)
	}
	return t.named(s, in)
}

func (t tool) named(s schema, in any) error {
	switch in := in.(type) {
	case map[string]any:
		if s.Properties == nil {
			return nil // its keys are the caller's own
		}
		for key, value := range in {
			inner, ok := s.Properties[key]
			if !ok {
				return model.Refuse(model.CodeInvalid, "%s has no field %q", t.name, short(key)).At(short(key)).
					WithHint("its fields are %s", strings.Join(names(s), ", "))
			}
			if err := t.named(inner, value); err != nil {
				return err
			}
		}
	case []any:
		if s.Items == nil {
			return nil // of another type than expected; the decoder says so
		}
		for _, x := range in {
			if err := t.named(*s.Items, x); err != nil {
				return err
			}
		}
	}
	return nil
}

func names(s schema) []string {
	var out []string
	for name := range s.Properties {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// short is a name that a stranger chose, safe to repeat.
func short(s string) string {
	r := []rune(model.Text(s).String())
	return string(r[:min(len(r), 40)])
}
