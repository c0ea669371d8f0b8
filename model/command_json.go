package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Clearable is a field that can be absent, null (clear) or text.
type Clearable struct {
	given, null bool
	text        Text
}

// SetTo is a Clearable with text.
func SetTo(t Text) Clearable { return Clearable{given: true, text: t} }

// Clear is a Clearable that clears.
func Clear() Clearable { return Clearable{given: true, null: true} }

// IsZero reports whether the field is absent.
func (c Clearable) IsZero() bool { return !c.given }

// UnmarshalJSON distinguishes null from text; an absent field never gets here.
func (c *Clearable) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*c = Clear()
		return nil
	}
	c.given, c.null = true, false
	return json.Unmarshal(raw, &c.text)
}

// MarshalJSON writes null or the text.
func (c Clearable) MarshalJSON() ([]byte, error) {
	if c.null {
		return []byte("null"), nil
	}
	return json.Marshal(c.text)
}

// Call is a command inside a Round or Batch, as {"tool": name, "input": {…}} in JSON.
type Call struct{ Command }

type callJSON struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// MarshalJSON writes the call's name and input.
func (c Call) MarshalJSON() ([]byte, error) {
	in, err := json.Marshal(c.Command)
	if err != nil {
		return nil, err
	}
	return json.Marshal(callJSON{CommandName(c.Command), in})
}

// UnmarshalJSON reads a call to one of the agent's tools, or an acknowledgement of a Batch.
func (c *Call) UnmarshalJSON(raw []byte) error {
	var j callJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	var err error
	if j.Tool == CommandName(Acknowledge{}) {
		c.Command, err = decode[Acknowledge](j.Input)
	} else {
		c.Command, err = DecodeTool(j.Tool, j.Input)
	}
	return err
}

// commandReader reads the command with a name. hint says what it needs; empty without a hint.
type commandReader struct {
	name string
	read func(input []byte) (Command, error)
	hint string
}

func read[C Command](hint ...string) commandReader {
	var c C
	return commandReader{CommandName(c), decode[C], cmp.Or(hint...)}
}

// tools are the commands that an agent can call, in the order in which it sees them. (GetWorkItem and ListWorkItems are
// queries.)
var tools = []commandReader{
	read[CreateWorkItem](`needs objective; a todo is {"text":"…","state":"pending"}, its state pending, in_progress or completed`),
	read[UpdateWorkItem](`needs work_item_id; a todo is {"text":"…","state":"completed"}, its state pending, in_progress or completed`),
	read[PickWorkItem]("needs work_item_id"),
	read[CompleteWorkItem]("needs work_item_id"),
	read[WaitFor]("needs reason and wake: operator_input, task_result, external, timer or system"),
}

// ofOperators are the commands that an operator sends.
var ofOperators = append(slices.Clip(tools),
	read[Trigger](), read[CancelWait](), read[Answer](), read[AnswerPermission](), read[Say](), read[Retry](),
	read[Acknowledge](), read[Snooze](), read[ReportWorkItem](), read[OfferReport](), read[DeclineReport](), read[Round](),
	read[LinkWorkItem](), read[CommentOn](), read[SendComments](), read[OpenDelegation](), read[CancelDelegation](),
	read[AddAgent](), read[RemoveAgent](), read[UpdateAgent](), read[Batch](), read[Undo](),
)

// reader is the reader of a command in a list; without one, it has no name.
func reader(list []commandReader, name string) commandReader {
	for _, x := range list {
		if x.name == name {
			return x
		}
	}
	return commandReader{}
}

// DecodeTool reads the input of an agent's tool. Unknown tools and unknown fields are errors; null counts as absent, except for
// blocked_by.
func DecodeTool(name string, input []byte) (Command, error) {
	if x := reader(tools, name); x.name != "" {
		return x.command(input)
	}
	var names []string
	for _, t := range tools {
		names = append(names, t.name)
	}
	return nil, Invalid("unknown tool %q", Text(name)).WithHint("the tools are %s", strings.Join(names, ", "))
}

// DecodeCommand reads an operator's command from JSON, strictly.
func DecodeCommand(name string, input []byte) (Command, error) {
	if x := reader(ofOperators, name); x.name != "" {
		return x.command(input)
	}
	return nil, Invalid("an operator sends no command %q", Text(name))
}

func (x commandReader) command(input []byte) (Command, error) {
	c, err := x.read(input)
	if err != nil {
		return nil, Misread(x.name, err).WithHint("%s", x.hint)
	}
	return c, nil
}

// ToolHint says what an agent's tool needs; empty if it has no hint.
func ToolHint(name string) string { return reader(tools, name).hint }

func decode[C Command](input []byte) (Command, error) {
	var c C
	err := DecodeStrict(input, &c)
	return c, err
}

// Misread says what is wrong in a tool's input, from the error of DecodeStrict.
func Misread(name string, err error) *Error {
	of, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || of.Field == "" {
		return Invalid("%s: input is not as expected", name).Because(err)
	}
	given := of.Value
	if number, ok := strings.CutPrefix(given, "number "); ok {
		given = number
	}
	return Invalid("%s: %s takes %s, not %s", name, Text(of.Field), kindWords(of.Type.Kind().String()), Text(kindWords(given))).
		At(of.Field)
}

// kindWords are words for a kind of value, as Go or JSON names it. Another word is returned as it is.
func kindWords(kind string) string {
	switch kind {
	case "int", "int64", "uint64":
		return "a whole number"
	case "number":
		return "a number"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "slice", "array":
		return "a list"
	case "struct", "map", "object":
		return "an object"
	}
	return kind
}

// DecodeStrict reads one JSON value into v and refuses unknown fields and trailing text.
func DecodeStrict(input []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the JSON value")
	}
	return nil
}

// Unclear says why two readers could read valid JSON differently: a key is there twice, or in two cases, or it nests more than most deep.
func Unclear(raw []byte, most int) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value func(left int) string
	value = func(left int) string {
		begin, _ := d.Token()
		if _, nests := begin.(json.Delim); !nests {
			return ""
		}
		if left == 0 {
			return fmt.Sprintf("it is nested more than %d deep", most)
		}
		keys := map[string]bool{}
		for d.More() {
			if begin == json.Delim('{') {
				name, _ := d.Token()
				key := strings.ToLower(name.(string))
				if keys[key] {
					return fmt.Sprintf("the key %q is there twice, or in two cases", Text(name.(string)))
				}
				keys[key] = true
			}
			if why := value(left - 1); why != "" {
				return why
			}
		}
		_, _ = d.Token() // the closing delimiter
		return ""
	}
	return value(most)
}
