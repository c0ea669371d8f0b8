package console

import (
	"time"

	"vise/ui/action"
	"vise/ui/console/screen"
)

// goDialog waits for the letter of a place. After a short time it lists the letters.
type goDialog struct{ shown bool }

// goShown is the time before the list appears. An operator who knows the letter does not see it.
const goShown = 300 * time.Millisecond

func openGo(c *console) {
	d := &goDialog{}
	c.open(d)
	c.start(c.fx.after(goShown, func(*console) {
		d.shown = true
	}))
}

// In is part of dialog.
func (*goDialog) In() action.Context { return action.Go }

// Press is part of dialog.
func (d *goDialog) Press(k keyPress, _ facts) (dialog, message) {
	switch k.ID {
	case "":
		return d, nil
	case action.GoBack:
		return nil, nil
	}
	return nil, run(k.ID)
}

// Draw is part of dialog.
func (*goDialog) Draw(x facts) drawnDialog {
	var lines []string
	for _, a := range x.Catalogue {
		if a.In != action.Go || a.ID == action.GoBack {
			continue
		}
		ink, does := x.Text, a.Title
		if why := x.Refusal(a, x.State); why != "" {
			ink, does = x.Faint, does+"  off: "+why
		}
		lines = append(lines, " "+x.Key.Paint(a.Key())+"  "+ink.Paint(does))
	}
	out := x.dialog("Go to", "{go-desk} {go-fleet} {go-activity} {go-reports} views · {go-plan} {go-todos} {go-waits} "+
		"{go-events} {go-why} "+
		"{go-report} {go-thread} {go-files} {go-changes} tabs · {go-top} top · {go-back} close", lines)
	out.W = min(56, x.W)
	return out
}

// goTab shows a tab of the detail, if the item has it.
func goTab(tab screen.Tab) act {
	return func(c *console) {
		if !c.detailView().Offers(tab) {
			c.say("There is no tab " + screen.TabNames[tab] + " here.")
			return
		}
		showTab(c, tab)
	}
}
