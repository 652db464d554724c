package smtpserver_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/smtp"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/targets/smtpserver"
)

const mail = "From: a@example.com\r\nTo: b@example.com\r\nSubject: s\r\nMessage-ID: <one@example.com>\r\n\r\ntext\r\n"

func TestRestartKeepsAddressAndMails(t *testing.T) {
	s := smtpserver.Start(t, smtpserver.Options{})
	address := s.Address()
	for range 2 {
		require.NoError(t, smtp.SendMail(address, nil, "a@example.com", []string{"b@example.com"}, []byte(mail)))
	}
	for name, end := range map[string]func() error{"stop": s.Stop, "kill": s.Kill} {
		require.NoError(t, end(), name)
		require.NoError(t, end(), name)
		_, err := net.Dial("tcp", address)
		require.Error(t, err, name)

		require.NoError(t, s.Start(t.Context()), name)
		require.NoError(t, s.Start(t.Context()), name)
		require.Equal(t, address, s.Address())
		n, err := s.Count(t.Context(), "one@example.com")
		require.NoError(t, err, name)
		require.Equal(t, 2, n, name)
	}
	n, err := s.Count(t.Context(), "two@example.com")
	require.NoError(t, err)
	require.Zero(t, n)
	mails, err := s.Mails(t.Context(), "one@example.com")
	require.NoError(t, err)
	require.Len(t, mails, 2)
	require.Contains(t, string(mails[0]), mail)
}

func TestPlainAndStrangersAreRefused(t *testing.T) {
	s := smtpserver.Start(t, smtpserver.Options{TLS: smtpserver.StartTLS, Users: map[string]string{"mei": "secret"}})
	c, err := smtp.Dial(s.Address())
	require.NoError(t, err)
	defer c.Close()
	require.Error(t, c.Mail("a@example.com"), "before TLS")

	pem, err := os.ReadFile(s.CAFile())
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(pem))
	require.NoError(t, c.StartTLS(&tls.Config{RootCAs: trusted, ServerName: "127.0.0.1"}))
	require.Error(t, c.Mail("a@example.com"), "before AUTH")
	require.NoError(t, c.Auth(smtp.PlainAuth("", "mei", "secret", "127.0.0.1")))
	require.NoError(t, c.Mail("a@example.com"))
}

func TestLaunchOfNoProgramFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, err := smtpserver.Launch(t.Context(), smtpserver.Options{Program: "/no/such/program"})
	require.ErrorIs(t, err, os.ErrNotExist)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
}
