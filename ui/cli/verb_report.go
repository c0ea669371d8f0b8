package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

type reportOptions struct {
	mutation
	file string
	// offered is which of the offered reports is chosen, from 1; 0: none.
	offered int
	// none declines them all.
	none bool
}

func (a *app) reportVerb() *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use: "report ID", Short: "Show a completion report, or give one to an item without", ValidArgsFunction: a.doneItems,
	}
	o.keyed(c)
	c.Flags().StringVar(&o.file, "file", "", "store this file as the report; - is standard input")
	c.Flags().IntVar(&o.offered, "offered", 0, "store this one of the offered reports; vise report ID numbers them")
	c.Flags().Lookup("offered").NoOptDefVal = "1"
	c.Flags().BoolVar(&o.none, "none", false, "none of the offered reports is it; ask no more")
	c.MarkFlagsMutuallyExclusive("file", "offered", "none")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		switch {
		case o.none:
			return a.declineReport(ctx, args[0], o)
		case o.file == "" && o.offered == 0:
			return a.showReport(ctx, args[0])
		}
		return a.giveReport(ctx, args[0], o)
	})
}

// offeredText is the offered report that was chosen.
func (a *app) offeredText(ctx context.Context, ref string, n int) (model.Text, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	v, err := a.view(ctx, id)
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(v.Offered) {
		return "", model.Refuse(model.CodeNotFound, "%s has %d offered reports", v.Handle, len(v.Offered)).At("offered").
			WithHint("vise report %s shows them; --file gives it words of your own", v.Handle)
	}
	return v.Offered[n-1].Text, nil
}

func (a *app) giveReport(ctx context.Context, ref string, o reportOptions) (answer, error) {
	text, err := a.reportText(o.file)
	if o.offered != 0 {
		text, err = a.offeredText(ctx, ref, o.offered)
	}
	if err != nil {
		return answer{}, err
	}
	return a.settleReport(ctx, ref, o, "reported", func(id model.ItemID) model.Command {
		return model.ReportWorkItem{WorkItemID: id, Text: text}
	})
}

func (a *app) declineReport(ctx context.Context, ref string, o reportOptions) (answer, error) {
	return a.settleReport(ctx, ref, o, "declined the reports of", func(id model.ItemID) model.Command {
		return model.DeclineReport{WorkItemID: id}
	})
}

func (a *app) settleReport(ctx context.Context, ref string, o reportOptions, did string, make func(model.ItemID) model.Command) (answer, error) {
	in, err := a.act(ctx, ref, o.mutation, make)
	if err != nil {
		return answer{}, err
	}
	out, err := readOne(ctx, a, func(r model.Reader) (home.CompletionResult, error) { return home.CompletionResultOf(r, in), nil })
	return answer{data: out, warnings: out.Warnings, text: func(p *page) { p.changed(did, out.WorkItem) }}, err
}

func (a *app) showReport(ctx context.Context, ref string) (answer, error) {
	return readItem(ctx, a, ref, (*page).report, func(r model.Reader, w model.WorkItem) (out home.CompletionResult) {
		out.WorkItem = home.ViewOf(r, w.ID)
		return out
	})
}

func (p *page) report(out home.CompletionResult) {
	switch v := out.WorkItem; {
	case v.Report != nil:
		p.line("%s", v.Report.Text.Multiline())
	case v.State == model.Open:
		p.line("%s is open; a report follows its completion", v.Handle)
	case len(v.Offered) > 0:
		p.offers(v)
	default:
		p.line("%s was completed without a report; vise report %s --file - gives it one", v.Handle, v.Handle)
	}
}

// offers shows the reports to choose from.
func (p *page) offers(v model.View) {
	p.line("%s was completed without a report; these words are offered. vise report %s --offered=N keeps one.", v.Handle, v.Handle)
	for i, o := range v.Offered {
		shared := ""
		if len(o.SharedWith) > 0 {
			shared = ", said of several work items at once"
		}
		p.line("\n%d (%s%s)\n%s", i+1, o.Provenance, shared, o.Text.Multiline())
	}
}
