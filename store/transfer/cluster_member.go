package transfer

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"vise/model"
)

// memberScript is the script of a member. A member's name in the cluster is that of its directory.
const memberScript = `#!/bin/sh
# Starts a member of the cluster. What it keeps is in data/ beside this file.
cd "$(dirname "$0")" && exec etcd --name %s --data-dir data --initial-cluster %s \
  --initial-advertise-peer-urls https://%s --listen-peer-urls https://%s --peer-client-cert-auth \
  --peer-cert-file peer.pem --peer-key-file peer.pem --peer-trusted-ca-file peers.pem \
  --advertise-client-urls https://%s --listen-client-urls https://%s --client-cert-auth \
  --cert-file server.pem --key-file server.pem --trusted-ca-file ca.pem --enable-grpc-gateway=false \
  --quota-backend-bytes=8589934592 --auto-compaction-retention=1h --grpc-keepalive-min-time=1s
`

// member is a member of the cluster. Its port for the other members follows that for clients.
type member struct{ dir, host, client, peer string }

// membersAt are the members with these endpoints for clients.
func membersAt(endpoints []string) (members []member, err error) {
	for i, e := range endpoints {
		host, port, err := net.SplitHostPort(e)
		n, unread := strconv.Atoi(port)
		if cmp.Or(err, unread) != nil || net.ParseIP(host) == nil && strings.Trim(strings.ToLower(host), hostLetters) != "" {
			return nil, model.Invalid("%q is not HOST:PORT", model.Text(e)).At("address", "HOST is a name or an IP address, PORT a number")
		}
		members = append(members, member{fmt.Sprint("member-", i+1), host, e, net.JoinHostPort(host, strconv.Itoa(n+1))})
	}
	return members, nil
}

const hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789.-"

// script starts the member. Etcd listens on addresses, not on names.
func (m member) script(all []member) []byte {
	var cluster []string
	for _, x := range all {
		cluster = append(cluster, x.dir+"=https://"+x.peer)
	}
	listen := func(at string) string {
		if net.ParseIP(m.host) == nil {
			return "0.0.0.0" + at[len(m.host):]
		}
		return at
	}
	return fmt.Appendf(nil, memberScript, m.dir, strings.Join(cluster, ","), m.peer, listen(m.peer), m.client, listen(m.client))
}

// certificate is what a member shows. It names nobody: it is no user's.
func (m member) certificate(uses ...x509.ExtKeyUsage) *x509.Certificate {
	c := &x509.Certificate{NotAfter: time.Now().Add(long), ExtKeyUsage: uses}
	if ip := net.ParseIP(m.host); ip != nil {
		c.IPAddresses = []net.IP{ip}
	} else {
		c.DNSNames = []string{m.host}
	}
	return c
}
