package config

import (
	"net/url"
	"slices"

	"vise/model"
)

// Channel is a way to tell the operator, away from the terminal, what needs them: an address or a program.
type Channel struct {
	Ntfy    Address  `yaml:"ntfy" json:"ntfy,omitempty" jsonschema:"The address of a topic of ntfy, as https://ntfy.sh/TOPIC."`
	Webhook Address  `yaml:"webhook" json:"webhook,omitempty" jsonschema:"An address that is sent JSON by POST."`
	Command []string `yaml:"command" json:"command,omitempty" jsonschema:"A program and arguments; {title}, {body} are replaced."`

	Needs      []need     `yaml:"needs" json:"needs,omitempty" jsonschema:"The needs it is for; empty: those that wait for your word."`
	QuietHours quietHours `yaml:"quiet_hours" json:"quiet_hours,omitempty" jsonschema:"Instead of the general quiet_hours."`
}

// Address is where a channel sends. It can contain secrets, so printing it shows only scheme and host.
type Address string

// String returns the scheme and the host.
func (a Address) String() string {
	u, err := url.Parse(string(a))
	switch {
	case a == "":
		return ""
	case err != nil || u.Host == "":
		return "(no address)"
	}
	return model.Text(u.Scheme + "://" + u.Host + "/…").String()
}

// MarshalText implements encoding.TextMarshaler.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// GoString implements fmt.GoStringer.
func (a Address) GoString() string { return a.String() }

// need is the name of a need of the inbox.
type need string

func needNames() (out []string) {
	for _, x := range model.Needs {
		out = append(out, string(x))
	}
	return out
}

// To describes where the channel sends, without secrets.
func (x Channel) To() string {
	switch {
	case x.Ntfy != "":
		return "ntfy " + x.Ntfy.String()
	case x.Webhook != "":
		return "webhook " + x.Webhook.String()
	case len(x.Command) > 0:
		return "command " + model.Text(x.Command[0]).String()
	}
	return ""
}

// Takes reports whether the channel sends an entry of the inbox.
func (x Channel) Takes(e model.Inboxed) bool {
	if len(x.Needs) == 0 {
		return e.Urgent()
	}
	return !e.Seen && slices.Contains(x.Needs, need(e.Need))
}

// Quiet returns the hours in which the channel sends nothing: its own, or else the general ones.
func (c Config) Quiet(x Channel) quietHours {
	if x.QuietHours != "" {
		return x.QuietHours
	}
	return c.QuietHours
}

// maxChannels bounds the number of channels.
const maxChannels = 20

func (c *checker) channels() {
	c.atMost(maxChannels, len(c.Channels), "channels")
	for _, name := range Names(c.Channels) {
		x, path := c.Channels[name], "channels."+name
		c.named("channels", name, "a channel's")
		ways := 0
		for part, a := range map[string]Address{"ntfy": x.Ntfy, "webhook": x.Webhook} {
			if a == "" {
				continue
			}
			ways++
			if u, err := url.Parse(string(a)); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				c.find(path+"."+part, "is no address", "it begins with https:// and the name of a host")
			}
		}
		if len(x.Command) > 0 {
			ways++
		}
		if ways != 1 || len(x.Command) > 0 && x.Command[0] == "" {
			c.find(path, "needs one of ntfy, webhook and command", "")
		}
		c.hours(path+".quiet_hours", x.QuietHours)
	}
}
