package cli

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/runner"
)

func waitVerb() verb {
	var c model.WaitFor
	var operator, task, after, external, pull, timer string
	var checks, system bool
	return verb{
		use: "wait [ID]", short: "Park a work item until something happens", items: model.FilterOpen,
		long: `wait parks a work item until an answer, a task, another work item, an event or a time. Its earlier waits end. Without ID
the agent's current item waits, or the agent itself if it has none. News asks for a review and
never unblocks. With --pr or --checks the console, drive and serve ask gh or glab how it goes; comments
on a pull request arrive as messages.`,
		example: `vise wait wi-7f3k --operator 'LRU or LFU?' --choice LRU --choice LFU
vise wait wi-7f3k --external github:owner/repo#7 --source ci --recheck 2h
vise wait wi-7f3k --after wi-2m4q
vise wait wi-7f3k --pr owner/repo#7
vise wait wi-7f3k --timer 'tomorrow 9'`,
		revision: &c.SeenRevision,
		flags: flags{
			{"operator", &operator, "wait for your answer to this question"},
			{"task", &task, "wait for a task or delegation to end"},
			{"after", &after, "the ID of another work item, of any agent: wait until it is completed"},
			{"external", &external, "wait for something outside to change: a run, a review, a branch"},
			{"pr", &pull, "wait for a pull request, owner/name#7: its checks, reviews and end, asked of gh; gitlab:group/name!7 " +
				"is asked of glab"},
			{"checks", &checks, "wait for the checks of the branch in the item's work tree, asked of gh or glab"},
			{"timer", &timer, "wait for a time: 30m, 16:00, tomorrow 9 or RFC 3339"},
			{"system", &system, "wait for the scheduler's next look; needs --reason"},
			{"reason", &c.Reason, "what is waited for, in words (default: made of the other flags)"},
			{"source", &c.Source, "who will tell: ci, review"},
			{"condition", &c.Condition, "what must have happened: the run succeeded"},
			{"choice", &c.Choices, "an answer to propose; can be given again"},
			{"recheck", &c.RecheckAfterMS, "look again after this time, if nothing came"},
		},
		oneOf: "operator task after external pr checks timer system",
		run: func(e *Env) (answer, error) {
			var words string
			var err error
			switch {
			case checks, pull != "":
				var asked model.Asked
				if asked, err = askedOf(pull); checks {
					asked, err = branchOf(e, first(e.words))
				}
				c.Wake, c.Source, c.Resource, words = model.WakeExternal, model.Text(asked.Forge), asked.Resource(), asked.Words()
			case system:
				c.Wake = model.WakeSystem
			case operator != "":
				c.Wake, c.Question, words = model.WakeOperatorInput, model.Text(operator), operator
			case task != "":
				c.Wake, c.Resource, words = model.WakeTaskResult, model.Text(task), "task "+task
			case after != "":
				var w model.WorkItem
				w, err = itemOf(e, after)
				c.Wake, c.Resource, words = model.WakeExternal, model.Text("item:"+w.ID), fmt.Sprintf("after %s %s", w.Handle, w.Objective)
			case external != "": // raw: a Text again
				c.Wake, c.Resource, words = model.WakeExternal, model.Text(external), cmp.Or(string(c.Condition), external)
			case timer != "":
				words, err = setTimer(e, &c, timer)
			default:
				err = misuse("wake", "what to wait for is empty").WithHint("give the flag some words")
			}
			if err != nil {
				return nil, err
			}
			c.Reason = cmp.Or(c.Reason, model.Text(words))
			agent := e.agent
			if len(e.words) > 0 {
				c.WorkItemID, err = resolve(e, e.words[0])
			} else { // for the agent's current item, else for the agent
				agent, err = readAgent(e)
			}
			if err != nil {
				return nil, err
			}
			return changeAnswer(e, agent, c, func(r model.Reader, in model.Receipt) home.WaitResult {
				return home.WaitResultOf(r, c.Wake, in)
			}, waiting)
		},
	}
}

func waiting(p *page, _ model.Receipt, out home.WaitResult) {
	if out.WorkItem == nil {
		p.line("agent %s waits", out.Wait.AgentID)
	} else {
		p.changed("waits", *out.WorkItem)
	}
	p.wait(out.Wait)
}

// setTimer makes c wait for a time span or an instant, and says so in words. A span begins when it is saved, so that the same words always
// make the same command.
func setTimer(e *Env, c *model.WaitFor, timer string) (words string, err error) {
	c.Wake = model.WakeTimer
	if d, err := model.ParseSpan(timer); err == nil {
		c.Resource = model.Text(d.String())
		return "a timer of " + timer, nil
	}
	c.WakeAt, err = model.ParseTime(timer, e.now())
	switch {
	case err != nil:
		return "", misuse("timer", "%q is not a time", timer).WithHint("%v", err)
	case e.key == "" && !c.WakeAt.After(e.now()): // with a key it can be a retry of what was saved in time
		return "", misuse("timer", "%s is not in the future", timer).WithHint("say a time to come, such as 2h or tomorrow 9:00")
	}
	return "until " + c.WakeAt.Format(time.RFC3339), nil
}

// askedOf reads a pull request's name.
func askedOf(name string) (model.Asked, error) {
	asked, err := askedAt(name)
	if err != nil || asked.Number == 0 {
		return asked, misuse("pr", "%q names no pull request", name).
			WithHint("give it as owner/name#7, or of GitLab as gitlab:group/name!7")
	}
	return asked, nil
}

// askedAt reads a name at a forge. On GitHub it needs no host.
func askedAt(name string) (model.Asked, error) {
	if strings.HasPrefix(name, "gitlab:") {
		return model.ParseAsked(model.GitLab, model.Text(name))
	}
	return model.ParseAsked(model.GitHub, model.Text("github:"+strings.TrimPrefix(name, "github:")))
}

// branchOf returns the branch that is checked out in an item's work tree, with its remote's address.
func branchOf(e *Env, ref string) (model.Asked, error) {
	dir, err := worktreeOf(e, ref)
	if err != nil {
		return model.Asked{}, err
	}
	branch, remote, err := git.Remote(e, dir)
	if err == nil {
		asked, ok := askedOfRemote(remote, branch)
		if ok {
			return asked, nil
		}
		err = fmt.Errorf("branch %s has no remote at GitHub or GitLab", model.Text(branch))
	}
	return model.Asked{}, refuse("no checks of %s are known: %v", dir, err).At("checks",
		"name the pull request: vise wait ITEM --pr owner/name#7")
}

// worktreeOf returns the work tree of an item, or of the agent's current item, if it is known. Otherwise it returns the working directory.
func worktreeOf(e *Env, ref string) (dir string, err error) {
	item, err := focusOf(e, knownAgent)
	if ref != "" {
		item, err = itemOf(e, ref)
	}
	return cmp.Or(item.Links.Worktree(), e.dir), err
}

// askedOfRemote reads the host and the repository at a forge from the address of a remote: https://github.com/owner/name.git, or
// git@github.com:owner/name.git.
func askedOfRemote(remote, branch string) (model.Asked, bool) {
	host, path, _ := strings.Cut(remote, ":")
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		host, path = u.Hostname(), u.Path
	}
	host, is := strings.CutSuffix(host[strings.LastIndex(host, "@")+1:], ".com")
	asked, err := askedAt(host + ":" + strings.TrimSuffix(strings.Trim(path, "/"), ".git") + "@" + branch)
	return asked, is && err == nil
}

// forges asks the forges about items that wait for them. It runs beside the scheduler.
func forges(e *Env, h *home.Home) *runner.Forges {
	return &runner.Forges{Ledger: h, Home: h.Dir(), Now: e.now}
}
