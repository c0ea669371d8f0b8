package transfer

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"os"
	"path/filepath"
	"time"

	"vise/store/files"
)

// How long certificates hold. A user's is short, because it lies on many machines.
const (
	aYear = 365 * 24 * time.Hour
	long  = 10 * aYear
)

// maker makes files in a directory, until an error.
type maker struct {
	dir string
	err error
}

// put makes a file, unless it exists.
func (x *maker) put(name string, data []byte) {
	path := filepath.Join(x.dir, name)
	if x.err == nil {
		x.err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if x.err == nil {
		x.err = files.WriteNew(path, data)
	}
}

// authority returns an authority. It is made if it is not there.
func (x *maker) authority(of string) (a tls.Certificate) {
	name := "authority/" + of + ".pem"
	x.issue(name, &x509.Certificate{Subject: pkix.Name{CommonName: "authority of " + of}, NotAfter: time.Now().Add(long),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, a)
	if path := filepath.Join(x.dir, name); x.err == nil {
		a, x.err = tls.LoadX509KeyPair(path, path)
	}
	return a
}

// issue makes a certificate and its key, signed by an authority or, without one, by itself.
func (x *maker) issue(name string, c *x509.Certificate, by tls.Certificate) {
	public, key, err := ed25519.GenerateKey(nil)
	if by.Leaf == nil {
		by = tls.Certificate{Leaf: c, PrivateKey: key}
	}
	c.NotBefore = time.Now().Add(-time.Hour) // another machine's clock may be behind
	made, unsigned := x509.CreateCertificate(rand.Reader, c, by.Leaf, public, by.PrivateKey)
	secret, unwritten := x509.MarshalPKCS8PrivateKey(key)
	x.err = cmp.Or(x.err, err, unsigned, unwritten)
	x.put(name, append(certificatePEM(made), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...))
}

func certificatePEM(raw []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}
