package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/store/threads"
	"vise/ui/runner"
)

type waitOptions struct {
	mutation
	operator, task, external, timer string
	system, checks                  bool
	pull                            string
	// asked is the value of --pr and --checks.
	asked                     model.Asked
	reason, source, condition string
	choices                   []string
	recheck                   time.Duration
}

func waitVerb(e *Env) *cobra.Command {
	var o waitOptions
	c := &cobra.Command{
		Use: "wait [ID]", Short: "Park a work item until something happens",
		Long: "wait parks a work item until an answer, a task, an event or a time. Its earlier waits end. Without ID\n" +
			"the agent's current item waits, or the agent itself if it has none. A trigger asks for a review and\n" +
			"never unblocks. With --pr or --checks the console, drive and serve ask gh or glab how it goes; comments\n" +
			"on a pull request arrive as messages.",
		Example: "vise wait wi-7f3k --operator 'LRU or LFU?' --choice LRU --choice LFU\n" +
			"vise wait wi-7f3k --external github:owner/repo#7 --source ci --recheck 2h\nvise wait wi-7f3k --pr owner/repo#7\n" +
			"vise wait wi-7f3k --timer 'tomorrow 9'",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	o.register(c)
	f := c.Flags()
	f.StringVar(&o.operator, "operator", "", "wait for the operator to answer this question")
	f.StringVar(&o.task, "task", "", "wait for a task or delegation to end")
	f.StringVar(&o.external, "external", "", "wait for something outside to change: a run, a review, a branch")
	f.StringVar(&o.pull, "pr", "", "wait for a pull request, owner/name#7: its checks, reviews and end, asked of gh; gitlab:group/name!7 "+
		"is asked of glab")
	f.BoolVar(&o.checks, "checks", false, "wait for the checks of the branch in the item's work tree, asked of gh or glab")
	f.StringVar(&o.timer, "timer", "", "wait for a time: 30m, 16:00, tomorrow 9 or RFC 3339")
	f.BoolVar(&o.system, "system", false, "wait for the scheduler's next look; needs --reason")
	f.StringVar(&o.reason, "reason", "", "what is waited for, in words (default: made of the other flags)")
	f.StringVar(&o.source, "source", "", "who will tell: ci, review")
	f.StringVar(&o.condition, "condition", "", "what must have happened: the run succeeded")
	f.StringArrayVar(&o.choices, "choice", nil, "an answer to propose; can be given again")
	spanVar(f, &o.recheck, "recheck", 0, "look again after this time, if nothing came")
	oneOnly(c, "operator", "task", "external", "pr", "checks", "timer", "system")
	needsOne(c, "operator", "task", "external", "pr", "checks", "timer", "system")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		return waitFor(e, first(args), o)
	})
}

func waitFor(e *Env, ref string, o waitOptions) (answer, error) {
	var err error
	switch {
	case o.checks:
		o.asked, err = branchOf(e, ref)
	case o.pull != "":
		o.asked, err = askedOf(o.pull)
	}
	if err != nil {
		return answer{}, err
	}
	wait, err := o.command(e.now())
	if err != nil {
		return answer{}, err
	}
	ordered, err := orderWait(e, ref, o, wait)
	if err != nil {
		return answer{}, err
	}
	return changeAnswer(e, ordered, (*page).waiting, func(r model.Reader, in model.Receipt) home.WaitResult {
		return home.WaitResultOf(r, wait.Wake, in)
	})
}

func (p *page) waiting(out home.WaitResult) {
	if out.WorkItem == nil {
		p.line("agent %s waits", out.Wait.AgentID)
	} else {
		p.changed("waits", *out.WorkItem)
	}
	p.wait(out.Wait)
}

// orderWait makes a wait for the named item, else for the agent's current item, else for the agent.
func orderWait(e *Env, ref string, o waitOptions, wait model.WaitFor) (order, error) {
	if ref != "" {
		return orderFor(e, ref, o.mutation, func(id model.ItemID) model.Command {
			wait.WorkItemID = id
			return wait
		})
	}
	agent, err := readAgent(e)
	return order{mutation: o.mutation, agent: agent, command: wait}, err
}

// command reads the flags. The caller has checked that exactly one wake was given.
func (o waitOptions) command(now time.Time) (model.WaitFor, error) {
	w := model.WaitFor{
		Source: model.Text(o.source), Condition: model.Text(o.condition), SeenRevision: o.ifRevision, RecheckAfterMS: millis(o.recheck),
		Choices: as[model.Text](o.choices),
	}
	words := ""
	switch {
	case o.asked.Forge != "":
		w.Wake, w.Source, w.Resource, words = model.WakeExternal, model.Text(o.asked.Forge), o.asked.Resource(), o.asked.Words()
	case o.system:
		w.Wake = model.WakeSystem
	case o.operator != "":
		w.Wake, w.Question, words = model.WakeOperatorInput, model.Text(o.operator), o.operator
	case o.task != "":
		w.Wake, w.Resource, words = model.WakeTaskResult, model.Text(o.task), "task "+o.task
	case o.external != "":
		w.Wake, w.Resource, words = model.WakeExternal, model.Text(o.external), cmp.Or(o.condition, o.external)
	case o.timer != "":
		if d, err := model.ParseSpan(o.timer); err == nil {
			w.Wake, w.Resource, words = model.WakeTimer, model.Text(d.String()), "a timer of "+o.timer
			break // it begins when it is saved, so that the same words always make the same command
		}
		at, err := model.ParseTime(o.timer, now)
		switch {
		case err != nil:
			return w, misuse("timer", "%q is not a time", model.Text(o.timer)).WithHint("%v", err)
		case o.key == "" && !at.After(now): // with a key it can be a retry of what was saved in time
			return w, misuse("timer", "%s is not in the future", model.Text(o.timer)).
				WithHint("say a time to come, such as 2h or tomorrow 9:00")
		}
		w.Wake, w.WakeAt, words = model.WakeTimer, at, "until "+at.Format(time.RFC3339)
	default:
		return w, misuse("wake", "what to wait for is empty").WithHint("give the flag some words")
	}
	w.Reason = model.Text(cmp.Or(o.reason, words))
	return w, nil
}

// askedOf reads a pull request's name. On GitHub the name needs no host.
func askedOf(name string) (model.Asked, error) {
	forge, resource := model.GitHub, name
	if strings.HasPrefix(name, "gitlab:") {
		forge = model.GitLab
	} else if !strings.HasPrefix(name, "github:") {
		resource = "github:" + name
	}
	asked, err := model.ParseAsked(forge, model.Text(resource))
	if err != nil || asked.Number == 0 {
		return asked, misuse("pr", "%q names no pull request", model.Text(name)).
			WithHint("give it as owner/name#7, or of GitLab as gitlab:group/name!7")
	}
	return asked, nil
}

// branchOf returns the branch that is checked out in an item's work tree, with its remote's address.
func branchOf(e *Env, ref string) (model.Asked, error) {
	dir, err := worktreeOf(e, ref)
	if err != nil {
		return model.Asked{}, err
	}
	branch, remote, err := (threads.Reader{}).Remote(e, dir)
	if err == nil {
		asked, ok := askedOfRemote(remote, branch)
		if ok {
			return asked, nil
		}
		err = fmt.Errorf("branch %s has no remote at GitHub or GitLab", model.Text(branch))
	}
	return model.Asked{}, model.Refuse(model.CodeRefused, "no checks of %s are known: %v", model.Text(dir), model.Text(err.Error())).
		At("checks").
		WithHint("name the pull request: vise wait ITEM --pr owner/name#7")
}

// worktreeOf returns the work tree of an item, or of the agent's current item, if it is known. Otherwise it returns the working directory.
func worktreeOf(e *Env, ref string) (dir string, err error) {
	var item model.WorkItem
	if ref != "" {
		item, err = itemOf(e, ref)
	} else {
		item, err = readOne(e, func(r model.Reader) (model.WorkItem, error) {
			agent, err := knownAgent(e, r)
			w, _ := model.Focus(r, agent)
			return w, err
		})
	}
	return cmp.Or(item.Links.Worktree(), e.dir), err
}

// askedOfRemote reads the host and the repository at a forge from the address of a remote: https://github.com/owner/name.git, or
// git@github.com:owner/name.git.
func askedOfRemote(remote, branch string) (model.Asked, bool) {
	host, path, ok := strings.Cut(remote, ":")
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		host, path, ok = u.Hostname(), u.Path, true
	}
	host = host[strings.LastIndex(host, "@")+1:]
	name := strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	for forge, prefix := range map[model.Forge]string{model.GitHub: "github", model.GitLab: "gitlab"} {
		if host == prefix+".com" && ok {
			asked, err := model.ParseAsked(forge, model.Text(prefix+":"+name+"@"+branch))
			return asked, err == nil
		}
	}
	return model.Asked{}, false
}

// forges asks the forges about items that wait for them. It runs beside the scheduler.
func forges(e *Env, h *home.Home) *runner.Forges {
	return &runner.Forges{Ledger: h, Home: h.Dir(), Now: e.now}
}
