package transfer

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// leaf is the certificate of a file that has its key too.
func leaf(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	raw := read(t, dir, name)
	pair, err := tls.X509KeyPair(raw, raw)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

// A user's certificate is for clients alone, names no member, and is not signed by the authority that the members ask for among themselves.
func TestAUsersCertificateIsNoMembers(t *testing.T) {
	dir := t.TempDir()
	if err := MakeCluster(dir, []string{"db1.example:2379", "[::1]:2379"}, []string{"ann", ".."}); err != nil {
		t.Fatal(err)
	}
	trusts := func(file string, c *x509.Certificate, use x509.ExtKeyUsage) bool {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(read(t, dir, file)) {
			t.Fatalf("%s has no certificate", file)
		}
		_, err := c.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{use}})
		return err == nil
	}
	client, server := x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth
	for _, x := range []struct {
		ca, cert       string
		client, server bool
	}{
		{"member-1/ca.pem", "user-ann/user.pem", true, false},
		{"member-1/peers.pem", "user-ann/user.pem", false, false},
		{"user-ann/ca.pem", "member-1/server.pem", false, true},
		{"member-1/peers.pem", "member-1/server.pem", false, false},
		{"member-1/ca.pem", "member-1/peer.pem", false, false},
		{"member-1/peers.pem", "member-2/peer.pem", true, true},
		{"user-../ca.pem", "user-../user.pem", true, false},
	} {
		c := leaf(t, dir, x.cert)
		if got := trusts(x.ca, c, client); got != x.client {
			t.Errorf("%s accepts %s of a client: %v", x.ca, x.cert, got)
		}
		if got := trusts(x.ca, c, server); got != x.server {
			t.Errorf("%s accepts %s of a server: %v", x.ca, x.cert, got)
		}
	}
	ann, member := leaf(t, dir, "user-ann/user.pem"), leaf(t, dir, "member-1/server.pem")
	if ann.Subject.CommonName != "ann" || len(ann.DNSNames)+len(ann.IPAddresses) > 0 {
		t.Errorf("ann's certificate is of %q, %v, %v", ann.Subject.CommonName, ann.DNSNames, ann.IPAddresses)
	}
	if member.Subject.CommonName != "" || !slices.Equal(member.DNSNames, []string{"db1.example"}) {
		t.Errorf("a member's certificate is of %q, %v", member.Subject.CommonName, member.DNSNames)
	}
	for _, w := range []string{"member-1=https://db1.example:2380,member-2=https://[::1]:2380 ", " --listen-peer-urls https://0.0.0.0:2380 ",
		" --advertise-client-urls https://db1.example:2379 "} {
		if !strings.Contains(string(read(t, dir, "member-1/start.sh")), w) {
			t.Errorf("the start of a member has no %q", w)
		}
	}
}

// What is there stays as it is, whoever is added. Only the owner can read it.
func TestWhatIsThereStays(t *testing.T) {
	dir := t.TempDir()
	all := func() map[string]string {
		m := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			info, _ := d.Info()
			if d.IsDir() || err != nil {
				return err
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			m[path] = string(read(t, path, ""))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	members := []string{"127.0.0.1:2379"}
	if err := MakeCluster(dir, members, []string{"ann"}); err != nil {
		t.Fatal(err)
	}
	before := all()
	if err := MakeCluster(dir, members, []string{"ann", "ben"}); err != nil {
		t.Fatal(err)
	}
	after := all()
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s is another one", path)
		}
	}
	if len(after) != len(before)+2 {
		t.Errorf("%d files, then %d", len(before), len(after))
	}
	if !bytes.Equal(read(t, dir, "user-ben/ca.pem"), read(t, dir, "member-1/ca.pem")) {
		t.Error("ben has another authority")
	}
	if err := leaf(t, dir, "user-ben/user.pem").CheckSignatureFrom(leaf(t, dir, "authority/clients.pem")); err != nil {
		t.Error(err)
	}
}

// The script of a member has no host that a shell could take for something else.
func TestAHostIsANameOrAnAddress(t *testing.T) {
	for _, bad := range []string{"$(id):2379", "a b:2379", "db1;id:2379", "db1:https", "db1"} {
		dir := t.TempDir()
		if err := MakeCluster(dir, []string{bad}, nil); err == nil {
			t.Errorf("%q is taken", bad)
		}
		if list, _ := os.ReadDir(dir); len(list) > 0 {
			t.Errorf("%q: %v", bad, list)
		}
	}
}
