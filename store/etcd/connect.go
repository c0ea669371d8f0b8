package etcd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// Connect returns the backend of a ledger on a cluster. It reads the files of the certificates and connects to no member.
func Connect(c store.Cluster) (store.Backend, error) {
	config := Config{Ledger: c.Ledger, ID: c.ID, Mirror: c.Mirror}
	scheme := "https://"
	if c.CA+c.Cert+c.Key == "" {
		scheme = "http://"
		if err := onlyLoopback(c.Endpoints); err != nil {
			return nil, err
		}
	} else if err := config.secure(c); err != nil {
		return nil, err
	}
	for _, e := range c.Endpoints {
		config.Endpoints = append(config.Endpoints, scheme+e)
	}
	return Open(config)
}

// onlyLoopback refuses a cluster that would be reached over a network without TLS.
func onlyLoopback(endpoints []string) error {
	for _, e := range endpoints {
		host, _, err := net.SplitHostPort(e)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return refuse("give --ca, --cert and --key; --insecure is for a cluster on this machine",
				"%s is not on this machine, and is reached only with TLS", model.Text(e))
		}
	}
	return nil
}

// refuse is a refusal of the home, not of a command.
func refuse(hint, format string, args ...any) error {
	return model.Refused(format, args...).At("home", "%s", hint)
}

// maxPEM is the limit of a file of certificates in bytes.
const maxPEM = 1 << 20

// secure reads the certificates. They are checked at each start: they may have been replaced or have expired.
func (c *Config) secure(at store.Cluster) error {
	if at.CA == "" || at.Cert == "" || at.Key == "" {
		return refuse("give all three: --ca, --cert and --key", "a cluster is reached with a CA, a certificate and its key")
	}
	var unread error
	read := func(path string) []byte {
		raw, err := files.ReadSmall(path, maxPEM)
		unread = cmp.Or(unread, err)
		return raw
	}
	ca, certificate, key := read(at.CA), read(at.Cert), read(at.Key)
	if unread != nil {
		return refuse("name a regular file that you can read; links are not followed", "%v", unread)
	}
	if _, err := tls.X509KeyPair(key, certificate); err == nil && !bytes.Equal(certificate, key) {
		return refuse("give --cert the certificate, and --key its key", "%s has a key, and %s its certificate", at.Cert, at.Key)
	}
	if err := ownKey(at.Key); err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return refuse("name a certificate and its key, both in PEM", "%s and %s: %v", at.Cert, at.Key, err)
	}
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return refuse("name a certificate in PEM", "%s: %v", at.Cert, err)
	}
	c.User = cert.Subject.CommonName
	if now := time.Now(); now.After(cert.NotAfter) {
		return refuse("have a new one made, and put it in its place", "the certificate of %s expired on %s: %s", model.Text(c.User),
			cert.NotAfter.Local().Format("2006-01-02 15:04"), at.Cert)
	} else if now.Before(cert.NotBefore) {
		return refuse("check the clock", "the certificate of %s is valid from %s: %s", model.Text(c.User),
			cert.NotBefore.Local().Format("2006-01-02 15:04"), at.Cert)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return refuse("name a CA's certificate in PEM", "%s has no certificate", at.CA)
	}
	c.TLS = &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return nil
}

// ownKey refuses a key that others can read.
func ownKey(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	owner, foreign, open := files.Others(info)
	switch {
	case foreign:
		return refuse("use a key of your own", "%s belongs to user %d", path, owner)
	case open != 0:
		return refuse("chmod 600 "+path+"; if others may have read it, have a new one made", "others can read %s", path)
	}
	return nil
}

// denied explains why no member is reached, if the reason is the address, TLS or a certificate. The client of the cluster does not always
// tell that.
func (b *Backend) denied(ctx context.Context) error {
	first := !b.begun.Load()
	if b.config.TLS == nil && !first {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, rpcLimit)
	defer cancel()
	var refused error
	unknown, missing := 0, (*net.DNSError)(nil)
	for _, e := range b.config.Endpoints {
		_, endpoint, _ := strings.Cut(e, "://")
		err := b.shakeHands(ctx, endpoint)
		switch {
		case b.config.TLS == nil && (err == nil || aboutTLS(err)):
			return refuse("give --ca, --cert and --key; --insecure is for a cluster without TLS", "%s is reached only with TLS",
				model.Text(endpoint))
		case b.config.TLS == nil:
		case err == nil:
			return nil
		case aboutTLS(err):
			refused = err
		case errors.As(err, &missing) && missing.IsNotFound:
			unknown++
		case first && answersWithoutTLS(ctx, endpoint):
			return refuse("give --insecure if it is on this machine; otherwise have it started with certificates",
				"%s is reached without TLS", model.Text(endpoint))
		}
	}
	user := model.Text(b.config.User)
	switch {
	case unknown == len(b.config.Endpoints) && b.config.ID == "": // a home that has joined tries again: its network may be away
		return model.NotFound("this machine finds no %s", model.Text(missing.Name)).At("address",
			"check the address; the name may be known in another network only")
	case refused == nil:
		return nil
	case strings.Contains(refused.Error(), "remote error"):
		return model.Refused("the cluster does not accept the certificate of %s for %s", user, b.root).At("home").
			Because(refused).WithHint("it must be signed by the CA that the cluster trusts, be valid and not be revoked")
	}
	return model.Refused("the certificate of the cluster is not accepted; %s did not connect to %s", user, b.root).
		At("home").Because(refused).WithHint("--ca names the CA that signed it, and the address must be in it")
}

// aboutTLS reports whether both ends of a connection speak TLS, and do not agree.
func aboutTLS(err error) bool {
	said := err.Error()
	return !errors.As(err, new(tls.RecordHeaderError)) && (strings.Contains(said, "tls: ") || strings.Contains(said, "x509: "))
}

// answersWithoutTLS reports whether a member answers the beginning of HTTP/2 with its first frame.
func answersWithoutTLS(ctx context.Context, endpoint string) bool {
	const hello = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00" + settings + "\x00" + "\x00\x00\x00\x00"
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return false
	}
	defer conn.Close()
	limit, _ := ctx.Deadline()
	frame := make([]byte, 9)
	err = conn.SetDeadline(limit)
	if err == nil {
		_, err = io.WriteString(conn, hello)
	}
	if err == nil {
		_, err = io.ReadFull(conn, frame)
	}
	return err == nil && string(frame[3:4]) == settings
}

// settings is the kind of HTTP/2's first frame.
const settings = "\x04"

// shakeHands connects to a member. The member's first bytes show that it accepts the certificate.
func (b *Backend) shakeHands(ctx context.Context, endpoint string) error {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if b.config.TLS != nil {
		config = b.config.TLS.Clone()
	}
	config.NextProtos = []string{"h2"}
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return err
	}
	defer conn.Close()
	limit, _ := ctx.Deadline()
	if err := conn.SetReadDeadline(limit); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}
