package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
	"vise/ui/agents"
	"vise/ui/config"
	"vise/ui/console"
	"vise/watcher"
)

// settling is how long other work waits after the console starts, so that it does not compete for the machine and the ledger.
const settling = 150 * time.Millisecond

// openEditor returns the command that opens a file of the open home in the operator's editor.
func (e *Env) openEditor(path string) (*exec.Cmd, error) { return e.openEditorAt(path, 0) }

// openEditorAt is openEditor at a line; 0 means no line.
func (e *Env) openEditorAt(path string, line int) (*exec.Cmd, error) {
	if e.home == nil {
		return nil, model.Refuse(model.CodeNoHome, "there is no home to edit in")
	}
	return editor(e, atLine(e, path, line)...), nil
}

// shortened writes a path below the user's directory with a tilde.
func shortened(path, user string) string {
	if rest, ok := strings.CutPrefix(path, user+string(filepath.Separator)); ok && user != "" {
		return "~/" + rest
	}
	return path
}

// showConsole shows the console. A cancelled context is a normal end.
func showConsole(ctx context.Context, o console.Options) error {
	if err := console.Run(ctx, o); err != nil && ctx.Err() == nil && !errors.Is(err, tea.ErrInterrupted) {
		return err
	}
	return nil
}

// firstAgents returns the named agent, else one agent for each of the programs, with the program's name. Without programs it returns an
// agent with the name of the repository around the working directory, if that is a valid name.
func firstAgents(e *Env, programs []string) []model.AgentID {
	if e.agent == "" && len(programs) > 0 {
		return as[model.AgentID](programs)
	}
	name := ""
	for dir := e.dir; name == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			name = strings.ToLower(filepath.Base(dir))
		}
	}
	if !model.ValidID(name) {
		name = ""
	}
	return []model.AgentID{cmp.Or(e.agent, model.AgentID(name), defaultAgent)}
}

// bare is vise without a command: the console on a terminal, else the status with a hint. It never waits for input that cannot come, and
// asks a question only on a terminal.
func bare(e *Env) (answer, error) {
	if e.flags.version {
		return versionAnswer(e), nil
	}
	if e.flags.json || !opensConsole(e) {
		ans, err := homeStatus(e)
		if err == nil {
			ans.say("\nvise opens the console on a terminal; vise help lists the commands")
		}
		return ans, err
	}
	return &reply{conditions: true}, openConsole(e)
}

// opensConsole reports whether there is a terminal that can show a console.
func opensConsole(e *Env) bool {
	return isAccessible(e) || e.ttyIn && e.ttyOut && e.getenv("TERM") != "dumb"
}

// accessible reports whether the console of lines is requested: by the flag, for any input, or by the environment, on a terminal only.
func isAccessible(e *Env) bool {
	v := e.getenv("ACCESSIBLE")
	return e.flags.accessible || v != "" && v != "0" && e.ttyIn && e.ttyOut
}

// dueCounted is the most due times that are counted for exitMessage.
const dueCounted = 100

// farFuture is later than every timer that exitMessage mentions.
const farFuture = 50 * 365 * 24 * time.Hour

// exitTimeout is how long the console waits at its end for a ledger that another process has locked.
const exitTimeout = 300 * time.Millisecond

// exitMessage returns the text that the console prints when it ends: timers and rechecks wait if no other process runs the scheduler of the
// home. It is empty if nothing waits.
func exitMessage(ctx context.Context, h *home.Home, now time.Time) string {
	if h.Attended() {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, exitTimeout)
	defer stop()
	n := 0
	err := h.View(ctx, func(r model.Reader) error {
		for a := range model.AllAgents(r) {
			if n < dueCounted {
				n += len(r.Due(a.ID, now.Add(farFuture), dueCounted))
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		return ""
	}
	timers := model.Counted(n, "timer")
	if n >= dueCounted {
		timers = strconv.Itoa(dueCounted) + " or more timers"
	}
	return "nothing keeps time for " + timers + " until vise runs again; vise serve keeps time without a screen"
}

// followSettings gives the console the operator's settings, now and whenever they change.
func (r *consoleRun) followSettings(o *console.Options) {
	at, err := config.PlaceOf(r.getenv)
	if err != nil {
		return
	}
	w := watcher.Settings(r, at.File, at.Themes) // before the first read, so that no save is missed
	r.atEnd = append(r.atEnd, w.Close)
	o.SaveFilter, o.SaveSetting = rewritten(r.Env, config.WithFilter), rewritten(r.Env, config.WithSetting)
	o.Settings = config.Load(at, r.getenv)
	o.NextSettings = func(ctx context.Context) (config.Settings, error) {
		if err := w.Next(ctx); err != nil {
			return config.Settings{}, err
		}
		s := config.Load(at, r.getenv)
		if len(s.Problems) == 0 && !r.isDemo {
			r.hosts.Set(hostsOf(s.Hosts))
		}
		return s, nil
	}
}

// planWatch watches the plans on the screen of the console, here and on hosts, and wakes its ledger when another process commits.
type planWatch struct {
	home  *home.Home
	hosts *home.Hosts
	watch *watcher.Watcher

	// mode says how files are watched, if not in the usual way.
	mode string
	// here is told when news of local plans, or err, have come. Next starts the wait for them.
	here    chan struct{}
	waiting bool
	news    console.News
	err     error

	mu sync.Mutex // protects seen
	// seen are the plans at the console's last read.
	seen map[watcher.Item]model.PlanArtifact
}

func watchPlans(ctx context.Context, h *home.Home, hosts *home.Hosts, ledgerFile string) (*planWatch, error) {
	watch, err := watcher.Start(ctx, watcher.Config{Home: h.Files(), Ledger: ledgerFile})
	if err != nil {
		return nil, err
	}
	return &planWatch{home: h, hosts: hosts, watch: watch, here: make(chan struct{}, 1), seen: map[watcher.Item]model.PlanArtifact{}}, nil
}

// Plan is part of console.Plans.
func (w *planWatch) Plan(ctx context.Context, agent model.AgentID, id model.ItemID) console.PlanText {
	if w.hosts.Has(model.HostOf(id)) {
		there, err := w.hosts.Plan(ctx, id)
		if err != nil {
			return console.PlanText{Artifact: model.PlanArtifact{Condition: model.PlanUnreadable}, Reason: fault(err).Message}
		}
		return console.PlanText{Artifact: there.Artifact, Text: model.Text(there.Text), Reason: there.Reason}
	}
	p := w.home.Plan(ctx, agent, id)
	out := console.PlanText{Artifact: p.PlanArtifact, Reason: p.Reason, Unsettled: p.Unsettled}
	if p.Unsettled {
		return out
	}
	if p.Condition == model.PlanOK || p.Condition == model.PlanElsewhere {
		out.Text = model.Text(p.Raw)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[watcher.Item{Agent: agent, ID: id}] = p.PlanArtifact
	return out
}

// Watch is part of console.Plans. A plan that the console has read is news only when it differs from that reading. Hosts report their
// plans by themselves.
func (w *planWatch) Watch(agent model.AgentID, items []model.ItemID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wanted := make(map[watcher.Item]model.PlanArtifact, len(items))
	for _, id := range items {
		if !w.hosts.Has(model.HostOf(id)) {
			item := watcher.Item{Agent: agent, ID: id}
			wanted[item] = w.seen[item]
		}
	}
	w.seen = wanted
	w.watch.Set(wanted)
}

// Next is part of console.Plans.
func (w *planWatch) Next(ctx context.Context) (console.News, error) {
	if !w.waiting {
		w.waiting = true
		go func() {
			w.news, w.err = w.next(ctx)
			w.here <- struct{}{}
		}()
	}
	select {
	case <-w.here:
		w.waiting, w.mode = false, w.news.Mode
		return w.news, w.err
	case <-w.hosts.PlanNews():
		return console.News{Items: w.hosts.MovedPlans(), Mode: w.mode}, nil
	}
}

// next waits for news of local plans.
func (w *planWatch) next(ctx context.Context) (news console.News, err error) {
	event, err := w.watch.Next(ctx)
	if event.LedgerMoved {
		w.home.Wake()
	}
	if event.Mode.Polling() {
		news.Mode = event.Mode.String()
	}
	for _, p := range event.Plans {
		news.Items = append(news.Items, p.Item.ID)
	}
	return news, err
}

// desktop uses the programs of the desktop on which the console runs. Over SSH there is none: the programs would act on the wrong machine.
type desktop struct{ getenv func(string) string }

// desktopTimeout is the time limit of a program of the desktop.
const desktopTimeout = 2 * time.Second

// Copy is part of console.Native.
func (d desktop) Copy(ctx context.Context, text string) (string, error) {
	words := d.copier()
	if len(words) == 0 {
		return "", nil
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return "", nil
	}
	ctx, stop := context.WithTimeout(ctx, desktopTimeout)
	defer stop()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Stdin = strings.NewReader(text)
	return words[0], c.Run()
}

// copier returns the program that fills this desktop's clipboard, if there is one.
func (d desktop) copier() []string {
	switch {
	case d.getenv("SSH_CONNECTION") != "", d.getenv("SSH_TTY") != "":
	case runtime.GOOS == "darwin":
		return []string{"pbcopy"}
	case d.getenv("WSL_DISTRO_NAME") != "":
		return []string{"clip.exe"}
	case d.getenv("WAYLAND_DISPLAY") != "":
		return []string{"wl-copy"}
	case d.getenv("DISPLAY") != "":
		return []string{"xclip", "-selection", "clipboard"}
	}
	return nil
}

// Notify is part of console.Native. The words are passed as arguments, never in a script.
func (d desktop) Notify(ctx context.Context, title, body string) error {
	ctx, stop := context.WithTimeout(ctx, desktopTimeout)
	defer stop()
	if runtime.GOOS == "darwin" {
		return exec.CommandContext(ctx, "osascript", "-e", "on run a", "-e", "display notification (item 2 of a) with title (item 1 of a)",
			"-e", "end run", title, body).Run()
	}
	return exec.CommandContext(ctx, "notify-send", "--app-name=vise", "--", title, body).Run()
}

// lineVerbs are the commands that the console takes with arguments. complete is not among them: it is final, and has its own dialog.
var lineVerbs = []string{"answer", "block", "new", "say", "update", "wait"}

// errOnlyRead ends a command that must not be sent to the ledger.
var errOnlyRead = errors.New("the command is only read")

// readLine reads a command and its arguments as the command line does. It puts the console's subject where the usage names it. Words need
// no quotes, and the flag that selects what the command does needs no dashes ("wait timer 16:00"). readLine sends nothing.
func (e *Env) readLine(ctx context.Context, words []string, on console.Subject) (model.Command, error) {
	v, ok := verbNamed(words[0])
	if !ok || e.home == nil || !slices.Contains(lineVerbs, words[0]) {
		return nil, misuse("verb", "%s takes no arguments here", words[0]).
			WithHint("vise help lists the verbs of the command line")
	}
	within := *e
	var o model.Command
	within.in, within.ttyIn, within.flags = strings.NewReader(""), false, globals{actor: string(model.Operator), agent: string(on.Agent)}
	within.onlyRead = &o
	c := v.command(&within)
	c.SetContext(ctx)
	err := c.ParseFlags(flagged(c, words[1:]))
	if err == nil {
		args := lineArgs(c, on)
		if seen := c.Flags().Lookup("if-revision"); seen != nil && !seen.Changed && on.Revision > 0 {
			err = seen.Value.Set(strconv.FormatUint(on.Revision, 10))
		}
		if err = cmp.Or(err, c.PreRunE(c, args), c.Args(c, args)); err == nil {
			err = c.RunE(c, args)
		}
	}
	switch {
	case errors.Is(err, errOnlyRead):
		return o, nil
	case err == nil:
		err = misuse("verb", "%s does nothing with these words", words[0])
	}
	x := fault(err)
	x.Hint = cmp.Or(x.Hint, usage(c))
	return nil, x
}

// flagged adds the dashes to the first word if it is the flag that selects what the command does, and the command takes no text.
func flagged(c *cobra.Command, words []string) []string {
	subjectAlone := len(strings.Fields(c.Use)) == 2 && strings.Contains(c.Use, "ID")
	if subjectAlone && len(words) > 1 && c.Flags().Lookup(words[0]) != nil {
		at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") })
		if at < 0 {
			at = len(words)
		}
		return append([]string{"--" + words[0], strings.Join(words[1:at], " ")}, words[at:]...)
	}
	return words
}

// lineArgs returns a command's arguments: its subject, then the words as one text.
func lineArgs(c *cobra.Command, on console.Subject) []string {
	var out []string
	switch of := strings.Trim(strings.Fields(c.Use)[1], "[]"); {
	case strings.Contains(of, "ID") && on.Item != "":
		out = append(out, string(on.Item))
	case strings.Contains(of, "AGENT"):
		out = append(out, string(on.Agent))
	}
	if text := strings.Join(c.Flags().Args(), " "); text != "" {
		out = append(out, text)
	}
	return out
}

// diffOf returns what the work on an item with these links changed, without the files that vise put into the work tree.
func diffOf(ctx context.Context, links model.Links, space bool) thread.Diff {
	dir := links.Worktree()
	d := git.Diff(ctx, dir, links.Began(dir), space)
	own := agents.ProjectFiles(d.Dir.Raw()) // raw: a path, compared
	d.Files = slices.DeleteFunc(d.Files, func(f thread.DiffFile) bool {
		return slices.Contains(own, filepath.Join(d.Dir.Raw(), filepath.FromSlash(f.Path.Raw()))) // raw: paths, compared
	})
	return d
}

// changesView shows the console what the work on items changed.
type changesView struct {
	threads.Reader
	home *home.Home
}

// Diff is part of console.Diffs.
func (changesView) Diff(ctx context.Context, links model.Links, space bool) thread.Diff {
	return diffOf(ctx, links, space)
}

// Hash is part of console.Diffs.
func (changesView) Hash(_ context.Context, dir string, file model.Text) string {
	_, hash, _ := git.File(dir, file.Raw()) // raw: a path to open; a file that cannot be read has no hash
	return hash
}

// Altered is part of console.Diffs.
func (changesView) Altered(_ context.Context, dir string, list []model.Commented) map[model.CommentID]bool {
	out := map[model.CommentID]bool{}
	for _, x := range list {
		out[x.ID] = commentChanged(dir, x.Comment)
	}
	return out
}

// Watch is part of console.Diffs.
func (changesView) Watch(ctx context.Context, dir string) func(context.Context) error {
	return watcher.Tree(ctx, dir).Next
}

// Refresh is part of console.Diffs.
func (v changesView) Refresh(ctx context.Context, id model.ItemID) error {
	return v.home.RefreshTrees(ctx, model.Envelope{Actor: model.Watcher}, id)
}
