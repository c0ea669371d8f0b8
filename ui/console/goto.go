package console

import (
	"time"

	"vise/ui/action"
	"vise/ui/console/screen"
)

// leader waits for the key after the key that opened it, and lists the keys.
type leader struct {
	in   action.Context
	back action.ID
	// title and foot describe the list, which is w cells wide.
	title, foot string
	w           int
	// hidden: the list does not appear yet. An operator who knows the letter does not see it.
	hidden bool
}

// goShown is the time before the list of places appears.
const goShown = 300 * time.Millisecond

func openGo(c *console) {
	d := &leader{in: action.Go, back: action.GoBack, title: "Go to", w: 56, hidden: true,
		foot: "{go-desk} {go-fleet} {go-activity} {go-reports} views · {go-plan} {go-todos} {go-waits} {go-events} {go-why} " +
			"{go-report} {go-thread} {go-files} {go-changes} tabs · {go-top} top · {go-back} close"}
	c.open(d)
	c.start(c.fx.after(goShown, func(*console) { d.hidden = false }))
}

func copyKeys(*console) dialog {
	return &leader{in: action.Copy, back: action.CopyBack, title: "Copy", foot: "{copy-back} close", w: 48}
}

// In is part of dialog.
func (d *leader) In() action.Context { return d.in }

// Press is part of dialog.
func (d *leader) Press(k keyPress, _ facts) (open bool, m message) {
	switch k.ID {
	case "":
		return true, nil
	case d.back:
		return false, nil
	}
	return false, run(k.ID)
}

// Draw is part of dialog.
func (d *leader) Draw(x facts) drawnDialog {
	var lines []string
	for _, a := range x.Catalogue {
		if a.In != d.in || a.ID == d.back {
			continue
		}
		ink, does, why := x.Text, a.Does, x.Refusal(a, x.State)
		if why != "" {
			ink, does = x.Faint, "off: "+why
		}
		switch {
		case d.in == action.Copy:
			does = ": " + does
		case why != "":
			does = "  " + does
		default:
			does = ""
		}
		lines = append(lines, " "+x.Key.Paint(a.Key())+"  "+ink.Paint(a.Title+does))
	}
	out := x.dialog(d.title, d.foot, lines)
	out.W = min(d.w, x.W)
	return out
}

// goTab goes into a tab of the detail, if the item has it.
func goTab(tab screen.Tab) act {
	return func(c *console) {
		if !c.detailView().Offers(tab) {
			c.say("There is no tab " + screen.TabNames[tab] + " here.")
			return
		}
		openDetail(c)
		showTab(c, tab)
	}
}
