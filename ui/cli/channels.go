package cli

import (
	"cmp"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/config"
	"vise/ui/runner"
	"vise/ui/text"
)

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
	s, err := settings(e, "channels", "vise config check says more")
	if err != nil {
		return answer{}, err
	}
	channel, ok := s.Channels[name]
	if !ok {
		return answer{}, misuse("test", "there is no channel %s", model.Text(name)).
			WithHint("%s", "channels in config.yaml: "+cmp.Or(strings.Join(config.Names(s.Channels), ", "), "none"))
	}
	m := runner.TestMessage(name)
	if _, err := runner.Send(e, channel, m); err != nil {
		return answer{}, model.Refuse(model.CodeRefused, "channel %s did not take the message", model.Text(name)).Because(err).
			WithHint("it sends by %s", channel.To())
	}
	return answer{data: notified{Lines: []string{m.Title, m.Body}, Channel: name}, text: func(p *page) {
		p.line("sent by %s, %s", model.Text(name), channel.To())
	}}, nil
}

// channelStates returns the state of each channel. A configuration that cannot be read is returned as a state without a name.
func channelStates(e *Env, dir string) []runner.ChannelState {
	s, err := settings(e, "channels", "vise config check says more")
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
			p.line("channels: %s; vise config check says more", x.Why)
		case x.Why != "" && x.RetryAt.After(p.now):
			p.line("channel %s fails: %s; nothing is sent for %s; vise notify --test %s tries it", x.Channel, x.Why,
				text.Age(x.RetryAt.Sub(p.now).Round(time.Second)), x.Channel)
		case x.Why != "":
			p.line("channel %s failed: %s; vise notify --test %s tries it", x.Channel, x.Why, x.Channel)
		}
		if x.Unknown > 0 {
			p.line("channel %s: of %s nobody knows whether it arrived; it is not sent again", x.Channel, model.Counted(x.Unknown, "need"))
		}
	}
}
