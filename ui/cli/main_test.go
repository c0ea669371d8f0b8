package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vise/model"
	"vise/store/storetest"
)

// asVise is the variable that makes this test binary the program.
const asVise = "VISE_TEST_VERB"

// takeMemory is the variable that makes the test binary ask for more memory than a reader of damaged files may have.
const takeMemory = "VISE_TEST_MEMORY"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(scripted) != "":
		os.Exit(playWork())
	case os.Getenv(writeForever) != "":
		forever(os.Getenv(writeForever))
	case os.Getenv(takeMemory) != "":
		limitMemory()
		os.Stdout.Write(make([]byte, 2*childMemory)[:1])
		os.Exit(0)
	case os.Getenv(asVise) != "":
		os.Exit(Main(nil, nil))
	}
	testscript.Main(m, map[string]func(){"vise": func() { os.Exit(Main(nil, nil)) }})
}

// Each script tests a verb, or one kind of bad input for all verbs. In a script, $VISE_HOME is a path for a home that
// does not exist yet, and there is no terminal.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", RequireExplicitExec: true, RequireUniqueNames: true, Setup: setUp, Cmds: words,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "git":
				_, err := exec.LookPath("git")
				if err != nil {
					storetest.NoteLack("git")
				}
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

func setUp(e *testscript.Env) error {
	e.Setenv("HOME", filepath.Join(e.WorkDir, "user")) // testscript's own is one for all users of the machine
	e.Setenv("VISE_HOME", filepath.Join(e.WorkDir, "home"))
	e.Setenv("VISE_ACTOR", "operator")
	me, err := user.Current()
	if err != nil {
		return err
	}
	e.Setenv("PERSON", me.Username)
	e.Setenv("TZ", "UTC")
	e.Setenv("VISUAL", "")
	e.Setenv("SHARED", sharedDir())
	homes, err := filepath.Abs("../../store/testdata")
	if err != nil {
		return err
	}
	e.Setenv("HOMES", homes)
	return nil
}

// sharedDir returns the directory of the shared fixtures, or nothing.
func sharedDir() string {
	dir := os.Getenv("VISE_SHARED")
	if dir == "" {
		dir, _ = filepath.Abs("../../../shared")
	}
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// words are the scripts' own commands.
var words = map[string]func(*testscript.TestScript, bool, []string){
	"exits":   exitsWith,
	"refused": refused,
	"says":    says,
	"keep":    keep,
}

// exitsWith: exits CODE PROGRAM ARG… runs a program and expects an exit code.
func exitsWith(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := codeOf(ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit code is %d, want %d", got, want)
	}
}

func codeOf(err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// refused CODE vise ARG… expects an error with that code, its exit code, a hint, and a home
// that is as before.
func refused(ts *testscript.TestScript, _ bool, args []string) {
	home := ts.Getenv("VISE_HOME")
	before := digest(home)
	code := codeOf(ts.Exec(args[1], append(args[2:], "--json")...))
	var got struct {
		Schema string      `json:"schema"`
		Error  model.Error `json:"error"`
	}
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &got); err != nil {
		ts.Fatalf("no JSON on standard output: %v", err)
	}
	if got.Schema != "vise.v1.error" || string(got.Error.Code) != args[0] {
		ts.Fatalf("code is %q of %q, want %q", got.Error.Code, got.Schema, args[0])
	}
	if want := exitOf(&got.Error); code != want {
		ts.Fatalf("exit code is %d, want %d", code, want)
	}
	if got.Error.Hint == "" || got.Error.Message == "" {
		ts.Fatalf("the error does not say what to do: %+v", got.Error)
	}
	if after := digest(home); !slices.Equal(before, after) {
		ts.Fatalf("the home changed:\n%s\nwas\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
}

// digest returns every file of a home with its mode and content, without the lock, which names its holder.
func digest(home string) []string {
	var out []string
	_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "ledger.lock" {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		sum := ""
		if info.Mode().IsRegular() {
			raw, _ := os.ReadFile(path)
			sum = fmt.Sprintf("%x", sha256.Sum256(raw))
		}
		out = append(out, fmt.Sprintf("%s %v %s", path, info.Mode(), sum))
		return nil
	})
	return out
}

// says PATH PATTERN expects that the value at PATH of the last output matches. PATH goes through objects and arrays:
// data.work_items.0.handle. ! says expects no value there.
func says(ts *testscript.TestScript, neg bool, args []string) {
	got, ok := at(ts, args[0])
	if neg {
		if ok {
			ts.Fatalf("%s is %s, want nothing", args[0], got)
		}
		return
	}
	if !ok {
		ts.Fatalf("there is no %s", args[0])
	}
	if !regexp.MustCompile("^(?:" + args[1] + ")$").MatchString(got) {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// keep NAME PATH puts the value at PATH of the last output into the environment.
func keep(ts *testscript.TestScript, _ bool, args []string) {
	got, ok := at(ts, args[1])
	if !ok {
		ts.Fatalf("there is no %s", args[1])
	}
	ts.Setenv(args[0], got)
}

func at(ts *testscript.TestScript, path string) (string, bool) {
	var v any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("standard output is no JSON: %v", err)
	}
	for _, step := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[step]
			if !ok {
				return "", false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(x) {
				return "", false
			}
			v = x[i]
		default:
			return "", false
		}
	}
	if s, ok := v.(string); ok {
		return s, true
	}
	raw, err := json.Marshal(v)
	ts.Check(err)
	return string(raw), true
}
