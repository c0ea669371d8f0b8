package cli

import (
	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

func (v *threadVerbs) finalize() verb {
	var facts, file, patch string
	return verb{
		use: "finalize", short: "Add the facts of a run to the active thread",
		example: "vise thread finalize --from-file facts.json",
		flags: append(v.target()[:1], flags{
			{"facts-json", &facts, "the facts: execution_id, success, files_opened, files_edited, commands_executed, " +
				"tests_executed, contract, …"},
			{"from-file", &file, "a file with the facts, - for standard input"},
			{"json-patch", &patch, "what the run's author says of the thread, beside the facts"},
		}...),
		run: v.on(fromRun, func(at *home.Repository) (answer, error) {
			o, err := v.outcome(facts, file, patch)
			if err != nil {
				return nil, err
			}
			a, err := at.Apply(v, thread.Finalize{Outcome: o, Task: v.task})
			if err != nil {
				return nil, err
			}
			return finalizedAnswer(a), nil
		}),
	}
}

func (v *threadVerbs) outcome(facts, file, patch string) (thread.Outcome, error) {
	if (facts == "") == (file == "") {
		return thread.Outcome{}, threadMisuse("finalize needs either --facts-json or --from-file")
	}
	layers, err := layers(v.Env, file, facts)
	if err != nil {
		return thread.Outcome{}, err
	}
	o, err := thread.ParseOutcome(layers[0])
	if err != nil || patch == "" {
		return o, err
	}
	p, err := thread.ParsePatch([]byte(patch))
	o.Patch = &p
	return o, err
}

// finalizedAnswer reports what was written, or why nothing was.
func finalizedAnswer(a thread.Receipt) answer {
	r := &reply{data: a.FinalView(), warnings: threadWarnings(a.Warnings()...)}
	if a.NotKept == "" {
		r.lines = append(r.lines, "Updated: "+changedFields(a.Changed), threadSummary(a.Thread))
	} else {
		r.say("Nothing was kept: %v.", a.NotKept)
	}
	for _, g := range a.Fresh {
		r.say("Gap: %s: %v", model.Text(g.Severity), g.Summary)
	}
	for _, g := range a.Cleared {
		r.say("Gap cleared: %v", g.Summary)
	}
	return r
}
