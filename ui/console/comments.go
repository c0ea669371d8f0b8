package console

import (
	"fmt"

	"vise/model"
)

// comment asks for a comment on the line under the cursor of the changes.
func comment(c *console) {
	on, ok := c.changes.About()
	if !ok {
		c.unheard("The cursor is on no file.")
		return
	}
	on.WorkItemID = c.changes.item
	c.open(commenting(c.facts(), on))
}

// commenting is the dialog for a comment.
func commenting(x facts, on model.CommentOn) dialog {
	where := model.Comment{File: on.File, Line: on.Line}.Where()
	f := &form{
		Title:    "Comment on " + x.Cut(where, 50),
		DraftKey: fmt.Sprintf("comment:%s:%s:%s", on.WorkItemID, where.Raw(), on.Quote.Raw()), // raw: a key
		Head: func(x facts, _ *form) []string {
			if on.Quote == "" {
				return nil
			}
			return []string{x.Note("> " + x.Cut(on.Quote, x.Inner()-4))}
		},
		Fields: []formField{{Label: "Comment", Field: textField(3, model.MaxComment)}},
		Foot:   "{submit} keep · {close} keeps the draft",
		Submit: func(_ facts, f *form) message {
			if f.Fields[0].Empty() {
				return trouble("a comment is needed")
			}
			on.Text = f.Text(0)
			return apply{Command: on, Said: "Commented on " + x.Cut(where, 50)}
		},
	}
	return f.WithDraft(x.Drafts)
}

// sendComments sends the unsent comments. If there are none, it asks for a message.
func sendComments(c *console) {
	n := c.changes.Unsent()
	if n == 0 {
		opening(messaging)(c)
		return
	}
	said := "Sent " + model.Counted(n, "comment") + " to " + clean(c.agent)
	c.send(model.SendComments{WorkItemID: c.changes.item}, said)
}

// dropComment deletes the comment at the cursor.
func dropComment(c *console) {
	id := c.changes.Cursor.Comment
	if id == "" {
		c.say("The cursor is on no comment.")
		return
	}
	c.send(model.CommentOn{WorkItemID: c.changes.item, Withdraw: id}, "Dropped a comment")
}
