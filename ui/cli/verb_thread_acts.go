package cli

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

// The actors in a thread's log.
const (
	fromCLI = "cli"
	fromRun = "finalize_execution"
)

func (v *threadVerbs) start() verb {
	var c thread.Start
	var initial string
	return verb{
		use: "start GOAL", short: "Begin a thread and make it the active one", args: to(&c.Goal),
		example: "vise thread start 'Fix login token refresh'",
		flags: flags{
			{"task-id", &c.Task, "the thread's id (default: made from the goal)"},
			{"initial-json", &initial, "a JSON object laid over the fresh thread"},
			{"force", &c.Force, "replace a thread of the same id; its last state goes to its log"},
		},
		run: v.on(fromCLI, func(at *home.Repository) (answer, error) {
			var err error
			if c.Initial, err = (&patchFlags{jsonPatch: initial}).patch(v.Env); err != nil {
				return nil, err
			}
			a, err := at.Apply(v, c)
			r, err := threadAnswer(a, "", err)
			if err == nil {
				r.warnings = append(r.warnings, threadWarnings(linkStarted(v.Env, at.Repo.Root(), a.Thread.ID)...)...)
			}
			return r, err
		}),
	}
}

func (v *threadVerbs) update() verb {
	var p patchFlags
	var status string
	return verb{
		use: "update", short: "Change a thread",
		example: "vise thread update --verify 'make test passes'",
		flags:   slices.Concat(p.flags(), v.target(), flags{{"status", &status, "in_progress, paused, blocked, resolved or abandoned"}}),
		run: v.does("updated", func() (thread.Command, error) {
			if !p.given() && status == "" {
				return nil, threadMisuse("update needs --json-patch, --from-file, --status, --verify, --drop or --clear")
			}
			patch, err := p.patch(v.Env)
			if err == nil && status != "" {
				patch.Status, err = statusFlag(status, thread.Statuses)
			}
			return thread.Update{Task: v.task, Patch: patch, Rebind: v.rebind}, err
		}),
	}
}

func (v *threadVerbs) resume() verb {
	return verb{
		use: "resume ID", short: "Go on with a thread: it becomes the active one", args: to(&v.task), flags: v.target()[1:],
		example: "vise thread resume fix-login-token-refresh",
		run:     v.does("resumed", func() (thread.Command, error) { return thread.Resume{Task: v.task, Rebind: v.rebind}, nil }),
	}
}

func (v *threadVerbs) close() verb {
	var p patchFlags
	status := string(thread.Resolved)
	return verb{
		use: "close", short: "End or suspend a thread; its files stay",
		example: "vise thread close --status paused",
		flags:   slices.Concat(p.flags(), v.target(), flags{{"status", &status, "resolved, abandoned, blocked or paused"}}),
		run: v.does("closed", func() (thread.Command, error) {
			st, err := statusFlag(status, thread.Closings)
			if err != nil {
				return nil, err
			}
			patch, err := p.patch(v.Env)
			return thread.Close{Task: v.task, Status: st, Patch: patch, Rebind: v.rebind}, err
		}),
	}
}

// target are the flags that name the thread, and move it to the present branch.
func (v *threadVerbs) target() flags {
	return flags{
		{"task-id", &v.task, "the thread (default: the active one)"},
		{"rebind", &v.rebind, "move a parked thread to the current branch"},
	}
}

func statusFlag(s string, allowed []thread.Status) (thread.Status, error) {
	if st, ok := thread.ParseStatus(s); ok && slices.Contains(allowed, st) {
		return st, nil
	}
	return "", model.Invalid("there is no status %q here", model.Text(s)).
		WithHint("one of %s", strings.Join(as[string](allowed), ", ")).At("status")
}

// threadAnswer shows what a command did. mark names a member that is set to true, as the other program with this file format does.
func threadAnswer(a thread.Receipt, mark string, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	data := a.View()
	if mark != "" {
		data = data.With(mark, true)
	}
	r := &reply{data: data, warnings: threadWarnings(a.Warnings()...)}
	if mark == "updated" {
		r.say("Updated: %s", changedFields(a.Changed))
	}
	r.say("%s [%s] %s", a.Thread.ID, safe(a.Thread.Status), threadSummary(a.Thread))
	return r, nil
}

func changedFields(list []thread.Field) string {
	return cmp.Or(strings.Join(as[string](list), ", "), "nothing")
}

// as converts strings to another type.
func as[T, S ~string](words []S) []T {
	var out []T
	for _, w := range words {
		out = append(out, T(w))
	}
	return out
}

// patchFlags are the ways to give a change.
type patchFlags struct {
	jsonPatch, fromFile string
	verify, drop, clear []string
}

func (p *patchFlags) flags() flags {
	return flags{
		{"json-patch", &p.jsonPatch, "a JSON object: texts replace, lists append"},
		{"from-file", &p.fromFile, "a file with such an object, - for standard input; --json-patch wins key by key"},
		{"verify", &p.verify, "move an entry from unverified to verified"},
		{"drop", &p.drop, "FIELD=ENTRY: take an entry out of a list"},
		{"clear", &p.clear, "empty a field"},
	}
}

func (p *patchFlags) given() bool {
	return p.jsonPatch != "" || p.fromFile != "" || len(p.verify)+len(p.drop)+len(p.clear) > 0
}

func (p *patchFlags) patch(e *Env) (patch thread.Patch, err error) {
	layers, err := layers(e, p.fromFile, p.jsonPatch)
	if err != nil {
		return patch, err
	}
	drop := map[string][]string{}
	for _, d := range p.drop {
		field, entry, ok := strings.Cut(d, "=")
		if !ok {
			return patch, threadMisuse("--drop wants FIELD=ENTRY")
		}
		drop[field] = append(drop[field], entry)
	}
	flags, err := json.Marshal(struct {
		Verify []string            `json:"verify,omitempty"`
		Drop   map[string][]string `json:"drop,omitempty"`
		Clear  []string            `json:"clear,omitempty"`
	}{p.verify, drop, p.clear})
	if err != nil {
		return patch, err
	}
	return thread.ParsePatch(append(layers, flags)...)
}

// layers reads a file, then a text from the command line. Either can be absent.
func layers(e *Env, file, direct string) ([][]byte, error) {
	var out [][]byte
	if file != "" {
		raw, err := fileOrStdin(e, "from-file", file)
		if err != nil {
			return nil, err
		}
		out = append(out, []byte(raw))
	}
	if direct != "" {
		out = append(out, []byte(direct))
	}
	return out, nil
}
