package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Comment is the operator's comment on a line that the work on an item changed.
type Comment struct {
	ID CommentID `json:"comment_id"`
	// File is relative to the work tree, Line a line of it; 0: the whole file.
	File Text `json:"file"`
	Line int  `json:"line,omitempty"`
	// Quote is the line at that time, with a - before it if the work had removed it; Hash is the file's hash at that time.
	Quote Text      `json:"quote,omitempty"`
	Hash  string    `json:"hash,omitempty"`
	Text  Text      `json:"text"`
	At    time.Time `json:"at"`
	// MessageID is the message that carries it to the agent; empty until it is sent.
	MessageID MessageID `json:"message_id,omitempty"`
}

// CommentID identifies a comment of an item.
type CommentID string

// CommentState is how far a comment is on its way.
type CommentState string

// The states of a comment. Answered: the agent got it and said something afterwards, and its lines have changed.
const (
	CommentUnsent   CommentState = "unsent"
	CommentSent     CommentState = "sent"
	CommentAnswered CommentState = "answered"
)

// Bounds of an item's comments: their number, and their texts in Unicode scalars.
const (
	MaxComments    = 50
	MaxComment     = 1000
	MaxQuote       = 200
	maxCommentFile = 1000
)

// CommentOn keeps a comment on a line of an item's work, or withdraws one that was not sent.
type CommentOn struct {
	WorkItemID ItemID `json:"work_item_id"`
	File       Text   `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	Quote      Text   `json:"quote,omitempty"`
	Hash       string `json:"hash,omitempty"`
	Text       Text   `json:"text,omitempty"`
	// Withdraw is the comment to withdraw.
	Withdraw CommentID `json:"withdraw,omitempty"`
}

// SendComments sends all unsent comments on an item to its agent, as one message.
type SendComments struct {
	WorkItemID ItemID `json:"work_item_id"`
}

// commented is the data of work_item_commented.
type commented struct {
	Revision uint64  `json:"revision"`
	Comment  Comment `json:"comment"`
	// Withdrawn: the comment was withdrawn.
	Withdrawn bool `json:"withdrawn,omitempty"`
}

func (c CommentOn) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	if c.Withdraw != "" {
		return c.withdraw(s, w)
	}
	x := Comment{Line: c.Line, Hash: c.Hash, At: s.at.At}
	if x.File, err = required("file", c.File, maxCommentFile); err != nil {
		return err
	}
	if x.Text, err = required("text", c.Text, MaxComment); err != nil {
		return err
	}
	if c.Line < 0 {
		return Invalid("%d is not the number of a line", c.Line).At("line",
			"lines begin at 1; leave it out to comment on the file")
	}
	x.Quote = cut(c.Quote, MaxQuote)
	if len(w.unsent()) == MaxComments {
		return Invalid("%s has %d comments that were not sent, as many as are kept", w.Handle, MaxComments).At("text",
			"send them first: vise review %s --send", w.Handle)
	}
	x.ID = CommentID(s.newID("cm-"))
	w.Comments = append(slices.Clone(w.Comments), x)
	if len(w.Comments) > MaxComments { // the oldest sent one
		i := slices.IndexFunc(w.Comments, func(x Comment) bool { return x.MessageID != "" })
		w.Comments = slices.Delete(w.Comments, i, i+1)
	}
	w = s.save(w, false)
	s.event(EventCommented, w.ID, commented{Revision: w.Revision, Comment: x})
	return nil
}

func (c CommentOn) withdraw(s *step, w WorkItem) error {
	i := slices.IndexFunc(w.Comments, func(x Comment) bool { return x.ID == c.Withdraw })
	switch {
	case i < 0:
		return NotFound("%s has no comment %s", w.Handle, Text(c.Withdraw)).At("withdraw",
			"list them: vise review %s", w.Handle)
	case w.Comments[i].MessageID != "":
		return Refused("comment %s was sent", Text(c.Withdraw)).At("withdraw",
			"say another thing: vise say %s", w.AgentID)
	}
	x := w.Comments[i]
	w.Comments = slices.Delete(slices.Clone(w.Comments), i, i+1)
	w = s.save(w, false)
	s.event(EventCommented, w.ID, commented{Revision: w.Revision, Comment: x, Withdrawn: true})
	return nil
}

// inverse is the command that undoes c after it was carried out.
func (c CommentOn) inverse(s *step) *CommentOn {
	before, _ := s.before.Item(c.WorkItemID)
	now, _ := s.Item(c.WorkItemID)
	if c.Withdraw == "" {
		return &CommentOn{WorkItemID: c.WorkItemID, Withdraw: now.Comments[len(now.Comments)-1].ID}
	}
	x := before.Comments[slices.IndexFunc(before.Comments, func(x Comment) bool { return x.ID == c.Withdraw })]
	return &CommentOn{WorkItemID: c.WorkItemID, File: x.File, Line: x.Line, Quote: x.Quote, Hash: x.Hash, Text: x.Text}
}

func (c SendComments) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	unsent := w.unsent()
	if len(unsent) == 0 {
		return Refused("%s has no comments that were not sent", w.Handle).At("work_item_id",
			"comment on a line first: vise review comment %s FILE:LINE TEXT", w.Handle)
	}
	a, err := s.agent(w.AgentID)
	if err != nil {
		return err
	}
	m := Message{ID: MessageID(s.newID("ms-")), WorkItemID: w.ID, Source: "review", Priority: Normal, Body: reviewOf(w, unsent)}
	w.Comments = slices.Clone(w.Comments)
	for i := range w.Comments {
		if w.Comments[i].MessageID == "" {
			w.Comments[i].MessageID = m.ID
		}
	}
	s.save(w, false)
	return s.say(a, m)
}

// unsent are the item's unsent comments.
func (w WorkItem) unsent() []Comment {
	return slices.DeleteFunc(slices.Clone(w.Comments), func(x Comment) bool { return x.MessageID != "" })
}

// reviewOf is the text of a message with comments.
func reviewOf(w WorkItem, list []Comment) Text {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on your changes for %s. Change the lines or say why not, then say that you have.\n",
		Counted(len(list), "comment"), w.Handle)
	for _, x := range list {
		b.WriteString("\n" + x.Where().Raw() + "\n")
		if x.Quote != "" {
			b.WriteString("> " + x.Quote.Raw() + "\n")
		}
		b.WriteString(x.Text.Raw() + "\n")
	}
	return Text(b.String())
}

// Where is the comment's file and line.
func (x Comment) Where() Text {
	if x.Line == 0 {
		return x.File
	}
	return Textf("%s:%d", x.File.Raw(), x.Line)
}

// Commented is a comment and its fate, as far as the ledger knows it.
type Commented struct {
	Comment
	// Delivery is the status of the message that carries it.
	Delivery MessageStatus `json:"delivery,omitempty"`
	// Spoken: the agent got the comment and has said something since: a turn's or session's last words, a report, a notice to
	// the operator, or a completion.
	Spoken bool `json:"agent_spoke,omitempty"`
}

// CommentsOf are the comments on an item, oldest first.
func CommentsOf(f Facts, w WorkItem) (out []Commented) {
	var spoke time.Time
	if len(w.Comments) > 0 {
		spoke = lastSpoken(f, w)
	}
	for _, x := range w.Comments {
		c := Commented{Comment: x}
		if m, ok := f.Message(x.MessageID); x.MessageID != "" && ok {
			c.Delivery = m.Status
			c.Spoken = m.Status == MessageSent && spoke.After(m.UpdatedAt) || m.Status == MessageDone && spoke.After(m.CreatedAt)
		}
		out = append(out, c)
	}
	return out
}

// State is how far a comment is; changed says that its lines have changed.
func (x Commented) State(changed bool) CommentState {
	switch {
	case x.MessageID == "":
		return CommentUnsent
	case x.Spoken && changed:
		return CommentAnswered
	}
	return CommentSent
}

// lastSpoken is when the agent last said something about an item.
func lastSpoken(f Facts, w WorkItem) (at time.Time) {
	t, _ := f.Trace(w.AgentID, w.ID)
	at = t.Summary.At
	for _, e := range f.Entries(w.ID, detailEntries) {
		_, agent := e.Actor.Agent()
		switch e.Kind {
		case EventRound:
			agent = agent || DataOf[roundNews](e).Text != ""
		case EventReportPromoted, EventReportOffered, EventOperatorNotified:
		case EventWorkItemWritten:
			agent = agent && DataOf[Written](e).Action == "completed"
		default:
			agent = false
		}
		if agent && e.At.After(at) {
			at = e.At
		}
	}
	return at
}

func describeComment(d commented) string {
	if d.Withdrawn {
		return "comment taken back: " + string(d.Comment.Where())
	}
	return "comment on " + string(d.Comment.Where()) + ": " + string(d.Comment.Text)
}
