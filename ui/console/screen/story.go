package screen

import (
	"vise/model"
	"vise/ui/text"
)

// story returns the lines of an item's history: where its time went, then each step with its duration.
func (v Detail) story(w int) []string {
	if len(v.Story.Lines) == 0 {
		return nil
	}
	out := v.Wrapped(model.Text(v.Story.Words()), w, v.Strong)
	for _, x := range v.Story.Lines {
		out = append(out, v.storyLine(x, w))
	}
	return append(out, v.rule(w))
}

// storyCells is the width of a step's duration.
const storyCells = 7

func (v Detail) storyLine(x model.StoryLine, w int) string {
	mark := v.Muted.Of(v.Glyph.Dot)
	if class, ok := storyClasses[x.Kind]; ok {
		mark = v.classMark(class)
	}
	return v.Strip(w, false, v.Muted.Of(" "+text.Pad(v.Clock(x.At), 8)+" "+text.Pad(x.Lasted(), storyCells)), mark,
		v.Text.Of(" "+v.Show(x.Text)))
}

// storyClasses are the classes whose glyphs mark the steps.
var storyClasses = map[model.StoryKind]model.Class{
	model.StoryWorked: model.CurrentRunnable, model.StoryReady: model.QueuedRunnable, model.StoryQuestion: model.WaitingForOperator,
	model.StoryWaited: model.BlockedClass, model.StoryTriggered: model.TriggeredBlocked, model.StoryReviewed: model.TriggeredBlocked,
	model.StoryCompleted: model.CompletedRecent,
}
