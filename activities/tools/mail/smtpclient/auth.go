package smtpclient

import (
	"errors"
	"net/smtp"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// Auth is how a client names itself; the zero Auth is not at all. Its secrets
// are read for each conversation.
type Auth struct {
	Mechanism string       `yaml:"mechanism"` // MechanismPlain or MechanismLogin
	Username  secrets.Text `yaml:"username"`
	Password  secrets.Text `yaml:"password"`
}

// What Mechanism can be. That a password goes over TLS, or does not leave this
// machine, is checked when the settings are read.
const (
	MechanismPlain = "plain" // RFC 4616
	MechanismLogin = "login" // of no RFC, and all that some servers offer
)

func (a Auth) isZero() bool { return a.Mechanism == "" && a.Username.IsZero() && a.Password.IsZero() }

// credentials reads the secrets now.
func (a Auth) credentials() (smtp.Auth, error) {
	username, err := a.Username.Resolve()
	if err == nil {
		var password string
		if password, err = a.Password.Resolve(); err == nil {
			if a.Mechanism == MechanismLogin {
				return &login{answers: []string{username, password}}, nil
			}
			return plainAuth{username, password}, nil
		}
	}
	return nil, faults.SecretMissing("the mail server's credentials", err)
}

type plainAuth struct{ username, password string }

func (a plainAuth) Start(*smtp.ServerInfo) (mechanism string, answer []byte, err error) {
	return "PLAIN", []byte("\x00" + a.username + "\x00" + a.password), nil
}

func (a plainAuth) Next(_ []byte, more bool) ([]byte, error) {
	if more {
		return nil, errUnexpectedChallenge
	}
	return nil, nil
}

// login answers two challenges, whose texts differ from server to server.
type login struct{ answers []string }

func (l *login) Start(*smtp.ServerInfo) (mechanism string, answer []byte, err error) {
	return "LOGIN", nil, nil
}

func (l *login) Next(_ []byte, more bool) ([]byte, error) {
	if !more {
		return nil, nil
	}
	if len(l.answers) == 0 {
		return nil, errUnexpectedChallenge
	}
	answer := l.answers[0]
	l.answers = l.answers[1:]
	return []byte(answer), nil
}

var errUnexpectedChallenge = errors.New("the server asks for more than this mechanism has")
