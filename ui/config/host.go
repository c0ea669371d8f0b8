package config

import (
	"fmt"
	"net/url"
	"strings"

	"vise/model"
)

// HostAddress is the address of the home on another machine: ssh://user@host:port/path-to-home. For missing parts ssh, and vise on that
// machine, use their own settings.
type HostAddress struct{ User, Host, Port, Home string }

// The bounds of hosts, and of a host's name, which is shown beside each of its agents.
const (
	maxHosts    = 20
	maxHostName = 16
)

// ParseHost reads the address of a host.
func ParseHost(s string) (HostAddress, error) {
	u, err := url.Parse(s)
	bad := func(format string, args ...any) (HostAddress, error) {
		return HostAddress{}, model.Invalid(format, args...).At("address",
			"an address is ssh://user@host:port/path-to-home; user, port and path may be left out")
	}
	if err != nil || u.Scheme != "ssh" || u.Opaque != "" {
		return bad("%q is no address of ssh", model.Text(s))
	}
	_, secret := u.User.Password()
	h := HostAddress{u.User.Username(), u.Hostname(), u.Port(), u.Path}
	if h.Home == "/" {
		h.Home = ""
	}
	plain := func(s string) bool {
		return model.IsName(s, model.LowerCase+model.UpperCase+model.Digits, "._-:%")
	}
	switch {
	case secret:
		return bad("an address holds no password: ssh has your keys")
	case !plain(h.Host) || h.User != "" && !plain(h.User):
		return bad("%q names no host", model.Text(s))
	case u.RawQuery != "" || u.Fragment != "":
		return bad("%q has more than a path", model.Text(s))
	case model.Text(h.Home).String() != h.Home:
		return bad("the path to the home has characters that no path needs")
	}
	return h, nil
}

// Command returns the ssh command that connects to the host. It asks no questions and uses ssh's own settings, keys and known hosts.
func (h HostAddress) Command() []string {
	argv := []string{"ssh", "-T", "-oBatchMode=yes", "-oConnectTimeout=10", "-oServerAliveInterval=10", "-oServerAliveCountMax=3",
		"-oClearAllForwardings=yes"}
	if h.Port != "" {
		argv = append(argv, "-p", h.Port)
	}
	if h.User != "" {
		argv = append(argv, "-l", h.User)
	}
	run := "exec vise hosts serve" // the name that an older vise there knows, too
	if h.Home != "" {
		run += " --home '" + strings.ReplaceAll(h.Home, "'", `'\''`) + "'"
	}
	return append(argv, "--", h.Host, run)
}

// hosts checks the names and addresses of hosts.
func (c *checker) hosts() {
	c.atMost(maxHosts, len(c.Hosts), "hosts")
	for _, name := range Names(c.Hosts) {
		if !validHostName(name) {
			c.find("hosts."+name, "is not usable as a host's name", fmt.Sprintf("use 1 to %d of a-z, 0-9, - and _", maxHostName))
		}
		if _, err := ParseHost(c.Hosts[name]); err != nil {
			c.find("hosts."+name, err.Error(), "ssh://user@host:port/path-to-home")
		}
	}
}

func validHostName(name string) bool { return model.ValidID(name) && len(name) <= maxHostName }
