package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
)

// Forge asks a forge through its own program, which knows how to log in. The answers come from outside: all of them are bounded and made
// safe to show.
type Forge struct {
	Program model.Forge
	// Run runs the program and writes its output to out; nil starts the real program.
	Run func(ctx context.Context, argv []string, out io.Writer) error
}

// forgeSaid is a forge's answer to one question.
type forgeSaid struct {
	model.Checked
	failed   failedCheck
	comments []model.ForgeComment
}

// failedCheck describes a check that failed.
type failedCheck struct {
	link, summary string
	// job is the forge's number of the job; 0 if the forge has no log of it.
	job int64
}

// Bounds of the answers.
const (
	askTime = 30 * time.Second
	// maxAnswer is more than an answer with all its comments needs. Of a log, which can be longer, the end is kept.
	maxAnswer    = 8 << 20
	maxComplaint = 4 << 10
	keptLog      = 256 << 10
	// A trigger shows the last lines of a failed check's log.
	toldLines, toldBytes = 60, 8 << 10
	maxCommentText       = 4000
	maxCheckName         = 100
	maxProblem           = 200
	// notLoggedIn is gh's exit code for "not logged in".
	notLoggedIn = 4
)

// problem says why a forge cannot be asked, in words for the row of the waiting item.
type problem string

func (p problem) Error() string { return string(p) }

// ask runs the program and reads its output, which is JSON.
func (f Forge) ask(ctx context.Context, into any, args ...string) error {
	var said bytes.Buffer
	out := &Capped{To: &said, Max: maxAnswer}
	err := f.write(ctx, out, args...)
	switch {
	case err != nil:
		return err
	case out.Written() == maxAnswer:
		return problem(string(f.Program) + " said more than is read")
	case json.Unmarshal(said.Bytes(), into) != nil:
		return problem("vise does not understand " + string(f.Program) + "'s answer")
	}
	return nil
}

func (f Forge) write(ctx context.Context, out io.Writer, args ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, askTime, problem(string(f.Program)+" did not answer in "+askTime.String()))
	defer cancel()
	argv := append([]string{string(f.Program)}, args...)
	if f.Run != nil {
		return f.Run(ctx, argv, out)
	}
	return f.run(ctx, argv, out)
}

func (f Forge) run(ctx context.Context, argv []string, out io.Writer) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return problem(argv[0] + " is not installed")
	}
	said := &bytes.Buffer{}
	r, err := execute(ctx, processSpec{Argv: append([]string{path}, argv[1:]...), Dir: os.TempDir(), Env: forgeEnv(), Stdout: out,
		Stderr: &Capped{To: said, Max: maxComplaint}})
	if err != nil {
		var p problem
		if errors.As(err, &p) || ctx.Err() != nil {
			return err
		}
		return problem(argv[0] + " cannot be started")
	}
	complaint := firstLine(said.String())
	switch {
	case r.OK():
		return nil
	case r.ExitCode == notLoggedIn, strings.Contains(said.String(), argv[0]+" auth login"):
		return problem(argv[0] + " is not logged in")
	}
	return problem(argv[0] + ": " + cmp.Or(strings.TrimPrefix(complaint, argv[0]+": "), "it failed and said nothing"))
}

// forgeEnv stops the program from prompting, paging, colouring its output, and using another repository than the one named.
func forgeEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains([]string{"GH_REPO", "GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR_FORCE", "GITLAB_REPO"}, name)
	})
	return append(env, "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_PROMPT=1", "GLAB_CHECK_UPDATE=false", "NO_COLOR=1",
		"PAGER=cat", "GH_PAGER=cat")
}

// firstLine returns the first line of a program's error, safe to show.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(model.Text(ansi.Strip(line)).String()); line != "" {
			return shortened(line, maxProblem)
		}
	}
	return ""
}

// shortened returns s, or its first runes with an ellipsis.
func shortened(s string, runes int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return s
}

// oneLine makes a name from outside safe to show.
func oneLine(s string, runes int) string { return shortened(model.Text(ansi.Strip(s)).String(), runes) }

// paragraphs makes text from outside safe to show and keeps its lines.
func paragraphs(s string, runes int) string {
	return strings.TrimSpace(shortened(model.Text(ansi.Strip(s)).Multiline(), runes))
}

// lastLines returns the end of a log. If the log marks its steps, that is the end of the last step that failed.
func lastLines(log, failed string) string {
	var lines []string
	end := 0
	for line := range strings.Lines(log) {
		line = strings.TrimRight(model.Text(ansi.Strip(logTime().ReplaceAllString(strings.TrimRight(line, "\r\n"), ""))).Multiline(), " ")
		lines = append(lines, shortened(line, maxCommentText/10))
		if strings.HasPrefix(line, failed) {
			end = len(lines)
		}
	}
	if end == 0 {
		end = len(lines)
	}
	lines = lines[max(0, end-toldLines):end]
	for len(strings.Join(lines, "\n")) > toldBytes {
		lines = lines[1:]
	}
	return strings.Join(lines, "\n")
}
