package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"vise/model"
	"vise/store/home"
)

type getInput struct {
	WorkItemID string `json:"work_item_id"`
	Todos      bool   `json:"include_todo_list"`
	From       int    `json:"todo_offset"`
}

type listInput struct {
	Filter model.Filter `json:"filter"`
	Limit  int          `json:"limit"`
	Cursor string       `json:"cursor"`
	Todos  bool         `json:"include_todo_list"`
}

func query(c *call, into any, hint string) error {
	if err := model.DecodeStrict(c.input, into); err != nil {
		return model.Misread(c.tool.name, err).WithHint("%s", hint)
	}
	return nil
}

func get(ctx context.Context, c *call) (any, error) {
	var in getInput
	if err := query(c, &in, "needs work_item_id"); err != nil {
		return nil, err
	}
	id, err := c.home.Resolve(ctx, in.WorkItemID)
	if err != nil {
		return nil, err
	}
	_ = c.home.RefreshTodos(ctx, c.envelope("", nil), id) // the next read does it, if not this
	var out home.GetResult
	err = c.show(ctx, func(r model.Reader) error {
		out = home.GetResultOf(r, id, in.Todos || in.From > 0)
		out.Context = home.ContextOf(r, c.agent)
		return nil
	})
	v := &out.WorkItem
	v.TodoList = v.TodoList[min(max(in.From, 0), len(v.TodoList)):]
	return &got{GetResult: out, from: max(in.From, 0)}, err
}

// got is the answer of GetWorkItem with the place of its todos in the whole list.
type got struct {
	home.GetResult
	from int
}

// list reads a page that fits: fewer items than asked for, and a cursor, if need be.
func list(ctx context.Context, c *call) (any, error) {
	var in listInput
	if err := query(c, &in, "every field is optional"); err != nil {
		return nil, err
	}
	var out page
	err := c.show(ctx, func(r model.Reader) error {
		room := maxReply
		if c.queued > 0 {
			room -= messageRoom + shortText // messages come with the answer
		}
		for limit := in.Limit; ; {
			l, err := home.ListResultOf(r, c.agent, in.Filter, in.Cursor, limit, in.Todos)
			if err != nil {
				return err
			}
			out = pageOf(l, in.Todos)
			if limit != in.Limit {
				out.Limit = max(in.Limit, out.Returned)
			}
			size := sizeOf(out)
			if size <= room || out.Returned <= 1 {
				return nil
			}
			limit = max(1, min(out.Returned-1, out.Returned*room/size))
		}
	})
	if in.Limit == 0 {
		out.Limit = model.DefaultLimit
	}
	return &out, err
}

// listPreview is how much of an objective a list of resources shows.
const listPreview = 120

func sizeOf(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len([]rune(string(raw)))
}

func omittedTodos(shown, left, from int) string {
	return fmt.Sprintf("todo_list: %d more; GetWorkItem(include_todo_list=true, todo_offset=%d) goes on", left, from+shown)
}
