package cli

// subverbs completes the verbs below one whose examples are known by name. Each first takes the run's environment.
func subverbs(under string, examples map[string]string, take func(*Env), verbs ...verb) []verb {
	for i := range verbs {
		v, run := &verbs[i], verbs[i].run
		v.who, v.example = acting, "vise "+under+" "+examples[v.name()]
		v.run = func(e *Env) (answer, error) { take(e); return run(e) }
	}
	return verbs
}

var threadExamples = map[string]string{
	"start": "start 'Fix login token refresh'", "status": "status", "update": "update --verify 'make test passes'",
	"list": "list", "show": "show fix-login-token-refresh", "where": "where wi-7f3k", "resume": "resume fix-login-token-refresh",
	"close": "close --status paused", "prepare": "prepare", "finalize": "finalize --from-file facts.json",
	"record": "record -- go test ./...", "doctor": "doctor",
}

var todoExamples = map[string]string{
	"create": "create 'The limiter leaks a timer' --source review --priority p1", "triage": "triage", "list": "list --status ready",
	"show": "show review/001", "next": "next --claim", "start": "start review/001", "block": "block review/001 --on review/002",
	"resolve":  "resolve review/001 'the caller checks it' --false-positive",
	"complete": "complete review/001 --reason 'the timer is stopped'", "reopen": "reopen review/001", "interrupt": "interrupt review/001",
	"resume": "resume review/001", "validate": "validate", "cleanup": "cleanup --session tmp/review/7",
	"import": "import report.sarif", "log": "log review/001 investigated", "sessions": "sessions", "promote": "promote review/001",
	"link": "link review/001 wi-7f3k",
}
