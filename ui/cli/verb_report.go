package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/reply"
)

type reportOptions struct {
	mutation
	file string
}

func (a *app) reportVerb() *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use: "report ID", Short: "Show a completion report, or give one to an item without",
		Args: named("ID"), ValidArgsFunction: a.doneItems,
	}
	o.keyed(c)
	c.Flags().StringVar(&o.file, "file", "", "store this file as the report; - is standard input")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		if o.file == "" {
			return a.showReport(ctx, args[0])
		}
		return a.giveReport(ctx, args[0], o)
	})
}

func (a *app) giveReport(ctx context.Context, ref string, o reportOptions) (answer, error) {
	text, err := a.reportText(o.file)
	if err != nil {
		return answer{}, err
	}
	in, err := a.act(ctx, ref, o.mutation, func(id model.ItemID) model.Command {
		return model.ReportWorkItem{WorkItemID: id, Text: text}
	})
	if err != nil {
		return answer{}, err
	}
	var out reply.Completion
	err = a.read(ctx, func(r model.Reader) error {
		out = reply.OfCompletion(r, in, a.door.look)
		return nil
	})
	return answer{data: out, warnings: out.Warnings, text: func(p *page) { p.changed("reported", out.WorkItem) }}, err
}

func (a *app) showReport(ctx context.Context, ref string) (answer, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return answer{}, err
	}
	var out reply.Completion
	err = a.read(ctx, func(r model.Reader) error {
		out.WorkItem = reply.View(r, id, a.door.look)
		return nil
	})
	return answer{data: out, text: func(p *page) {
		switch v := out.WorkItem; {
		case v.Report != nil:
			p.line("%s", v.Report.Text.Multiline())
		case v.State == model.Open:
			p.line("%s is open; a report follows its completion", v.Handle)
		default:
			p.line("%s was completed without a report; vise report %s --file - gives it one", v.Handle, v.Handle)
		}
	}}, err
}
