package thread

import (
	"encoding/json"
	"strconv"

	"vise/model"
)

// ParseOutcome reads the facts of a run. A command is a text (hearsay) or an object with
// command and exit_status (observed); head, dirty and at say on which commit it ran.
func ParseOutcome(raw []byte) (Outcome, error) {
	top, err := readObject(raw)
	if err != nil {
		return Outcome{}, invalid("the facts cannot be read").Because(err)
	}
	m := members{from: top}
	o := Outcome{
		ExecutionID: m.text("execution_id"),
		Opened:      m.list("files_opened"), Edited: m.list("files_edited"), Reopened: m.list("files_reopened"),
		Reverted: m.list("files_reverted"), Errors: m.list("notable_errors"),
	}
	if m.wrong {
		return o, invalid("files and errors must be lists of texts").At("facts")
	}
	if b, ok := m.take("success").(bool); ok {
		o.Success = &b
	}
	var ok bool
	if o.Commands, ok = executions(m.take("commands_executed")); !ok {
		return o, want(false, "commands_executed", "a list of texts or of {command, exit_status}")
	}
	if o.Tests, ok = executions(m.take("tests_executed")); !ok {
		return o, want(false, "tests_executed", "a list of texts or of {command, exit_status}")
	}
	if o.Contract, ok = readContract(m.take("contract")); !ok {
		return o, want(false, "contract", "an object like {execution_contract: …}")
	}
	return o, o.readPatch(m.take("work_state"))
}

func (o *Outcome) readPatch(v any) error {
	if v == nil {
		return nil
	}
	fields, ok := v.(object)
	if !ok {
		return want(false, "work_state", "an object")
	}
	p, err := patchOf(fields)
	if err != nil {
		return err
	}
	o.Patch = &p
	return nil
}

func executions(v any) ([]Execution, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, v == nil
	}
	var out []Execution
	for _, v := range list {
		e, ok := execution(v)
		if !ok {
			return nil, false
		}
		if e.Command != "" {
			out = append(out, e)
		}
	}
	return out, true
}

func execution(v any) (Execution, bool) {
	if s, ok := v.(string); ok {
		return Execution{Command: model.Text(trim(s))}, true
	}
	o, ok := v.(object)
	if !ok {
		return Execution{}, false
	}
	m := members{from: o}
	e := Execution{Command: m.text("command"), Head: m.text("head").Raw(), At: m.text("at")}
	e.Dirty, _ = m.take("dirty").(bool)
	if n, ok := m.take("exit_status").(json.Number); ok {
		status, err := strconv.Atoi(n.String())
		if err != nil {
			return e, false
		}
		e.ExitStatus = &status
	}
	return e, !m.wrong
}
