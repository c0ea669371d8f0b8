package transfer

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"time"
)

// MakeCluster makes in dir what is missing of the files for a cluster: the directories member-1 and so on for the members with these
// endpoints, user-NAME for users, and authority, which has two authorities: one for users and the ports that they reach, the other for the
// members among themselves. So no user's certificate opens the ports on which the members believe whoever sends them something. A
// certificate and its key are in one file, which only its owner can read. A file that exists is never changed.
func MakeCluster(dir string, endpoints, users []string) error {
	members, err := membersAt(endpoints)
	if err != nil {
		return err
	}
	x := &maker{dir: dir}
	clients, peers := x.authority("clients"), x.authority("members")
	if x.err != nil {
		return x.err
	}
	for _, m := range members {
		x.issue(m.dir+"/server.pem", m.certificate(x509.ExtKeyUsageServerAuth), clients)
		x.issue(m.dir+"/peer.pem", m.certificate(x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth), peers)
		x.put(m.dir+"/ca.pem", certificatePEM(clients.Leaf.Raw))
		x.put(m.dir+"/peers.pem", certificatePEM(peers.Leaf.Raw))
		x.put(m.dir+"/start.sh", m.script(members))
	}
	for _, user := range users {
		x.issue("user-"+user+"/user.pem", &x509.Certificate{Subject: pkix.Name{CommonName: user}, NotAfter: time.Now().Add(aYear),
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, clients)
		x.put("user-"+user+"/ca.pem", certificatePEM(clients.Leaf.Raw))
	}
	return x.err
}
