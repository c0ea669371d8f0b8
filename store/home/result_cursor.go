package home

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"vise/model"
)

// place is as much of a row as its place in the order needs.
type place struct {
	ID        model.ItemID `json:"i"`
	Class     model.Class  `json:"c"`
	Created   time.Time    `json:"b"`
	Updated   time.Time    `json:"u"`
	Triggered time.Time    `json:"t,omitzero"`
}

// cursorOf spells the row to go on after.
func cursorOf(row *model.Row) string {
	if row == nil {
		return ""
	}
	raw, err := json.Marshal(place{row.ID, row.Class, row.CreatedAt, row.UpdatedAt, row.Wait.LastTriggeredAt})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// rowOf reads a cursor of an agent's list; an empty one is the beginning.
func rowOf(agent model.AgentID, cursor string) (*model.Row, error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	var p place
	if err == nil {
		err = model.DecodeStrict(raw, &p)
	}
	if err != nil || !slices.Contains(model.Classes, p.Class) {
		return nil, model.Refuse(model.CodeInvalid, "the cursor is not one that a list gave").At("cursor").WithHint("begin again without it")
	}
	row := model.Row{ID: p.ID, AgentID: agent, Class: p.Class, CreatedAt: p.Created, UpdatedAt: p.Updated}
	row.Wait.LastTriggeredAt = p.Triggered
	return &row, nil
}
