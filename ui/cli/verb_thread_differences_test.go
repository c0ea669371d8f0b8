package cli

import (
	"os"
	"strings"
	"testing"
)

// replayReasons has the places where vise intentionally differs from the recorded AICTX, by reason. docs/threads.md
// lists the reasons.
var replayReasons = map[string][]string{
	"vise says thread, AICTX says task": {
		"01_lifecycle/03_status_none_human.txt human", "01_lifecycle/05_list_empty_human.txt human",
	},
	"one thread is in progress: starting or resuming one pauses the one before": {
		"01_lifecycle/14_list_two.json tasks", "01_lifecycle/15_list_two_human.txt human", "01_lifecycle/16_status_all.json tasks",
		"01_lifecycle/17_show.json status", "01_lifecycle/23_list_after_resume_two_in_progress.json tasks",
		"01_lifecycle/artifacts_before_close/runtime-summary.json status", "01_lifecycle/29_list_end.json tasks",
		"01_lifecycle/artifacts_end/runtime-summary.json status", "02_errors_and_edges/26_list_end.json tasks",
		"02_errors_and_edges/artifacts_end/item.json status", "02_errors_and_edges/artifacts_end/n-code-f-goal.json status",
		"02_errors_and_edges/artifacts_end/second-goal.json status",
	},
	"a missing thread is an error with an exit status": {
		"01_lifecycle/19_show_missing.json exit", "01_lifecycle/20_show_missing_human.txt exit", "01_lifecycle/22_resume_missing.json exit",
	},
	"changed_fields are the fields that changed": {
		"01_lifecycle/24_close_blocked.json changed_fields", "01_lifecycle/28_close_resolved.json changed_fields",
		"02_errors_and_edges/14_update_when_full_drops_newest.json changed_fields",
		"02_errors_and_edges/20_close_other_thread_clears_pointer.json changed_fields",
		"25_paused_on_other_branch_recent/03_close_paused.json changed_fields",
	},
	"bad input is an error with a code and exit status 2, without a traceback": {
		"02_errors_and_edges/02_update_without_patch.txt exit", "02_errors_and_edges/03_update_bad_json.txt exit",
		"02_errors_and_edges/04_update_array.txt exit", "02_errors_and_edges/05_update_missing_file.txt exit",
	},
	"closing or updating without an active thread makes no empty thread": {
		"02_errors_and_edges/08_close_without_any_task_creates_phantom.json exit", "02_errors_and_edges/artifacts_phantom_close/active.json",
		"02_errors_and_edges/artifacts_phantom_close/task.events.jsonl", "02_errors_and_edges/artifacts_phantom_close/task.json",
		"02_errors_and_edges/09_update_without_active_reopens_phantom.json exit", "02_errors_and_edges/artifacts_phantom_update/active.json",
		"02_errors_and_edges/artifacts_phantom_update/task.events.jsonl", "02_errors_and_edges/artifacts_phantom_update/task.json",
		"02_errors_and_edges/artifacts_end/task.events.jsonl", "02_errors_and_edges/artifacts_end/task.json",
	},
	"an unknown status, or a text in place of a list, refuses the whole patch": {
		"02_errors_and_edges/11_update_unknown_status_and_keys.json exit", "02_errors_and_edges/12_update_list_given_string_splits_chars.json exit",
		"02_errors_and_edges/13_update_14_verified_keeps_first_12.json goal", "02_errors_and_edges/13_update_14_verified_keeps_first_12.json risks",
		"02_errors_and_edges/14_update_when_full_drops_newest.json goal", "02_errors_and_edges/14_update_when_full_drops_newest.json risks",
		"02_errors_and_edges/15_update_truncation_240.json risks", "02_errors_and_edges/16_update_null_clears_string.json risks",
		"02_errors_and_edges/17_update_status_paused.json risks", "02_errors_and_edges/20_close_other_thread_clears_pointer.json risks",
		"02_errors_and_edges/artifacts_end/fix-login-token-refresh.json risks",
		"02_errors_and_edges/artifacts_end/fix-login-token-refresh.events.jsonl",
	},
	"a full list drops its oldest entry, says so and logs it; the newest stays": {
		"02_errors_and_edges/13_update_14_verified_keeps_first_12.json verified", "02_errors_and_edges/14_update_when_full_drops_newest.json verified",
		"02_errors_and_edges/15_update_truncation_240.json verified", "02_errors_and_edges/16_update_null_clears_string.json verified",
		"02_errors_and_edges/17_update_status_paused.json verified", "02_errors_and_edges/20_close_other_thread_clears_pointer.json verified",
		"02_errors_and_edges/artifacts_end/fix-login-token-refresh.json verified", "50_discarded_hypotheses/04_update_2.json discarded_hypotheses",
		"50_discarded_hypotheses/05_prepare_subset.json active_work_state discarded_hypotheses",
		"50_discarded_hypotheses/artifacts/fix-deploy.json discarded_hypotheses",
	},
	"a thread that is paused or closed is not active any more": {
		"02_errors_and_edges/18_status_paused_still_active_pointer.json",
	},
	"closing another thread leaves the pointer alone": {
		"02_errors_and_edges/21_status_after_closing_other.json active",
	},
	"starting an existing thread is a conflict, not an overwrite": {
		"02_errors_and_edges/22_start_same_goal_again_overwrites.json exit", "02_errors_and_edges/artifacts_end/second-goal.events.jsonl",
	},
	"status and recently paused threads depend on the branch too": {
		"14_other_branch_unreachable/05_status_ignores_branch_safety.json",
		"25_paused_on_other_branch_recent/04_prepare_execution_subset.json recent_work_state",
	},
	"a command that checks nothing is no verified fact": {
		"30_finalize_success_facts/04_thread.json verified", "30_finalize_success_facts/artifacts/fix-login-token-refresh.json verified",
	},
}

// differences has the reasons by place.
var differences = func() map[string]string {
	places := map[string]string{}
	for reason, list := range replayReasons {
		for _, place := range list {
			places[place] = reason
		}
	}
	return places
}()

func TestTheManualTellsEveryDifference(t *testing.T) {
	raw, err := os.ReadFile("../../docs/threads.md")
	if err != nil {
		t.Fatal(err)
	}
	for reason := range replayReasons {
		if !strings.Contains(string(raw), "\n- "+reason+"\n") {
			t.Errorf("docs/threads.md does not tell that %s", reason)
		}
	}
}
