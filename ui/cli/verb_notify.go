package cli

import (
	"cmp"
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
	Channel string   `json:"channel"`
	Lines   []string `json:"lines"`
}

func notifyVerb() verb {
	test := ""
	return verb{
		use: "notify --test CHANNEL", short: "Try a channel of notifications",
		long: `notify --test sends a message by a channel of the configuration, at any hour, and says whether the channel
took it.`,
		example: "vise admin notify --test phone",
		flags:   flags{{"test", &test, "the channel to send a test message by"}},
		needs:   "test",
		run: func(e *Env) (answer, error) {
			s, err := settings(e, "channels", "vise admin config check says more")
			if err != nil {
				return nil, err
			}
			channel, ok := s.Channels[test]
			if !ok {
				return nil, misuse("test", "there is no channel %s", test).
					WithHint("%s", "channels in config.yaml: "+cmp.Or(strings.Join(config.Names(s.Channels), ", "), "none"))
			}
			m := runner.TestMessage(test)
			if _, err := runner.Send(e, channel, m); err != nil {
				return nil, refuse("channel %s did not take the message", test).Because(err).
					WithHint("it sends by %s", channel.To())
			}
			return oneLine(notified{test, []string{m.Title, m.Body}}, "sent by %s, %s", test, channel.To()), nil
		},
	}
}

func briefVerb() verb {
	since, markdown := "12h", false
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
			from, err := pastTime(since, e.now())
			if err != nil {
				return nil, misuse("since", "--since %s is %v", since, err).
					WithHint("a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)")
			}
			return readAnswer(e, func(p *page, d model.Digest) { p.brief(d, markdown) }, func(r model.Reader) (model.Digest, error) {
				return model.DigestOf(r, from, e.now()), nil
			})
		},
	}
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
		s, _ := settings(e, "channels", "") // vise admin config check reports errors in the configuration
		return s.Config
	}}
}

// channelStates returns the state of each channel. A configuration that cannot be read is returned as a state without a name.
func channelStates(e *Env, dir string) []runner.ChannelState {
	s, err := settings(e, "channels", "vise admin config check says more")
	if err != nil {
		return []runner.ChannelState{{Why: model.Text(err.Error())}}
	}
	return runner.ChannelStates(dir, s.Channels)
}

// channels writes which channels fail, and why.
func (p *page) channels(list []runner.ChannelState) {
	for _, x := range list {
		switch {
		case x.Channel == "":
			p.line("channels: %s; vise admin config check says more", x.Why)
		case x.Why != "":
			rests := ""
			if x.RetryAt.After(p.now) {
				rests = "; nothing is sent for " + text.Age(x.RetryAt.Sub(p.now).Round(time.Second))
			}
			p.line("channel %s failed: %s%s; vise admin notify --test %s tries it", x.Channel, x.Why, rests, x.Channel)
		}
	}
}
