package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vise/model"
	"vise/store/home"
)

// maxReply bounds an answer in characters: 2,000 tokens at three characters a token, the ratio for JSON.
const maxReply = 6000

// answered returns a result within its bound, both as text and as structured content, because some clients show their model only one of the
// two.
func (c *call) answered(out any, messages []attached) (*sdk.CallToolResult, error) {
	extra := map[string]any{}
	limit := maxReply
	add := func(name string, v any) {
		extra[name] = v
		limit -= sizeOf(v)
	}
	if len(c.reminders) > 0 {
		add("reminders", c.reminders)
	}
	if len(messages) > 0 {
		add("messages", messages)
	}
	if damaged := c.home.Damage(); len(damaged) > 0 {
		add("damaged", damaged[:1])
	}
	if x, ok := c.home.ReadOnly(); ok {
		add("read_only", x.Message)
	}
	omitted := fit(out, limit)
	if c.tool.next != "" {
		extra["next_hint"] = c.tool.next
	}
	if len(omitted) > 0 {
		extra["omitted"] = omitted
	}
	raw, err := withMore(out, extra)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(raw)}}, StructuredContent: raw}, nil
}

// withMore marshals an answer with extra fields.
func withMore(out any, extra map[string]any) (json.RawMessage, error) {
	raw, err := json.Marshal(out)
	if err != nil || len(extra) == 0 {
		return raw, err
	}
	more, err := json.Marshal(extra)
	if err != nil {
		return nil, err
	}
	return slices.Concat(raw[:len(raw)-1], []byte(","), more[1:]), nil
}

// views returns the items in an answer, and the position in the whole list of the first shown todo.
func views(out any) (list []*model.View, from int) {
	switch out := out.(type) {
	case *home.ItemResult:
		list = append(list, &out.WorkItem)
	case *home.CompletionResult:
		list = append(list, &out.WorkItem)
	case *delegated:
		list = append(list, &out.WorkItem)
	case *got:
		list, from = append(list, &out.WorkItem), out.from
	case *home.WaitResult:
		if out.WorkItem != nil {
			list = append(list, out.WorkItem)
		}
	case *home.PickResult:
		list = append(list, &out.Current)
		if out.Previous != nil {
			list = append(list, out.Previous)
		}
	}
	return list, from
}

// fit shortens an answer step by step until it is within its bound, and returns what it left out. It never leaves out ids, states and
// codes.
func fit(out any, limit int) (omitted []string) {
	list, from := views(out)
	todos := make([]int, len(list))
	for i, v := range list {
		todos[i] = len(v.TodoList)
	}
	for _, step := range shorten {
		if sizeOf(out) <= limit {
			break
		}
		for _, v := range list {
			if said := step(v); said != "" && !slices.Contains(omitted, said) {
				omitted = append(omitted, said)
			}
		}
	}
	for i, v := range list { // counted once, at the final length
		if left := todos[i] - len(v.TodoList); left > 0 {
			omitted = append(omitted, fmt.Sprintf("todo_list of %s: %d more; GetWorkItem(include_todo_list=true, todo_offset=%d) goes on",
				v.Handle, left, from+len(v.TodoList)))
		}
	}
	if w, ok := out.(*home.WaitResult); ok && sizeOf(out) > limit {
		w.Reason, w.Resource = cut(w.Reason, leastText), cut(w.Resource, leastText)
		cutWait(&w.Wait)
		omitted = append(omitted, "wait_condition: its texts are cut")
	}
	return omitted
}

// Bounds for shortened parts, in characters or entries.
const (
	shortText   = 400
	leastText   = 120
	someTodos   = 30
	fewTodos    = 8
	leastTodos  = 2
	someReplies = 1200
)

// shorten holds the steps in order; the first ones lose least. Each step returns what it left out, or "".
var shorten = []func(v *model.View) string{
	offers,
	clipPreview(shortText),
	payloads,
	todosTo(someTodos),
	reportTo(someReplies),
	links,
	todosTo(fewTodos),
	clipPreview(0),
	texts,
	todosTo(leastTodos),
	reportTo(leastText),
	waits,
}

func clipPreview(n int) func(*model.View) string {
	return func(v *model.View) string {
		if short := cut(v.Plan.Preview, n); short != v.Plan.Preview {
			v.Plan.Preview, v.Plan.PreviewComplete = short, false
			return "plan_artifact.preview: read the file"
		}
		return ""
	}
}

func offers(v *model.View) string {
	if len(v.Offered) == 0 {
		return ""
	}
	v.Offered = nil
	return "offered_reports: they are for the operator"
}

func payloads(v *model.View) string {
	said := ""
	v.ActiveWaits = slices.Clone(v.ActiveWaits)
	for i := range v.ActiveWaits {
		p := &v.ActiveWaits[i].LastTrigger.Payload
		if short := cut(*p, shortText); short != *p {
			*p, said = short, "active_wait_conditions: payloads are cut"
		}
	}
	return said
}

func todosTo(n int) func(*model.View) string {
	return func(v *model.View) string {
		most := min(n, len(v.TodoList))
		v.TodoList = v.TodoList[:most:most]
		return "" // the hint for the next page is added once the final length is known
	}
}

func reportTo(n int) func(*model.View) string {
	return func(v *model.View) string {
		if v.Report == nil {
			return ""
		}
		r := *v.Report
		if r.Text = cut(r.Text, n); r.Text == v.Report.Text {
			return ""
		}
		v.Report = &r
		return "completion_report: cut"
	}
}

func links(v *model.View) string {
	if len(v.Links.Refs)+len(v.Links.Threads)+len(v.Links.TodoRefs) == 0 {
		return ""
	}
	v.Links = model.Links{}
	return "links"
}

func texts(v *model.View) string {
	before := len(v.Objective) + len(v.BlockedBy)
	v.Objective, v.BlockedBy = cut(v.Objective, shortText), cut(v.BlockedBy, shortText)
	for i := range v.ActiveWaits {
		cutWait(&v.ActiveWaits[i])
	}
	if len(v.Objective)+len(v.BlockedBy) != before {
		return "objective, blocked_by: cut"
	}
	return ""
}

func cutWait(x *model.Wait) {
	for _, t := range []*model.Text{&x.Reason, &x.Resource, &x.Source, &x.Condition, &x.Ask.Question, &x.LastTrigger.Payload} {
		*t = cut(*t, leastText)
	}
	x.Ask.Choices = slices.Clone(x.Ask.Choices)
	for i := range x.Ask.Choices {
		x.Ask.Choices[i] = cut(x.Ask.Choices[i], leastText)
	}
}

func waits(v *model.View) string {
	if len(v.ActiveWaits) <= 1 {
		return ""
	}
	v.ActiveWaits = v.ActiveWaits[:1]
	return "active_wait_conditions: all but the oldest"
}

// cut returns the first n characters.
func cut(t model.Text, n int) model.Text {
	r := []rune(t) // raw: cut, not shown
	if len(r) <= n {
		return t
	}
	return model.Text(r[:n])
}

// hints name the tool that helps after an error with a code.
var hints = map[model.Code]string{
	model.CodeNotFound:            "ListWorkItems(filter=open) names your items",
	model.CodeAmbiguous:           "give the whole id; ListWorkItems names it",
	model.CodeNotOwner:            "act on an item of your own: ListWorkItems(filter=open)",
	model.CodeCompleted:           "completion is final; CreateWorkItem for what is left",
	model.CodeStale:               "GetWorkItem shows what changed; decide again with its revision",
	model.CodeUnfinishedExecution: "WaitFor(wake=task_result) parks the item until that work ends",
	model.CodeUnverified:          "completing again is of use once the check has passed",
	model.CodeBusy:                "nothing was changed; call again",
	model.CodeUnknownOutcome: "call again as before: it is done once at most, here or anywhere with _meta " + metaKey +
		" set to this key",
	model.CodeRefused:  "GetWorkItem shows how the item stands",
	model.CodeInternal: "GetWorkItem shows how the item stands; the operator can run vise doctor",
}

// adds holds the codes whose errors have hints of their own that say more than a tool's name.
var adds = map[model.Code]bool{model.CodeStale: true, model.CodeRefused: true, model.CodeUnfinishedExecution: true,
	model.CodeUnverified: true}

// refused turns an error into an answer: the code, what is wrong, and what to do about it.
func refused(t tool, err error) *sdk.CallToolResult {
	e := model.Refuse(model.CodeInternal, "%s", model.Text(err.Error()))
	if known := model.AsError(err); known != nil {
		x := *known
		x.Message = cut(model.Text(known.Error()), shortText).String()
		e = &x
	}
	isOther := e.Code == model.CodeNotFound && e.Field != "work_item_id" // not a work item, and the error says where it is found
	if hint := hints[e.Code]; hint != "" && !(isOther && e.Hint != "") {
		if !adds[e.Code] {
			e.Hint = ""
		}
		e.Hint = strings.TrimPrefix(e.Hint+"; "+hint, "; ")
	}
	e.Hint = cut(model.Text(e.Hint), shortText).String()
	raw, _ := json.Marshal(struct { // texts marshal
		Tool  string       `json:"tool_name"`
		Error *model.Error `json:"error"`
	}{t.Name, e})
	return &sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(raw)}}, StructuredContent: json.RawMessage(raw),
	}
}
