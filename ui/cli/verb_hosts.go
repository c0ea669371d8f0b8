package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
	"vise/ui/config"
)

// hostList is the data of hosts and its subcommands.
type hostList struct {
	Hosts []hostGist `json:"hosts"`
}

// hostGist is a host, and whether it can be reached now.
type hostGist struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	// State is connected or away. Agents and NeedYou count a connected host's agents and inbox entries.
	State   string       `json:"state"`
	Agents  int          `json:"agents"`
	NeedYou int          `json:"needs_operator"`
	Error   *model.Error `json:"error,omitempty"`
}

func (x hostGist) away() bool { return x.Error != nil }

// hostTimeout is how long vise admin hosts waits for the hosts' answers.
const hostTimeout = 15 * time.Second

func hostsVerb() verb {
	return verb{
		use: "hosts", short: "List the hosts and whether each can be reached, add one, remove one",
		long: `A host is another machine with a home of its own. The console shows its agents, questions, events and
reports beside those of this machine, and sends your decisions there. vise connects with the program
ssh, which must not ask for anything: keys, known hosts and jump hosts come from ssh's settings. vise
must be installed there too.`,
		example: "vise admin hosts",
		who:     anybody,
		verbs:   []verb{hostsAddVerb(), hostsRemoveVerb(), hostsServeVerb()},
		run: func(e *Env) (answer, error) {
			_, s, err := loaded(e)
			if err != nil {
				return nil, err
			}
			out := reachHosts(e, s.Hosts, "")
			ans := answerOf(out, (*page).hosts).warned(configWarnings(s))
			if slices.ContainsFunc(out.Hosts, hostGist.away) {
				ans = ans.exits(exitBusy)
			}
			return ans, nil
		},
	}
}

func (p *page) hosts(out hostList) {
	if len(out.Hosts) == 0 {
		p.line("no hosts; vise admin hosts add NAME ssh://user@host shows another machine's home in the console")
	}
	rows := make([][]string, len(out.Hosts))
	for i, x := range out.Hosts {
		said := model.Counted(x.Agents, "agent")
		if x.NeedYou > 0 {
			said += ", " + model.Counted(x.NeedYou, "question") + " for you"
		}
		if x.away() {
			said = ""
		}
		rows[i] = []string{x.Name, x.State, x.Address, said}
	}
	p.plainTable(3, rows)
	for _, x := range out.Hosts {
		if x.away() {
			p.say("%s: %s\n      %s", x.Name, x.Error.Error(), x.Error.Hint)
		}
	}
}

// reachHosts connects to each host once, to the added one last: it is the one that is refused if the same home is there.
func reachHosts(e *Env, hosts map[string]string, added string) hostList {
	ctx, stop := context.WithTimeout(e, hostTimeout)
	h := home.NewHosts(ctx, hostOptions(e))
	all := hostsOf(hosts)
	h.Set(slices.DeleteFunc(slices.Clone(all), func(x home.Host) bool { return x.Name == added }))
	h.Settled(ctx)
	h.Set(all)
	h.Settled(ctx)
	out := hostList{Hosts: []hostGist{}}
	for _, x := range h.States() {
		gist := hostGist{Name: x.Name, Address: hosts[x.Name], State: "connected", Agents: x.Agents, NeedYou: x.NeedYou}
		if x.Away {
			gist.State, gist.Error = "away", x.Trouble
			if x.Trouble == nil {
				gist.Error = model.Busy("no answer in %s", hostTimeout).
					WithHint("try ssh -v to that host: it says more")
			}
		}
		out.Hosts = append(out.Hosts, gist)
	}
	stop()
	h.Close()
	return out
}

// hostsOf returns the hosts of a configuration, each with its address. It omits a host with an invalid address.
func hostsOf(in map[string]string) (out []home.Host) {
	for _, name := range config.Names(in) {
		if at, err := config.ParseHost(in[name]); err == nil {
			out = append(out, home.Host{Name: name, Dir: at.Home, Argv: at.Command()})
		}
	}
	return out
}

func hostsAddVerb() verb {
	return verb{
		use: "add NAME ADDRESS", short: "Show the home of another machine in the console too",
		long: `ADDRESS is ssh://user@host:port/path-to-home. What you leave out comes from ssh's settings; without a
path the home is the usual one. The host is written into config.yaml. vise then tries once to reach it,
and says whether that works. A home that is shown already is refused.`,
		example: "vise admin hosts add build ssh://ann@build.example/srv/vise",
		who:     anybody,
		run: func(e *Env) (answer, error) {
			args := e.words
			if err := rewritten(e, config.WithHost)(e, args[0], args[1]); err != nil {
				return nil, err
			}
			s, _ := settings(e, "hosts", "")
			out := reachHosts(e, s.Hosts, args[0])
			out.Hosts = slices.DeleteFunc(out.Hosts, func(x hostGist) bool { return x.Name != args[0] })
			for _, x := range out.Hosts {
				if x.away() && x.Error.Code == model.CodeConflict {
					return nil, errors.Join(x.Error.WithHint("it was not added"), removeHost(e, args[0]))
				}
			}
			return answered(out, func(p *page) {
				p.say("added %s", args[0])
				p.hosts(out)
			}), nil
		},
	}
}

func hostsRemoveVerb() verb {
	return verb{
		use: "remove NAME", short: "Stop showing a host; nothing on it is changed",
		example: "vise admin hosts remove build",
		who:     anybody,
		run: func(e *Env) (answer, error) {
			return oneLine(hostList{Hosts: []hostGist{}}, "removed %s", e.words[0]), removeHost(e, e.words[0])
		},
	}
}

func removeHost(e *Env, name string) error {
	without := func(raw []byte, name, _ string) ([]byte, error) { return config.WithoutHost(raw, name) }
	return rewritten(e, without)(e, name, "")
}

func hostsServeVerb() verb {
	return verb{
		use: "serve", short: "Serve this home to the console of another machine, on standard input and output",
		long: `ssh starts this on a host. Whoever can start it can do everything that you can. A line of
authorized_keys that begins with command="vise admin hosts serve" limits a key to the usual home, and with
--home PATH in it to that home. An address that names another home is refused.`,
		example: "vise admin hosts serve </dev/null",
		who:     anybody,
		run: func(e *Env) (answer, error) {
			h, err := open(e)
			if err != nil {
				return nil, err
			}
			defer beside(e, e.wakeLedger, h.KeepPlans)()
			return nil, h.ServeHost(e, e.in, e.out)
		},
	}
}

// hostOptions are this run's options for following hosts.
func hostOptions(e *Env) home.HostOptions {
	return home.HostOptions{Now: e.now, Here: func() string {
		dir, err := homeDir(e)
		if err != nil {
			return ""
		}
		return store.HomeID(dir)
	}}
}
