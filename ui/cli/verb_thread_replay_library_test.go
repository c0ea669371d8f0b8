package cli

import (
	"encoding/json"
	"strings"
)

// facts are the arguments of the recorded finalize calls, where the record does not have them.
var facts = map[string]string{
	"finalize_success": `{"execution_id":"exec-success","success":true,"files_opened":["src/api/client.ts"],"files_edited":["src/auth/session.ts"],
		"commands_executed":["pytest -q tests/test_auth.py","ls -la"],"tests_executed":["tests/test_auth.py::test_refresh"]}`,
	"finalize_failure": `{"execution_id":"exec-failure","success":false,"files_opened":["src/api/client.ts"],
		"commands_executed":["pytest -q"],"notable_errors":["AssertionError: token stale"]}`,
	"finalize_explicit": `{"execution_id":"exec-explicit","success":true,
		"work_state":{"current_hypothesis":"token not persisted","unverified":["manual auth flow"],"next_action":"run auth tests"}}`,
	"finalize_no_active": `{"execution_id":"exec-none","success":true,"files_opened":["a.go"]}`,
	"finalize_skipped":   `{"execution_id":"exec-skipped","success":true,"files_opened":["src/api/client.ts"]}`,
}

// library replays a recorded call of AICTX's library by the verb that answers the same question.
func (r *replay) library(call, file string) {
	r.t.Helper()
	switch {
	case strings.HasPrefix(call, "load_"):
		r.compare(file, r.json(file), r.loaded())
	case strings.HasPrefix(call, "prepare_"):
		r.prepared(file)
	case call == "resume_subset":
		ours := r.cli.data("prepare")
		for _, k := range []string{"carryover_gaps", "strongest_carryover_gap"} {
			r.equal(file+" "+k, label(r.json(file)[k], r.theirs), label(ours[k], r.ours))
		}
	case call == "finalize":
		r.finalizedByContract(file)
	case facts[call] != "":
		theirs := r.json(file)
		ours := r.cli.data("finalize", "--facts-json", facts[call])
		r.wrote(file, theirs["finalize.work_state_updated"], ours["work_state_updated"])
		verdict := theirs["finalize.contract_compliance"].(map[string]any)
		mine := ours["contract_compliance"].(map[string]any)
		for _, k := range []string{"status", "main_issue", "score"} {
			r.equal(file+" "+k, verdict[k], mine[k])
		}
	default:
		r.t.Fatalf("the library call %q is not understood", call)
	}
}

// loaded returns status in the form of the checked load.
func (r *replay) loaded() map[string]any {
	r.t.Helper()
	data := r.cli.data("status")
	out := map[string]any{
		"work_state_git_status": data["work_state_git_status"], "active_work_state": map[string]any{}, "skipped_work_state": map[string]any{},
	}
	if data["active"] == true {
		out["active_work_state"] = data
	}
	if s, ok := data["skipped_work_state"]; ok {
		out["skipped_work_state"] = s
	}
	return out
}

func (r *replay) prepared(file string) {
	r.t.Helper()
	theirs, ours := r.json(file), r.cli.data("prepare")
	for _, k := range []string{"active_work_state", "work_state_git_status", "skipped_work_state"} {
		want, ok := theirs[k].(map[string]any)
		mine, have := ours[k].(map[string]any)
		if !ok || !have || len(want) == 0 {
			r.equal(file+" "+k, ok && len(want) > 0, have && len(mine) > 0)
			continue
		}
		r.compare(file+" "+k, want, mine)
	}
	recent := theirs["continuity_context"].(map[string]any)["recent_work_state"].(map[string]any)
	mine, _ := ours["recent_work_state"].(map[string]any)
	r.equal(file+" recent_work_state", recent["task_id"], mine["task_id"])
}

// finalizedByContract replays a recorded run with its contract.
func (r *replay) finalizedByContract(file string) {
	r.t.Helper()
	theirs := r.json(file)
	given := map[string]any{"contract": theirs["contract"], "execution_id": executionOf(r.text(file))}
	for _, k := range []string{"observed", "result"} {
		for key, v := range theirs[k].(map[string]any) {
			given[key] = v
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		r.t.Fatal(err)
	}
	ours := r.cli.data("finalize", "--facts-json", string(raw))
	want := theirs["finalize"].(map[string]any)
	r.equal(file+" contract_gaps", label(want["contract_gaps"], r.theirs), label(ours["contract_gaps"], r.ours))
	r.wrote(file, want["work_state_updated"], ours["work_state_updated"])
	verdict, mine := want["contract_compliance"].(map[string]any), ours["contract_compliance"].(map[string]any)
	for _, k := range []string{"status", "main_issue", "score"} {
		r.equal(file+" "+k, verdict[k], mine[k])
	}
}

// wrote compares the written thread and its path: the fields differ in meaning.
func (r *replay) wrote(file string, theirs, ours any) {
	r.t.Helper()
	want, ok := theirs.(map[string]any)
	mine, have := ours.(map[string]any)
	r.equal(file+" written", ok, have)
	if ok && have {
		r.equal(file+" written", want["path"], mine["path"])
	}
}

func executionOf(record string) string {
	_, rest, ok := strings.Cut(record, `"source_execution_id": "`)
	if !ok {
		return "exec"
	}
	id, _, _ := strings.Cut(rest, `"`)
	return id
}
