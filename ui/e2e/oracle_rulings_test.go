package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/user"
	"regexp"
	"slices"
	"strings"
)

// ruling is a difference that is meant.
type ruling struct {
	name, why string
	act       *regexp.Regexp // the acts that it is about
	// differs matches the parts of both answers that may differ; the rest is the same. Without it the answers may differ
	// altogether, where both refuse or both do not.
	differs *regexp.Regexp
	// ordered: the parts are the same, in another order.
	ordered bool
	// refusals: what was refused before may be done now.
	refusals bool
	// ends: what follows cannot be compared, and the trial ends.
	ends bool
	// only, if set, matches the earlier answers that it is about.
	only *regexp.Regexp
}

// rulings are all differences that are meant between the earlier program and today's.
var rulings = []ruling{
	{name: "fewer commands for file todos", why: "adopt, repair, manifest, graph and validate --order went; dedup is a part of validate, search one of vise search",
		act: regexp.MustCompile(`^(help )?todo\b`), differs: regexp.MustCompile(`(?s)vise todo adopt, .* validate|vise todo block, .* validate|\nCommands:.*\nFlags:`)},
	{name: "a list by chance", why: "threads of one second, and work trees by the random name of their item, have no order of their own",
		act: regexp.MustCompile(`^(! aictx task list|thread (list|status|prepare|doctor)|resume|worktrees)\b`), ordered: true},
	{name: "doctor has no check of known todo files", why: "vise keeps no contents of todo files any more",
		act: regexp.MustCompile(`^doctor\b`), differs: regexp.MustCompile(`\n?ok file todos \d+ files are as they are known|\{"message":"\d+ files are as they are known","name":"file todos","ok":true\},`)},
	{name: "a console's background", why: "its scheduler's offer and its note of a saved plan come in either order, and either it or the act notes the plan",
		act: regexp.MustCompile(`^events `), differs: regexp.MustCompile(`revision \d+|"(cursor|revision|seq|n)":("[^"]*"|\d+)|work_queue:[^"]*|\S+ why…|"actor":"(operator|external:watcher)"`), ordered: true},
	{name: "a console's background", why: "as the above, in the counts of doctor", act: regexp.MustCompile(`^doctor\b`),
		differs: regexp.MustCompile(`revision \d+|\d+ (records|changes|events)\b|\{"message":"\d+ files are as they are known","name":"file todos","ok":true\},`)},
	{name: "rows over MCP", why: "a row's plan has twelve digits of its hash, its time, and a preview of 160 characters",
		act: regexp.MustCompile(`^@\w+ ListWorkItems `), differs: regexp.MustCompile(`"plan_artifact":\{[^{}]*\}`)},
	{name: "hide and its undo are one command", why: "hide --withdraw ends both kinds of hiding",
		act: regexp.MustCompile(`^snooze .*--withdraw.*--json`), differs: regexp.MustCompile(`"command":"(Snooze|Acknowledge)"`)},
	{name: "undo is of the last act", why: "of answers, messages and completions too, where it passed over them", act: regexp.MustCompile(`^(undo|redo|keys [uU]$)`),
		refusals: true, ends: true},
	{name: "run names a program's place", why: "attach and run are one command", act: regexp.MustCompile(`^attach\b`), differs: regexp.MustCompile(`; a program comes after --: [^\n"]*`)},
	{name: "one act is one row", why: "what followed from an act stands in its line of events", act: regexp.MustCompile(`^events( --item \S+)?( --limit \d+)?$`)},
	{name: "other names", why: "forty-five commands at the top; the former names run, and say the present one", act: regexp.MustCompile(``),
		differs: regexp.MustCompile(`^$`)},
	{name: "next and why are one", why: "why says of an agent what next said, and has its fields", act: regexp.MustCompile(`^(next|why (ann|ben))\b`)},
	{name: "meant", why: "an error says what was meant", act: regexp.MustCompile(`^(wait .*--until|say|search|list --filter|help (agents|say)|agents [a-z]*$)`),
		only: regexp.MustCompile(`exit [23]|Usage|agents`)},
	{name: "why needs no name", why: "without one it is about the agent", act: regexp.MustCompile(`^why( --json)?$`),
		only: regexp.MustCompile(`is missing`), refusals: true},
	{name: "hide needs no time", why: "without one it hides until something new happens", act: regexp.MustCompile(`^snooze \S+( --json)?$`),
		only: regexp.MustCompile(`a flag is missing`), refusals: true, ends: true},
	{name: "help in other words", why: "it follows the words on screen, and one command has the words of those that were merged into it", act: regexp.MustCompile(`^help\b`)},
	{name: "what is found wrong first", why: "of two mistakes in one command the item that does not exist is named before the value that does not read",
		act: regexp.MustCompile(`^(link|unlink|snooze) .*`), only: regexp.MustCompile(`"invalid"|is not a |there is no thread`)},
	{name: "more subcommands and flags", why: "agents remove and rename, thread update and where, wait --after",
		act: regexp.MustCompile(`^(agents|thread|wait)\b`), differs: regexp.MustCompile(` agents add,.*|, start, status.*|--task, (--after, )?|--max-tokens-per-day, `)},
	{name: "why tries no acts", why: "it says the order and its reasons; what an act would change was worked out for that alone",
		act: regexp.MustCompile(`^(why|help why)\b`), differs: regexp.MustCompile(`,?"what_if":\[[^\]]*\]|(?s)\s*(\nwhat if\n.*)?$`)},
	{name: "search finds file todos", why: "vise search lists the repository's file todos behind the work items; todo search went",
		act: regexp.MustCompile(`^(help )?search\b`), differs: regexp.MustCompile(`("file_todos":\[.*\],)?"returned"|\n[a-z-]+/\d{3} p\d [^\n]*|(?s)looks at one agent's alone\..*Usage:`)},
	{name: "a filter names what its term knows", why: "the kinds of terms are one table, with one message",
		act: regexp.MustCompile(`^(list --filter|search) `), only: regexp.MustCompile(`does not read: |! No term `)},
	{name: "undo is of the last act", why: "it passed over what cannot be undone", act: regexp.MustCompile(`^(help )?undo\b`)},
	{name: "an answered need is not asked", why: "it says so until its agent has read the answer", act: regexp.MustCompile(`^(inbox|brief|status|show|why)\b`),
		only: regexp.MustCompile(`needs_input|needs (your )?input|\): asks, ‹span›`)},
	{name: "an answer is said to be unread", why: "as the above", act: regexp.MustCompile(`^(why|show|inbox)\b`), differs: regexp.MustCompile(
		`(?s)("answered":\[.*\],)?"inbox"|,?\{"label":"Answered"[^{}]*\}|\n?[^\n{}]*(Answered|answered, not yet read|Answered, not picked up)[^\n{}]*`)},
	{name: "an answer is said to be unread", why: "as the above", act: regexp.MustCompile(`^keys `),
		differs: regexp.MustCompile(`,?\{([^{}]|\{[^{}]*\})*"need":"(asks|answered)"([^{}]|\{[^{}]*\})*\},?|("answered":\[.*?\],)?"inbox"`)},
	{name: "the next step decides nothing", why: "the palette finds it under tick where no todo can be ticked; it acknowledged a report",
		act: regexp.MustCompile(`^keys .* (: tick enter|t space ctrl-s)$`), ends: true},
	{name: "a hidden question leaves the inbox", why: "the console's hide is one act, and hides what hiding alone would leave as seen",
		act: regexp.MustCompile(`^keys .* A enter$`), only: regexp.MustCompile(`"need":"(asks|stalled)"`), ends: true},
	{name: "a second answer warns", why: "to a plan that needs input too", act: regexp.MustCompile(`^answer\b`),
		differs: regexp.MustCompile(`\n?vise: warning: it was answered before[^\n]*|\{[^{}]*answered_before[^{}]*\}`)},
	{name: "a report says what its completion was warned of", why: "however late it is given", act: regexp.MustCompile(``),
		differs: regexp.MustCompile(`(?s),?"warnings":\[(\{[^{}]*("sample":\[[^\]]*\])?\},?)*\]|vise: warning: [^\n]*\n?|(\n|\\n)? *warned: [^\n"\\]*|\n! [^\n]* unfinished|"tokens":\d+`)},
	{name: "warnings of a completion stay with its report", why: "a later report dropped them", act: regexp.MustCompile(`^(complete|show|events)\b`),
		only: regexp.MustCompile(`unfinished|still blocked|completed_while_blocked|unverified|"action":"completed"`)},
	{name: "one act is one row", why: "what followed from it stands behind it", act: regexp.MustCompile(`^events\b`),
		differs: regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [^\n]*\n?`)},
	{name: "agents are run over a protocol", why: "settings name a program; the private adapters went", act: regexp.MustCompile(`^config schema\b`)},
	{name: "SpawnAgent has a preset", why: "and names no work item: it is the focus that the agent serves", act: regexp.MustCompile(`^@\w+ SpawnAgent `)},
	{name: "a delegation has a label", why: "the first line of the words with which its agent was made", act: regexp.MustCompile(`^delegate list\b`),
		differs: regexp.MustCompile(`(?m),"label":"[^"]*"| of (ann|ben)(: [^\n]*)?$`)},
	{name: "what a session does is told", why: "of an agent whose session lives, in place of when its next turn comes", act: regexp.MustCompile(`^(agents|why|status)\b`),
		differs: regexp.MustCompile(`,?"session":\{[^{}]*\}| ?(working|idle) ‹span›|(asleep: it sleeps until|waits for [a-z ]+: its work waits|idle: it has no work|is due for a turn|runs next now, if it is driven|working in a session|asks [a-z ]*in a session|is idle in a session|stopped: no turn begins)[^"\n]*`)},
	{name: "what a session does is told", why: "as the above, before a list", act: regexp.MustCompile(`^(list|keys)\b`),
		differs: regexp.MustCompile(`,?"session":\{[^{}]*\}|\n?\b(ann|ben) [^\n]* in a session of [^\n]*`)},
	{name: "a session is its agent's", why: "two agents' programs may give theirs the same id", act: regexp.MustCompile(`^attach\b`),
		only: regexp.MustCompile(`--resume`), refusals: true},
	{name: "a linked todo has its full id", why: "a short one could mean another session's", act: regexp.MustCompile(`^(show|complete)\b`),
		differs: regexp.MustCompile(`\breview/7/`)},
	{name: "OpenCode's plugin tells tokens", why: "those of each reply, once", act: regexp.MustCompile(`^install opencode\b`)},
	{name: "OpenCode's plugin tells tokens", why: "as the above, in its file", act: regexp.MustCompile(`^the files$`), only: regexp.MustCompile(`client\.session\.promptAsync`)},
	{name: "a todo waits in its own session", why: "the hint says so", act: regexp.MustCompile(`^todo (block|create)\b`),
		differs: regexp.MustCompile(`vise todo list shows the todos|a todo waits for todos of its own session; vise todo list shows them`)},
	{name: "a session is known that was not", why: "each hook tells of it", act: regexp.MustCompile(`^attach\b`),
		only: regexp.MustCompile(`no session of \w+ is known`), refusals: true},
	{name: "one form of a program's settings", why: "versions of Claude Code and Codex are not told apart, so hooks do not depend on what a version says",
		act: regexp.MustCompile(`^install (claude|codex)\b`)},
	{name: "install prints its notes last", why: "and has Claude Code load vise's tools at once", act: regexp.MustCompile(`^install\b`), ordered: true,
		differs: regexp.MustCompile(`,?\n\+ *"alwaysLoad": true|@@ [^@]* @@`)},
	{name: "a decision names one todo", why: "by its full id, or by a short one that means no other", act: regexp.MustCompile(`^complete .*--todo `),
		only: regexp.MustCompile(`is not an open todo`)},
	{name: "todos of all sessions are checked", why: "validate is a query as the others; a problem names its session and file", act: regexp.MustCompile(`^todo validate\b`),
		differs: regexp.MustCompile(`"(session|file)":"[^"]*",?`), refusals: true},
	{name: "a dead claimant's todo", why: "one call takes it, where it was interrupted and had to be resumed first", act: regexp.MustCompile(`^todo start\b`),
		only: regexp.MustCompile(`from interrupted it can go`), refusals: true, ends: true},
	{name: "a dead claimant's todo", why: "as the above, in its file and in show", act: regexp.MustCompile(`^todo (files after todo start|show)\b`),
		only: regexp.MustCompile(`(lease: \{id: |"lease":\{"id":)"first"`)},
	{name: "a dead claimant's todo", why: "its late completion is told the way", act: regexp.MustCompile(`^todo complete\b`),
		differs: regexp.MustCompile(`from interrupted it can go to ready, wont_fix|its claim has ended: vise todo resume ID makes it ready, vise todo start ID claims it`)},
	{name: "a dead claimant's todo", why: "more leases were given before", act: regexp.MustCompile(`^todo\b`),
		differs: regexp.MustCompile(`cli-‹hash\d+›`)},
	{name: "dismissed before", why: "the shell says it as the console's triage does", act: regexp.MustCompile(`^todo (triage|show)\b`),
		differs: regexp.MustCompile(`,"dismissed_before":\{[^{}]*(\{[^{}]*\}[^{}]*)*\}|\n +dismissed before, [^\n]*`)},
	{name: "another text has the id", why: "a finding is not skipped silently for one that says something else", act: regexp.MustCompile(`^todo (create|import)\b`),
		differs: regexp.MustCompile(`,"other_text":true|\{"kind":"file_todos","message":"skipped [^"]*"\}|[^\n]*skipped [^\n]*\n?`)},
	{name: "what is not kept says why", why: "finalize and record give the reason and the way on, status and errors the thread to resume; claims are said to be claims",
		act: regexp.MustCompile(`^(thread|resume|show|complete|pick)\b`), differs: regexp.MustCompile(
			`,?"(nothing_kept|hint)":"([^"\\]|\\.)*"|,?"verified_grades":\{[^{}]*\}|\n?(Nothing (was kept|written|to write)|No active thread|vise thread|  +see vise thread|      )[^\n]*|` +
				`\{"kind":"thread","message":"(claimed|a secret)[^"]*"\},?|vise: warning: (claimed|a secret)[^\n]*\n?|\[redacted:[a-z_]+\]`)},
	{name: "an emptied pointer keeps the only thread in progress", why: "AICTX empties it when it closes another thread; a save in progress moves it, as AICTX's does",
		act: regexp.MustCompile(`^(thread|resume|link)\b`), only: regexp.MustCompile(`no thread is active|"active":false|No active thread|"active_work_state":\{\}|Nothing|"thread":null`),
		refusals: true, ends: true},
	{name: "an agent is told where the work was left", why: "its context and GetWorkItem have the thread and the linked open todos",
		act: regexp.MustCompile(`^(context|prime|hook|@\w+ GetWorkItem)\b`)},
	{name: "a task that took no time", why: "a task's end leaves out a duration below a millisecond", act: regexp.MustCompile(`^(task|events) `),
		differs: regexp.MustCompile(`"duration_ms":‹›,?`)},
	{name: "a note has no word for its kind", why: "its text says it", act: regexp.MustCompile(`^(notes|context) `), differs: regexp.MustCompile(
		`"kind":"(scope|step|blocker|trigger|answer|decision|plan|task|report)",?|Z  ((scope|step|blocker|trigger|answer|decision|plan|task|report|reply) +|reply: )`)},
	{name: "doctor runs no program", why: "doctor --prove and its model are tests' own", act: regexp.MustCompile(`^help doctor\b`),
		differs: regexp.MustCompile(` --prove runs\nthe program itself, [^:]*vise\.| *--prove  [^\n]*\n[^\n]*\n`)},
}

// present are the names of commands that have another name since the earlier program, where its answers tell of them.
var present = map[string]string{"ack": "hide", "snooze": "hide", "comment": "review comment", "redo": "undo --redo", "unlink": "link --remove",
	"attach": "run", "notes": "context", "prime": "context prime", "worktrees": "worktree list"}

var (
	formerName = regexp.MustCompile(`\bvise (ack|snooze|comment|redo|unlink|attach|notes|prime|worktrees|` +
		`init|import|config|demo|hosts|fleet|move|compact|notify|completion|man|version)\b`)
	isNow = regexp.MustCompile(`vise: "[a-z-]+" is now "[^"]+"; the old name goes with 0\.2\n?`)
)

// otherWords are the words for people of the earlier program, as expressions, each followed by today's (model/words.go). JSON has them in
// sentences alone.
var otherWords = []string{
	`; vise help explains them`, "; vise help --all explains them",
	`\basked by operator\b`, "asked by you",
	`it has a current work item`, "its work goes on",
	`▶( \d+)? current\b`, "▶$1 works",
	`already current`, "already picked",
	`\bset a recheck \(`, "say when to check again (",
	`\bset a recheck("|\\n)`, "say when to check again (recheck)$1",
	`\bkept \(operator\)`, "kept (you)",
	`\bby operator\b`, "by you",
	`\bno act of the operator is`, "no act of yours is",
	`\brunnable work was left`, "work that can go on was left",
	`\bits end triggers only waits`, "its end is news only for waits",
	`\bthe operator may force`, "a person can use --force",
	`exit 0\nacknowledged ‹`, "exit 0\nhidden ‹",
	`needs you: it waits for the operator`, "asks you: it waits for your answer",
	`it waits for the operator:`, "it waits for an answer:",
	`(\d+) snoozed; vise inbox`, "$1 hidden; vise inbox",
	`\bsnoozed until`, "hidden until",
	`\bNot runnable\b`, "Not ready",
	`\ba trigger alone\b`, "news alone",
	`is current, picked for inspection`, "is picked, for review",
	`"Recheck","text":"due in`, `"Check again","text":"in`, `\nRecheck due in`, "\nCheck again in",
	`\ba trigger is to be reviewed`, "there is news to review",
	`\bretried by the operator`, "tried again", `(ann|ben) triggered, ‹`, "$1 news, ‹",
	`\bno runnable work`, "no ready work",
	`taken note of its trigger: triggered by`, "taken note of this: news from",
	`\btriggered by`, "news from",
	`◆( \d+)? triggered`, "◆$1 news",
	`exit 0\ntriggered ‹`, "exit 0\nnews for ‹",
	`vise (snooze|hide) ID --until WHEN`, "vise hide ID",
	`· waiting system`, "· waits for the system", `· waiting external`, "· waits for an event", `· waiting timer`, "· waits for a time",
	`· waiting operator`, "· waits for you", `· waiting task`, "· waits for a task",
	`\nrecheck ‹`, "\ncheck again ‹",
	`■ current`, "■ blocked, picked",
	`"current: it is the focus, and runnable"`, `"works: its agent has picked it, and it can go on"`,
	`had already ended; the wait is triggered`, "had already ended: there is news at once",
	`it is not runnable, and`, "it cannot go on, and",
	`see vise help snooze`, "see vise help hide",
	`\bClass current: it is the focus, and runnable`, "Class works: its agent has picked it, and it can go on",
	`"current: it is the focus, and runnable"`, `"works: its agent has picked it, and it can go on"`,
	`\bit is current(\n|")`, "it works$1",
	`\bIdle with a (news from|trigger by)`, "Idle, with news from",
	`◆ triggered`, "◆ news",
	`usage: vise todo resolve ID \[REASON…\] --VERDICT[^"\n]*`, "say it with --reason, or after the id of vise todo resolve",
	`say it with --reason("|\n)`, "say it with --reason, or after the id of vise todo resolve$1",
	`free some space; vise admin compact gives free pages back`, "free some space; du -sh DIR/home/* shows what the home takes: what is in aside/ may go, and of snapshots/ all but the newest",
	`Evidence(","text":"|\s+)its wait for ([^"\n]*?) was (?:triggered|news) (?:by|from) the operator, at`, "News${1}for its wait for $2, from you at",
	`Evidence(","text":"|\s+)its wait for ([^"\n]*?) was (?:triggered|news) (?:by|from) (\S+), at`, "News${1}for its wait for $2, from $3 at",
	`\?( \d+)? needs you`, "?$1 asks you",
	`(‹\w+›(-\d+)?) external, (pending|triggered|cancelled)`, "$1 event, $3",
	`undone(: |":")(‹wi\d+›) waits for timer`, "undone$1$2 waits for a time",
	`undone(: |":")(‹wi\d+›) waits for external event`, "undone$1$2 waits for an event",
	`undone(: |":")(‹wi\d+›) waits for operator`, "undone$1$2 waits for your answer",
	`not JSON: EOF`, "not JSON: unexpected end of JSON input",
	`\((ann|ben)\): triggered`, "($1): news",
	`the round names a work item: `, "",
	`(?m)^(‹moment›) (?:(?:scope|step|blocker|trigger|answer|decision|plan|task|report|reply) +|reply: )`, "$1 ",
	`triggered: blocked, and a wait of it was triggered`, "news: it is blocked, and what it waits for has happened",
	`newest trigger first`, "latest news first",
	`(‹\w+›(-\d+)?) operator, (pending|triggered|cancelled)`, "$1 you, $3",
	`(‹in\d+› ‹wi\d+› \S+) triggers`, "$1 is news for the item",
	`\? current ‹`, "? asks you, picked ‹",
	`(queued|works) · runnable\b`, "$1 · ready",
	`▶ current · runnable`, "▶ works · ready",
	`open and runnable, not the focus`, "open and ready, not picked",
	`(Not current)(","text":"| )nothing is; only a pick sets the focus`, "Not picked${2}nothing is picked; only a pick changes that",
	`Not current`, "Not picked",
	`(‹\w+›) is current and still runnable; focus is sticky`, "$1 works and can go on; only a pick changes that",
}

// otherNames are both answers without what follows from the other names of commands.
func otherNames(old, now string) (string, string) {
	old = formerName.ReplaceAllStringFunc(old, func(s string) string {
		name := strings.TrimPrefix(s, "vise ")
		return "vise " + cmp.Or(present[name], "admin "+name)
	})
	for i := 0; i < len(otherWords); i += 2 {
		old = regexp.MustCompile(otherWords[i]).ReplaceAllString(old, otherWords[i+1])
	}
	return strings.TrimSpace(old), strings.TrimSpace(unnamed(isNow.ReplaceAllString(now, "")))
}

// unnamed is an answer of today's without the person who is the operator: the earlier program told of nobody.
func unnamed(now string) string {
	u, err := user.Current()
	if err != nil {
		return now
	}
	name := regexp.QuoteMeta(u.Username)
	for _, x := range [][2]string{
		{`,?"person":"[^"]*"`, ""}, {`\b(by|from) ` + name + `\b`, "$1 you"}, {`\b` + name + ` (answered|completed)`, "$1"},
		{` ` + name + `( +\+)`, " operator$1"}, {`\breport, ` + name, "report, you"},
	} {
		now = regexp.MustCompile(x[0]).ReplaceAllString(now, x[1])
	}
	return now
}

// together returns the names of rulings that explain a difference only together.
func together(act, old, now string) (names []string) {
	ordered := false
	for _, r := range rulings {
		if r.differs == nil || r.ends || !r.act.MatchString(act) || r.only != nil && !r.only.MatchString(old) {
			continue
		}
		ordered = ordered || r.ordered
		shortOld, shortNow := r.differs.ReplaceAllString(old, ""), r.differs.ReplaceAllString(now, "")
		if shortOld != old || shortNow != now {
			old, now, names = shortOld, shortNow, append(names, r.name)
		}
	}
	if old != now && !(ordered && slices.Equal(parts(old), parts(now))) {
		return nil
	}
	return names
}

func (r ruling) explains(act, old, now string) bool {
	if !r.act.MatchString(act) || r.only != nil && !r.only.MatchString(old) {
		return false
	}
	if r.differs == nil && !r.ordered {
		return r.refusals || strings.HasPrefix(old, "exit 0") == strings.HasPrefix(now, "exit 0")
	}
	if r.differs != nil {
		old, now = r.differs.ReplaceAllString(old, ""), r.differs.ReplaceAllString(now, "")
	}
	return old == now || r.ordered && slices.Equal(parts(old), parts(now))
}

// beginning is how each trial begins, so that there is something to act on.
var beginning = []string{"init --agent ann", "agents add ben", "new TEXT --agent ann --json", "new TEXT --agent ann --plan PLAN --json",
	"new TEXT --agent ben --todo TEXT --json", "todo create TEXT --source review --session tmp/review/7 --ready --json",
	"todo create TEXT --source review --session tmp/review/7 --priority p1 --json", "thread start GOAL --json", "pick ITEM --json"}

// parts are the objects or lines of an answer, sorted.
func parts(s string) []string {
	all := strings.FieldsFunc(s, func(c rune) bool { return c == '{' || c == '}' || c == '\n' })
	slices.Sort(all)
	return slices.Compact(all)
}

// commands are acts of the shell. Words in capitals are filled in (fillers); [words] are left out at times; one of
// a|b|c is chosen. "<" begins the standard input, "!" a line of the shell in the repository, "!plan" the edit of a plan.
const commands = `
new TEXT [--agent AGENT] [--priority high|normal|low] [--todo TEXT] [--todo TEXT] [--plan PLAN] [--json]
new TEXT --agent AGENT --plan-status draft|ready|needs_input|later [--json]
new --from ITEM [--json]
new TEXT --key KEY --json
new TEXT --agent ann --json
new TEXT --agent ben --json
pick ITEM [--reason TEXT] [--clear-blocker] [--if-revision NUMBER] [--json]
pick ITEM --reason TEXT
pick ITEM --reason TEXT --json
pick ITEM --actor agent:AGENT --agent AGENT --json
update ITEM [--objective TEXT] [--priority high|normal|low|urgent] [--plan-status draft|ready|needs_input] [--json]
update ITEM --objective TEXT --json
update ITEM --todos TODOS [--json]
update ITEM --if-revision NUMBER --objective TEXT --json
block ITEM TEXT [--recheck SPAN] [--json]
unblock ITEM [--json]
unblock WAIT --json
wait ITEM --operator TEXT [--choice LRU] [--choice LFU] [--reason TEXT] [--json]
wait ITEM --external RESOURCE [--source ci|review] [--recheck SPAN] [--condition TEXT] [--json]
wait ITEM --timer 2h|tomorrow|9:00|yesterday [--json]
wait ITEM --system --reason TEXT --json
wait ITEM --pr acme/gateway#NUMBER --json
wait [ITEM] --task TASK --json
wait --agent AGENT --operator TEXT --json
answer ITEM|WAIT|AGENT TEXT [--plan-ready] [--json]
answer ITEM LRU --json
trigger ITEM|WAIT [--source ci] [--payload TEXT] [--json]
trigger --agent AGENT --resource RESOURCE [--wake external|timer] --json
trigger list [--json]
trigger url ITEM --json
trigger revoke CAPABILITY --json
complete ITEM [--force] [--json]
complete ITEM --report-file - [--json] <REPORT
complete ITEM --abandon TEXT [--dead-end] --json
complete ITEM --anyway TEXT --todos finished|keep|wont_fix:no|wrong --json
complete ITEM --todo TODO=finished --json
report ITEM [--json]
report ITEM --file - --json <REPORT
report ITEM --none|--offered=1 --json
ack ITEM [--withdraw] [--json]
snooze ITEM --until 2h|3d|change|never [--json]
snooze ITEM --withdraw --json
undo [ITEM] [--json]
undo
redo [ITEM] [--json]
redo --json
say AGENT TEXT [--item ITEM] [--priority background|normal|next|interject] [--json]
delegate ITEM TEXT --to AGENT|eve [--blocking] [--json]
delegate ITEM --child ITEM --json
delegate cancel DELEGATION TEXT --json
delegate list [--json]
comment ITEM limit.go:3 TEXT [--json]
comment ITEM nothing.go TEXT --json
review ITEM [--send] [--json]
retry ITEM|AGENT --json
permit AGENT|ITEM once|always|deny --json
agents [--json]
agents add AGENT|eve|eve --json
agents set AGENT [--posture awake|asleep|stopped] [--evidence none|warn|require] [--max-turns-per-hour NUMBER] [--auto-pick] [--json]
agents stop|resume AGENT --json
task run [--item ITEM] --quiet --summary TEXT -- true
task run --item ITEM --json -- sh -c false
task list [--json]
task show TASK --json
list [--agent AGENT] [--limit NUMBER] [--todos] [--json]
list all|open|completed|current|queued|blocked|runnable|waiting_for_operator [--json]
list --filter class:queued|class:needs|age:>1d|agent:ann|limiter|pr:x [--json]
search WORD [WORD] [--limit NUMBER] [--json]
search --json WORD class:queued,blocked|class:done|agent:ben
show ITEM [--story] [--json]
why ITEM|AGENT [--json]
next [--agent AGENT] [--json]
inbox [--agent AGENT] [--snoozed] [--limit NUMBER] [--json]
events [--item ITEM] [--limit NUMBER] [--json]
events --after 0 --limit NUMBER --json
brief [--since 8h] [--markdown] [--json]
cost [--days NUMBER] [--turns] [--json]
status [--format tmux|waybar|json] [--agent AGENT]
status [--json]
context [--agent AGENT] [--budget 500|2000] [--json]
notes ITEM [--json]
resume [ITEM] [--json]
plan show ITEM [--at 1] [--json]
plan log ITEM [--limit NUMBER] [--json]
plan diff ITEM 1 [2] [--json]
plan status ITEM [draft|ready|needs_input] [--json]
plan path ITEM [--json]
plan edit ITEM
link ITEM --ref issue:NUMBER [--json]
link ITEM --todo TODO [--json]
link ITEM --thread THREAD [--json]
unlink ITEM --ref issue:NUMBER|branch:x [--json]
unlink ITEM --todo TODO --json
worktree new ITEM [--json]
worktree done ITEM [--remove] [--json]
worktrees [--json]
thread start TEXT [--force] [--json]
thread start GOAL --force --json
thread update --verify TEXT [--json]
thread update --json-patch PATCH [--json]
thread update --status active|paused|blocked|done [--json]
thread update --drop TEXT --json
thread close [--status paused|resolved|abandoned|blocked] [--json]
thread status [--all] [--json]
thread list [--everywhere] [--json]
thread show THREAD [--json]
thread resume THREAD [--rebind] [--json]
thread prepare [--json]
thread finalize --facts-json FACTS [--json]
thread record [--stay] [--json] -- true
thread record --json -- sh -c false
thread doctor [--yes] [--json]
todo create TEXT --source review|plan|report [--priority p1|p2|p3] [--finding SEC-NUMBER] [--ready] [--files limit.go:3] [--depends TODO] [--session tmp/review/7] [--json]
todo create TEXT --source review --session tmp/review/7 --ready --json
todo create TEXT --source plan --session tmp/review/7 --priority p1 --json
todo list [--status ready|pending|blocked] [--priority p1] [--json]
todo show TODO [--json]
todo next [--claim] [--session tmp/review/7] [--as TEXT] [--json]
todo start TODO [--approve] [--as ann] [--force] [--json]
todo complete TODO --reason TEXT [--as ann] [--json]
todo block TODO --on TODO [--reason TEXT] [--json]
todo interrupt TODO [--reason TEXT] [--as ann] [--json]
todo resume [TODO] [--session tmp/review/7] [--json]
todo log TODO investigated|tested [--did TEXT] [--learned TEXT] [--json]
todo resolve TODO TEXT --wont-fix|--false-positive|--out-of-scope|--superseded [--json]
todo resolve TODO --undo --json
todo reopen TODO TEXT --json
todo triage [--json]
todo triage TODO [--approve|--wont-fix|--defer|--undo] [--reason TEXT] [--priority p2] [--json]
todo promote TODO [--again] [--agent AGENT] [--json]
todo link TODO ITEM [--remove] [--json]
todo sessions [--json]
todo validate [--fix] [--json]
todo cleanup --session tmp/review/7 [--json]
todo import REPORT.sarif --json
config show [--origin] [--json]
config check|schema [--json]
doctor [--json]
compact
attach ITEM --print
prime [--json]
install claude|codex|opencode|crush|gemini|copilot --dry-run
install claude|codex|opencode|crush|gemini|copilot [--uninstall]
help COMMAND
COMMAND ITEM --nothing
COMMAND
COMMAND ITEM
COMMAND --json
list --agent nobody --json
show wi-zzzz --json
show ITEM --agent AGENT --actor agent:ben --json
complete ITEM --actor agent:AGENT --agent AGENT --json
hook claude SessionStart --agent AGENT <{"session_id":"s1","cwd":"DIR","source":"startup"}
hook claude UserPromptSubmit --agent AGENT <{"session_id":"s1","prompt":"Go on"}
hook claude Stop --agent AGENT <{"session_id":"s1"}
hook codex SessionStart <nothing
!plan ITEM PLAN
!plan ITEM PLAN
! git checkout -q -B other
! git checkout -q main
! echo 'var least = NUMBER' >> limit.go
! git commit -q -a -m changed
! sed -i 's/^status: .*/status: "ready"/' $(ls -d tmp/*/*/todos/*/*.md 2>/dev/null | head -1) /dev/null 2>/dev/null
`

// inTurns are acts of AICTX and of vise on the same threads.
const inTurns = `
! aictx task start 'GOAL' --json
! aictx task start 'TEXT'
! aictx task update --json-patch 'PATCH' --json
! aictx task update --json-patch '{"verified":["TEXT"],"next_action":"TEXT"}'
! aictx task close --status paused --json
! aictx task close --status resolved
! aictx task resume THREAD --json
! aictx task show THREAD --json
! aictx task status --json
! aictx task list --json
thread start GOAL [--force] --json
thread start TEXT --json
thread update --json-patch PATCH --json
thread update --verify TEXT --json
thread update --drop TEXT --json
thread close --status paused|resolved|abandoned|blocked --json
thread resume THREAD [--rebind] --json
thread status [--all] --json
thread list --json
thread show THREAD --json
thread prepare --json
thread finalize --facts-json FACTS --json
thread record --json -- sh -c false
thread doctor [--yes] --json
link ITEM --thread THREAD --json
resume ITEM --json
! git checkout -q -B other
! git checkout -q main
! git commit -q -a -m changed
! echo 'var least = NUMBER' >> limit.go
`

// toolCalls are calls of tools: the agent, the tool, its arguments.
const toolCalls = `
@AGENT CreateWorkItem {"objective":"TEXT"}
@AGENT CreateWorkItem {"objective":"TEXT","plan":"PLAN","plan_status":"draft|ready|needs_input"}
@AGENT CreateWorkItem {"objective":"TEXT","todo_list":[{"text":"TEXT","state":"pending"},{"text":"TEXT","state":"in_progress|completed|done"}]}
@AGENT CreateWorkItem {"objective":""}
@AGENT UpdateWorkItem {"work_item_id":"ITEM","objective":"TEXT"}
@AGENT UpdateWorkItem {"work_item_id":"ITEM","blocked_by":"TEXT","recheck_after_ms":7200000}
@AGENT UpdateWorkItem {"work_item_id":"ITEM","blocked_by":null}
@AGENT UpdateWorkItem {"work_item_id":"ITEM","plan_status":"draft|ready|needs_input","seen_revision":NUMBER}
@AGENT UpdateWorkItem {"work_item_id":"ITEM","todo_list":[{"text":"TEXT","state":"pending|in_progress|completed"},{"text":"TEXT","state":"in_progress"}]}
@AGENT PickWorkItem {"work_item_id":"ITEM"}
@AGENT PickWorkItem {"work_item_id":"ITEM","reason":"TEXT","clear_blocker":true|false}
@AGENT PickWorkItem {"work_item_id":"ITEM","reason":"TEXT"}
@AGENT GetWorkItem {"work_item_id":"ITEM","include_todo_list":true|false}
@AGENT GetWorkItem {"work_item_id":"ITEM","todo_offset":NUMBER}
@AGENT ListWorkItems {}
@AGENT ListWorkItems {"filter":"all|open|completed|current|queued|blocked|waiting_for_operator|runnable|wrong","limit":NUMBER,"include_todo_list":true}
@AGENT CompleteWorkItem {"work_item_id":"ITEM"}
@AGENT CompleteWorkItem {"work_item_id":"ITEM","seen_revision":NUMBER}
@AGENT CompleteWorkItem {"work_item_id":"ITEM","linked_todos":{"TODO":"finished|keep|wrong"}}
@AGENT ReportWorkItem {"work_item_id":"ITEM","report":"TEXT"}
@AGENT WaitFor {"reason":"TEXT","wake":"operator_input","question":"TEXT","choices":["LRU","LFU"]}
@AGENT WaitFor {"reason":"TEXT","wake":"external","resource":"RESOURCE","source":"ci","work_item_id":"ITEM"}
@AGENT WaitFor {"reason":"TEXT","wake":"timer","resource":"2h|30m|soon"}
@AGENT WaitFor {"reason":"TEXT","wake":"task_result","resource":"TASK|DELEGATION"}
@AGENT WaitFor {"reason":"TEXT","wake":"system|nothing","work_item_id":"ITEM","recheck_after_ms":7200000}
@AGENT NotifyOperator {"message":"TEXT"}
@AGENT OpenDelegation {"work_item_id":"ITEM","to":"AGENT","objective":"TEXT"}
@AGENT SpawnAgent {"initial_message":"TEXT"}
@AGENT Nothing {"x":1}
@AGENT GetWorkItem {"work_item_id":7}
@AGENT GetWorkItem {}
`

// keysOfActs are the keys of acts in a console, on a row of a desk. Where today's are others, they follow =>. A word
// of several letters that names no key is typed.
const keysOfActs = `
ROW p ctrl-s
ROW p tab TYPED ctrl-s
ROW b TYPED ctrl-s
ROW b TYPED ctrl-s
ROW b
ROW w TYPED tab TYPED ctrl-s
ROW w 1 tab TYPED tab TYPED ctrl-s
ROW w 3 tab TYPED tab ci tab run/7 ctrl-s
ROW w 4 tab TYPED tab 2h ctrl-s
ROW i TYPED ctrl-s
ROW i TYPED ctrl-s
ROW i TYPED tab space ctrl-s
ROW r ctrl-s
ROW m TYPED ctrl-s
ROW m TYPED tab 2 ctrl-s
ROW c ctrl-s
ROW c TYPED ctrl-s
ROW e
ROW t o TYPED enter ctrl-s
ROW t space ctrl-s
ROW t j J ctrl-s
ROW t D ctrl-s
ROW A => ROW A enter
ROW S 2 => ROW A 4
ROW v v A => ROW v v A enter
ROW v v b TYPED ctrl-s
ROW : tick enter
ROW : priority enter 1
ROW : priority enter 3
ROW : plan space status enter 1
ROW : plan space status enter 2
ROW : plan space status enter 3
ROW : objective enter TYPED ctrl-s
ROW P TYPED ctrl-s
o TYPED ctrl-s
o TYPED tab TYPED ctrl-s
o TYPED ctrl-s
u
u
U
}
{
1
2
4 => 3
.
T
ROW tab tab shift-tab
ROW enter z z
/ cache enter esc
R => ctrl-r
`

var keyCodes = map[string]string{"enter": "\r", "esc": "\x1b", "tab": "\t", "shift-tab": "\x1b[Z", "space": " ", "home": "\x1b[H", "ctrl-r": "\x12",
	"ctrl-s": "\x13"}

// fillers give a word in capitals its value.
var fillers = map[string]func(*trial) string{
	"TEXT":       of("Split the rate limiter", "Tidy the cache", "Rotate the key", "Pick a policy", "größer, schneller ✓", "a\tb", "red \x1b[31m text", "x", "the limiter leaks a timer"),
	"PLAN":       of("# Plan", "# Plan\n\n- [ ] measure\n- [x] read\n", "Some words.\n\n```go\nx := 1\n```\n", ""),
	"REPORT":     of("Moved the bucket; tests pass.", "# Done\n\n- all of it\n", ""),
	"TODOS":      of(`[{"text":"measure","state":"pending"},{"text":"write","state":"in_progress"}]`, "- [ ] one\n- [~] two\n- [x] three", "[]", "nothing"),
	"PATCH":      of(`{"next_action":"Run the tests"}`, `{"hypothesis":"The token is stale","unverified":["it fails at night"]}`, `{"nothing":1}`, "{"),
	"FACTS":      of(`{"commands_observed":[{"command":"go test","exit_code":0}]}`, `{"files_observed":["limit.go"]}`, `{}`),
	"AGENT":      of("ann", "ann", "ben"),
	"ROW":        of("home", "home j", "home j j", "home j j j", "home j j j j j"),
	"NUMBER":     of("1", "2", "3", "20"),
	"KEY":        of("once", "twice"),
	"SPAN":       of("1h", "2h", "1d", "soon"),
	"GOAL":       of("Fix the login token"),
	"WORD":       of("limiter", "cache", "key", "-limiter", "nothing"),
	"TYPED":      of("cache", "limiter", "2h", "LRU"),
	"RESOURCE":   of("github:acme/gateway#7", "run/1"),
	"TODO":       of("review/001", "review/001", "review/002", "plan/001", "review/009"),
	"THREAD":     of("fix-the-login-token", "split-the-rate-limiter", "tidy-the-cache"),
	"COMMAND":    of("list", "show", "new", "pick", "complete", "wait", "plan", "thread", "todo", "trigger", "agents", "why", "task", "link", "search", "snooze", "events", "nothing"),
	"ITEM":       known("wi"),
	"WAIT":       known("wt"),
	"TASK":       known("tk"),
	"DELEGATION": known("dg"),
	"CAPABILITY": known("in"),
}

func of(values ...string) func(*trial) string {
	return func(l *trial) string { return pickOf(l.random, values) }
}

// known is one of the newest things of a kind, or at times one that does not exist.
func known(kind string) func(*trial) string {
	return func(l *trial) string {
		n := l.sides[0].names.count(kind)
		if n == 0 || l.random.IntN(40) == 0 {
			return kind + "-zzzz"
		}
		return fmt.Sprintf("‹%s%d›", kind, max(1, n-l.random.IntN(12)))
	}
}

func pickOf[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func tableOf(lines string) []string { return strings.Split(strings.TrimSpace(lines), "\n") }

var (
	aFiller = regexp.MustCompile(`\b[A-Z]{3,}\b`)
	aChoice = regexp.MustCompile(`[^\s"{}:,\[\]]+(\|[^\s"{}:,\[\]]+)+`)
)

// fill makes the words of an act of a line of a table.
func (l *trial) fill(line string) []string {
	value := func(word string) string {
		if f := fillers[word]; f != nil {
			return f(l)
		}
		return word
	}
	if strings.HasPrefix(line, "@") {
		chosen := func(s string) string {
			return aChoice.ReplaceAllStringFunc(s, func(s string) string { return pickOf(l.random, strings.Split(s, "|")) })
		}
		words := strings.SplitN(line, " ", 3)
		inJSON := func(word string) string {
			raw, _ := json.Marshal(value(word))
			return strings.Trim(string(raw), `"`)
		}
		return []string{aFiller.ReplaceAllStringFunc(words[0], value), words[1], aFiller.ReplaceAllStringFunc(chosen(words[2]), inJSON)}
	}
	line, input, hasInput := strings.Cut(line, " <")
	var words []string
	leaving := false
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(line, "!") { // its quotes and brackets are the shell's
			words = append(words, aFiller.ReplaceAllStringFunc(word, value))
			continue
		}
		if strings.HasPrefix(word, "[") {
			leaving = l.random.IntN(2) == 0
		}
		left := leaving
		leaving = leaving && !strings.HasSuffix(word, "]")
		if left {
			continue
		}
		words = append(words, aFiller.ReplaceAllStringFunc(pickOf(l.random, strings.Split(strings.Trim(word, "[]"), "|")), value))
	}
	if hasInput {
		words = append(words, "<"+aFiller.ReplaceAllStringFunc(input, value))
	}
	return words
}
