package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/store/home"
	"vise/ui/agents"
	"vise/ui/runner"
)

// verbData are the types of the data in verbs' answers. Verbs of threads and file todos have pages of their own.
var verbData = map[string][]any{
	"new": {home.ItemResult{}}, "update": {home.ItemResult{}}, "block": {home.ItemResult{}}, "unblock": {home.ItemResult{}, model.Receipt{}},
	"link": {home.ItemResult{}}, "pick": {home.PickResult{}}, "wait": {home.WaitResult{}},
	"trigger": {home.TriggerResult{}, minted{}}, "complete": {completionWithTodos{}}, "report": {home.CompletionResult{}},
	"list": {home.ListResult{}, byAgent{}}, "search": {searchedFor{}}, "show": {shown{}},
	"why": {reasons{}, agentReasons{}}, "brief": {model.Digest{}}, "admin notify": {notified{}},
	"retry": {model.Receipt{}}, "events": {event{}},
	"say": {model.Receipt{}}, "answer": {model.Receipt{}}, "permit": {model.Receipt{}}, "delegate": {model.Receipt{}, delegations{}}, "hide": {model.Receipt{}}, "review": {review{}}, "undo": {undone{}},
	"task": {runner.TaskResult{}, started{}, model.Task{}}, "plan": {plan{}, planLog{}, planDiff{}}, "inbox": {inboxOf{}}, "admin hosts": {hostList{}}, "admin fleet": {membership{}, fleetState{}, checkup{}, granted{}}, "admin move": {movedTo{}}, "agents": {agentList{}},
	"cost": {costs{}}, "worktree": {worktree{}, worktrees{}}, "run": {attached{}}, "mcp token": {access{}},
	"status": {status{}}, "status --format json": {bar{}}, "admin demo": {status{}}, "admin init": {initialized{}}, "admin import": {imported{}, importedIssues{}}, "doctor": {checkup{}}, "backup": {backedUp{}},
	"restore": {restored{}}, "admin compact": {compacted{}}, "admin config": {configAnswer{}}, "context": {prompt.Layered{}, noted{}, struct {
		Text string `json:"text"`
	}{}, agents.Installed{}}, "install": {agents.Installed{}}, "admin version": {version{}}, "admin completion": {script{}}, "admin man": {script{}},
	"start": {driverStarted{}}, "stop": {model.Receipt{}}, "sessions": {sessionList{}}, "log": nil,
	"drive": nil, "serve": nil, "thread": {resumed{}}, "todo": nil, "mcp": nil, "hook": nil,
}

// partly are the types of which the page lists only the main fields.
var partly = map[reflect.Type]bool{reflect.TypeFor[model.Receipt](): true, reflect.TypeFor[model.Task](): true, reflect.TypeFor[runner.TaskResult](): true}

var (
	ticked    = regexp.MustCompile("`([^`]+)`")
	fieldLike = regexp.MustCompile(`^[a-z][a-z_]*$`)
)

// docRows returns the rows of the table of verbs in docs/json.md, by verb.
func docRows(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(string(raw), "## Warnings")
	rows := map[string]string{}
	for line := range strings.Lines(page) {
		cells := strings.SplitN(line, "|", 4)
		if len(cells) < 4 {
			continue
		}
		for _, verb := range ticked.FindAllStringSubmatch(cells[1], -1) {
			rows[strings.TrimSuffix(verb[1], " …")] = cells[2] + cells[3]
		}
	}
	return rows
}

// jsonFields returns the names of a type's fields in JSON; with deep also those of its parts.
func jsonFields(t reflect.Type, deep bool, seen map[reflect.Type]bool) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() || seen[t] {
		return nil
	}
	seen[t] = true
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			names = append(names, jsonFields(f.Type, deep, seen)...)
		default:
			names = append(names, name)
			if deep {
				names = append(names, jsonFields(f.Type, true, seen)...)
			}
		}
	}
	return names
}

func TestTheJSONPageNamesEveryField(t *testing.T) {
	rows := docRows(t)
	all := verbs()
	for _, v := range adminVerb().verbs {
		v.use, v.group = "admin-"+v.use, "home"
		all = append(all, v)
	}
	for _, v := range all {
		if v.name() == "admin" {
			continue
		}
		name := strings.Replace(v.name(), "admin-", "admin ", 1)
		types, known := verbData[name]
		row, documented := rows[name]
		if v.group != "" && (!known || !documented) {
			t.Errorf("%s: data known %v, in docs/json.md %v", v.name(), known, documented)
		}
		for _, x := range types {
			if strings.HasPrefix(strings.TrimSpace(row), "as ") || partly[reflect.TypeOf(x)] {
				continue
			}
			for _, name := range jsonFields(reflect.TypeOf(x), false, map[reflect.Type]bool{}) {
				if name != "replayed" && name != "warnings" && !strings.Contains(row, "`"+name+"`") {
					t.Errorf("docs/json.md does not tell of %s of %s (%T)", name, v.name(), x)
				}
			}
		}
	}
}

func TestTheJSONPageNamesNothingThatIsGone(t *testing.T) {
	words := literals(t, ".", "../../model", "../../model/thread", "../../store")
	rows := docRows(t)
	for verb, row := range rows {
		fields := map[string]bool{}
		for other, types := range verbData {
			for _, x := range types {
				if rows[other] != row {
					continue
				}
				for _, name := range jsonFields(reflect.TypeOf(x), true, map[reflect.Type]bool{}) {
					fields[name] = true
				}
			}
		}
		for _, word := range ticked.FindAllStringSubmatch(row, -1) {
			if fieldLike.MatchString(word[1]) && !words[word[1]] && !fields[word[1]] {
				t.Errorf("docs/json.md names %s of %s, which is nowhere", word[1], verb)
			}
		}
	}
}

// literals returns the texts in the source of packages without tests, and the names in their tags.
func literals(t *testing.T, dirs ...string) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, dir := range dirs {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					s, _ := strconv.Unquote(l.Value)
					words[s] = true
					if tag := reflect.StructTag(s).Get("json"); tag != "" {
						s, _, _ = strings.Cut(tag, ",")
					}
					s, _, _ = strings.Cut(s, " ") // of a usage only the verb
					words[s] = true
				}
				return true
			})
		}
	}
	return words
}
