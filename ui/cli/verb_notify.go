package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
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
func notifyVerb(e *Env) *cobra.Command {
	since, brief, test := briefBack, false, ""
	c := &cobra.Command{
		Use: "notify (--brief | --test CHANNEL)", Short: "Send the brief as a notification, for cron, or try a channel",
		Long: "notify sends the content of vise brief, one line for each thing, by what notifications.via in\n" +
			"config.yaml names: the desktop's program, or the terminal. Without a terminal, and with auto, it prints\n" +
			"the lines, which cron sends by mail. It sends nothing in quiet_hours, and nothing when nothing happened.\n" +
			"--test sends a message by a channel of the configuration, at any hour, and says whether the channel took\n" +
			"it.",
		Example: "vise notify --brief --since 14h",
	}
	c.Flags().BoolVar(&brief, "brief", false, "what happened, and what needs you")
	c.Flags().StringVar(&since, "since", since, "since when: a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)")
	c.Flags().StringVar(&test, "test", "", "the channel to send a test message by")
	needsOne(c, "brief", "test")
	oneOnly(c, "brief", "test")
	return e.verb(c, func(_ context.Context, _ []string) (answer, error) {
		if !brief {
			return testChannel(e, test)
		}
		from, err := briefFrom(e, since)
		if err != nil {
			return answer{}, err
		}
		s, err := settings(e, "notifications", "")
		if err != nil {
			return answer{}, err
		}
		d, err := readOne(e, func(r model.Reader) (model.Digest, error) { return model.DigestOf(r, from, e.now()), nil })
		if err != nil || d.Empty() || s.QuietHours.Hold(e.now()) || s.Notifications.Via == config.ViaOff {
			return answer{data: notified{Lines: []string{}}, text: func(*page) {}}, err
		}
		out := notified{Lines: []string{}}
		for _, l := range action.BriefLines(d, e.now().Local()) {
			out.Lines = append(out.Lines, l.Plain())
		}
		out.Via, err = notify(e, s.Notifications.Via, out.Lines)
		return answer{data: out, text: func(p *page) {
			for _, l := range out.Lines {
				if out.Via == "" {
					p.line("%s", l)
				}
			}
		}}, err
	})
}

// notify sends lines, of which the first is the title, and returns the channel. It returns "" if there is no channel.
func notify(e *Env, via config.Via, lines []string) (config.Via, error) {
	title, rest := "vise: "+lines[0], lines[1:]
	if via == config.ViaNative {
		if err := (desktop{e.getenv}).Notify(e, title, strings.Join(rest, "\n")); err != nil {
			return "", model.Refuse(model.CodeRefused, "the desktop's program did not take the notification").Because(err).
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
