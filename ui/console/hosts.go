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

// leaveHost leaves the agent on screen for the first one there is, if its host is no longer followed. What a dialog holds is kept until it
// is closed.
func leaveHost(c *console) (left bool) {
	host := model.HostOf(c.agent)
	followed := func(h model.HostState) bool { return h.Name == host }
	if host == "" || c.layers.dialog() != nil || slices.ContainsFunc(c.truth.hosts, followed) {
		return false
	}
	c.say("The host " + host + " was removed.")
	c.agent, c.spot = "", newSpot()
	c.queue, c.truth = screen.Queue{}, truth{inbox: c.truth.inbox}
	c.read()
	return true
}
