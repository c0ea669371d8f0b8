package console

import (
	"slices"
	"strings"

	"vise/model"
	"vise/ui/console/screen"
)

// limits says which part of the open items is known here, of the host of the agent on screen or of each host.
func (c *console) limits(ofAgent bool) string {
	var out []string
	for _, h := range c.truth.hosts {
		if s := h.Limit(); s != "" && (!ofAgent || model.HostOf(c.agent) == h.Name) {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// hostRemoved reports whether the agent on screen is of a host that is no longer followed. What a dialog holds is kept until it is closed.
func (c *console) hostRemoved() bool {
	host := model.HostOf(c.agent)
	return host != "" && c.layers.dialog() == nil &&
		!slices.ContainsFunc(c.truth.hosts, func(h model.HostState) bool { return h.Name == host })
}

// leaveHost leaves the agent of a host that was removed, for the first agent there is.
func (c *console) leaveHost() {
	c.say("The host " + model.HostOf(c.agent) + " was removed.")
	c.agent, c.spot = "", newSpot()
	c.queue, c.truth = screen.Queue{}, truth{inbox: c.truth.inbox}
	c.read()
}
