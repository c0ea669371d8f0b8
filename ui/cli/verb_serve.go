package cli

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/runner"
)

func (a *app) serveVerb() *cobra.Command {
	var o driveOptions
	s := &runner.Server{Now: a.now}
	var also bool
	c := &cobra.Command{
		Use: "serve [--listen 127.0.0.1:PORT]", Short: "Run the scheduler, and take what the outside sends",
		Long: "serve runs the scheduler without a screen, and an HTTP server for the addresses that vise trigger url\n" +
			"makes. /healthz and /metrics are for this machine. With --drive it also drives the configured agents.",
	}
	f := c.Flags()
	f.StringVar(&s.Listen, "listen", defaultListen, "where to listen")
	f.BoolVar(&s.Public, "public", false, "allow an address that others can reach; without --cert what is sent can be read on the way")
	f.StringVar(&s.Certificate, "cert", "", "a file with the certificate")
	f.StringVar(&s.Key, "cert-key", "", "a file with the certificate's key")
	f.StringSliceVar(&s.Hosts, "host", nil, "names beside the address under which requests may come in")
	f.BoolVar(&also, "drive", false, "drive the configured agents too")
	o.register(c)
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) {
		h, err := a.open()
		if err != nil {
			return answer{}, err
		}
		s.Ledger = h
		s.Report = func(err error) { fmt.Fprintf(a.err, "vise: %s\n", model.Text(err.Error())) }
		s.Ready = func(at net.Addr) { fmt.Fprintf(a.err, "vise: listening on %s\n", at) }
		if also {
			programs, err := a.programs(o, nil)
			if err != nil {
				return answer{}, err
			}
			d, err := a.driver(programs)
			if err != nil {
				return answer{}, err
			}
			s.Also = d.Run
		}
		if s.Public && s.Certificate == "" {
			a.warn(model.Warning{Kind: model.WarnUnencrypted, Message: "without --cert what is sent can be read, and its address be used, by who sees it on the way"})
		}
		defer a.attend(ctx)()
		if err := s.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			return answer{}, err
		}
		return answer{data: map[string]any{}}, nil
	})
}
