package cli

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/runner"
	"vise/ui/text"
)

// notified is the data of notify.
type notified struct {
	// Via is the channel that was used. If it is empty, the lines were written and nothing was sent.
	Via   config.Via `json:"via,omitempty"`
	Lines []string   `json:"lines"`
	// Channel is the channel that was tried.
	Channel string `json:"channel,omitempty"`
}

// notifyVerb notifies through the channel that the configuration names. Under cron there is no terminal: then it writes the lines, which
// cron sends by mail.
func notifyVerb() verb {
	since, brief, test := briefBack, false, ""
	return verb{
		use: "notify (--brief | --test CHANNEL)", short: "Send the brief as a notification, for cron, or try a channel",
		long: `notify sends the content of vise brief, one line for each thing, by what notifications.via in
config.yaml names: the desktop's program, or the terminal. Without a terminal, and with auto, it prints
the lines, which cron sends by mail. It sends nothing in quiet_hours, and nothing when nothing happened.
--test sends a message by a channel of the configuration, at any hour, and says whether the channel took
it.`,
		example: "vise admin notify --brief --since 14h",
		flags: flags{
			{"brief", &brief, "what happened, and what needs you"},
			{"since", &since, "since when: a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)"},
			{"test", &test, "the channel to send a test message by"},
		},
		oneOf: "brief test",
		run: func(e *Env) (answer, error) {
			if !brief {
				return testChannel(e, test)
			}
			from, err := briefFrom(e, since)
			if err != nil {
				return nil, err
			}
			s, err := settings(e, "notifications", "")
			if err != nil {
				return nil, err
			}
			d, err := readOne(e, func(r model.Reader) (model.Digest, error) { return model.DigestOf(r, from, e.now()), nil })
			if err != nil || d.Empty() || s.QuietHours.Hold(e.now()) || s.Notifications.Via == config.ViaOff {
				return answered(notified{Lines: []string{}}, func(*page) {}), err
			}
			out := notified{Lines: []string{}}
			for _, l := range action.BriefLines(d, e.now().Local()) {
				out.Lines = append(out.Lines, l.Plain())
			}
			out.Via, err = notify(e, s.Notifications.Via, out.Lines)
			return answered(out, func(p *page) {
				for _, l := range out.Lines {
					if out.Via == "" {
						p.line("%s", l)
					}
				}
			}), err
		},
	}
}

// notify sends lines, of which the first is the title, and returns the channel. It returns "" if there is no channel.
func notify(e *Env, via config.Via, lines []string) (config.Via, error) {
	title, rest := "vise: "+lines[0], lines[1:]
	if via == config.ViaNative {
		if err := (desktop{e.getenv}).Notify(e, title, strings.Join(rest, "\n")); err != nil {
			return "", refuse("the desktop's program did not take the notification").Because(err).
				WithHint("notifications.via: auto writes the lines where there is no terminal")
		}
		return via, nil
	}
	if via == config.ViaAuto {
		via = config.TerminalVia(e.getenv)
	}
	if !e.ttyOut || via == config.ViaBell { // the bell carries no words
		return "", nil
	}
	_, err := io.WriteString(e.err, via.Sequence(title, slices.Clone(rest)...))
	return via, err
}

// briefBack is the default for how far brief looks back.
const briefBack = "12h"

func briefVerb() verb {
	since, markdown := briefBack, false
	return verb{
		use: "brief", short: "Show what happened while you were away",
		long: `brief tells of all agents: what was completed, with the beginning of its report, what needs you now, what was
blocked, and what the turns cost. --markdown is for a message or a note.`,
		example: `vise brief --since 18:00
vise brief --since 3d --markdown`,
		flags: flags{
			{"since", &since, "since when: a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)"},
			{"markdown", &markdown, "write Markdown"},
		},
		run: func(e *Env) (answer, error) {
			from, err := briefFrom(e, since)
			if err != nil {
				return nil, err
			}
			return readAnswer(e, func(p *page, d model.Digest) { p.brief(d, markdown) }, func(r model.Reader) (model.Digest, error) {
				return model.DigestOf(r, from, e.now()), nil
			})
		},
	}
}

// briefFrom returns the time from which a brief reports.
func briefFrom(e *Env, since string) (time.Time, error) {
	from, err := pastTime(since, e.now())
	if err != nil {
		return from, misuse("since", "--since %s is %v", since, err).
			WithHint("a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)")
	}
	return from, nil
}

// brief writes a heading and one line for each thing. With markdown it marks them as headings and lists.
func (p *page) brief(d model.Digest, markdown bool) {
	lines := action.BriefLines(d, p.now.Local())
	if markdown {
		for l := range strings.Lines(action.BriefMarkdown(lines)) {
			p.lines(strings.TrimSuffix(l, "\n"))
		}
		return
	}
	for i, l := range lines {
		switch {
		case l.Heading != "":
			if i > 0 {
				p.line("")
			}
			p.lines(p.strong(l.Heading))
		case l.Name == "":
			p.lines(p.muted(l.Words))
		default:
			p.line("  %s  %s  %s", l.Name, p.muted(l.Agent), l.Words)
		}
	}
}

// channels sends notifications to the operator through the channels of the configuration.
func channels(e *Env, h *home.Home, report func(error)) *runner.Channels {
	return &runner.Channels{Ledger: h, Home: h.Dir(), Now: e.now, Report: report, Settings: func() config.Config {
		at, err := config.PlaceOf(e.getenv)
		if err != nil {
			return config.Default()
		}
		return config.Load(at, e.getenv).Config
	}}
}

// testChannel sends a message through a channel and returns the result.
func testChannel(e *Env, name string) (answer, error) {
	s, err := settings(e, "channels", "vise admin config check says more")
	if err != nil {
		return nil, err
	}
	channel, ok := s.Channels[name]
	if !ok {
		return nil, misuse("test", "there is no channel %s", name).
			WithHint("%s", "channels in config.yaml: "+cmp.Or(strings.Join(config.Names(s.Channels), ", "), "none"))
	}
	m := runner.TestMessage(name)
	if _, err := runner.Send(e, channel, m); err != nil {
		return nil, refuse("channel %s did not take the message", name).Because(err).
			WithHint("it sends by %s", channel.To())
	}
	return answered(notified{Lines: []string{m.Title, m.Body}, Channel: name}, func(p *page) {
		p.say("sent by %s, %s", name, channel.To())
	}), nil
}

// channelStates returns the state of each channel. A configuration that cannot be read is returned as a state without a name.
func channelStates(e *Env, dir string) []runner.ChannelState {
	s, err := settings(e, "channels", "vise admin config check says more")
	if err != nil {
		return []runner.ChannelState{{Why: model.Text(err.Error())}}
	}
	if len(s.Channels) == 0 {
		return nil
	}
	return runner.ChannelStates(dir, s.Channels)
}

// channels writes which channels fail, and why.
func (p *page) channels(list []runner.ChannelState) {
	for _, x := range list {
		switch {
		case x.Channel == "":
			p.line("channels: %s; vise admin config check says more", x.Why)
		case x.Why != "" && x.RetryAt.After(p.now):
			p.line("channel %s fails: %s; nothing is sent for %s; vise admin notify --test %s tries it", x.Channel, x.Why,
				text.Age(x.RetryAt.Sub(p.now).Round(time.Second)), x.Channel)
		case x.Why != "":
			p.line("channel %s failed: %s; vise admin notify --test %s tries it", x.Channel, x.Why, x.Channel)
		}
	}
}
