package signature

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// tool returns the path of one of OpenSSH's programs. Without it the test is
// skipped, but never in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	require.NotEqual(t, "true", os.Getenv("CI"), "%s is missing", name)
	t.Skipf("%s is missing", name)
	return ""
}

// keygen is the real ssh-keygen with a folder of its own.
type keygen struct {
	t      *testing.T
	path   string
	folder string
}

func newKeygen(t *testing.T) keygen {
	t.Helper()
	return keygen{t: t, path: tool(t, "ssh-keygen"), folder: t.TempDir()}
}

// run returns what the program said, and whether it succeeded. Its time zone is
// UTC, as that of ParseAllowedSigners is.
func (k keygen) run(input []byte, args ...string) (string, error) {
	k.t.Helper()
	cmd := exec.Command(k.path, args...)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (k keygen) must(input []byte, args ...string) string {
	k.t.Helper()
	out, err := k.run(input, args...)
	require.NoError(k.t, err, out)
	return out
}

// file writes a file into the folder and returns its path.
func (k keygen) file(name string, content []byte) string {
	k.t.Helper()
	path := filepath.Join(k.folder, name)
	require.NoError(k.t, os.WriteFile(path, content, 0o600))
	return path
}

// key makes a key pair and returns the path of its private half, and a signer
// that was read from there.
func (k keygen) key(name string, args ...string) (string, ssh.Signer) {
	k.t.Helper()
	path := filepath.Join(k.folder, name)
	k.must(nil, append([]string{"-q", "-N", "", "-C", "a comment", "-f", path}, args...)...)
	raw, err := os.ReadFile(path)
	require.NoError(k.t, err)
	signer, err := ssh.ParsePrivateKey(raw)
	require.NoError(k.t, err)
	return path, signer
}

// sign signs as an approver would by hand.
func (k keygen) sign(keyPath, namespace string, message []byte, options ...string) string {
	k.t.Helper()
	path := k.file("statement", message)
	require.NoError(k.t, os.RemoveAll(path+".sig"))
	k.must(nil, append(append([]string{"-Y", "sign", "-f", keyPath, "-n", namespace}, options...), path)...)
	armored, err := os.ReadFile(path + ".sig")
	require.NoError(k.t, err)
	return string(armored)
}

// verifies asks the program for its verdict.
func (k keygen) verifies(message []byte, armored, allowed, name, namespace string, at time.Time) (bool, string) {
	k.t.Helper()
	out, err := k.run(message, "-Y", "verify", "-n", namespace, "-I", name, "-f", k.file("allowed_signers", []byte(allowed)),
		"-s", k.file("signature", []byte(armored)), "-Overify-time="+at.UTC().Format("20060102150405Z"))
	return err == nil, out
}

// realKinds are the keys that ssh-keygen makes without hardware.
var realKinds = map[string][]string{
	"ed25519":   {"-t", "ed25519"},
	"ecdsa-256": {"-t", "ecdsa", "-b", "256"},
	"ecdsa-384": {"-t", "ecdsa", "-b", "384"},
	"ecdsa-521": {"-t", "ecdsa", "-b", "521"},
	"rsa-3072":  {"-t", "rsa", "-b", "3072"},
}

func TestWithSSHKeygen(t *testing.T) {
	for name, args := range realKinds {
		t.Run(name, func(t *testing.T) {
			k := newKeygen(t)
			path, signer := k.key("id", args...)
			public, err := os.ReadFile(path + ".pub")
			require.NoError(t, err)
			allowed := mei + " " + string(public)
			keys := keysOf(t, allowed, mei)
			require.Len(t, keys, 1)

			t.Run("we sign, it verifies", func(t *testing.T) {
				good, out := k.verifies(statement, sign(t, statement, signer), allowed, mei, Namespace, noon)
				require.True(t, good, out)
				require.Contains(t, out, Fingerprint(keys[0]))
			})
			t.Run("it signs, we verify", func(t *testing.T) {
				for _, options := range [][]string{nil, {"-Ohashalg=sha256"}, {"-Ohashalg=sha512"}} {
					got, err := Verify(statement, k.sign(path, Namespace, statement, options...), keys, noon)
					require.NoError(t, err)
					require.Equal(t, keys[0], got)
				}
			})
			t.Run("refusals", func(t *testing.T) {
				_, err := Verify(statement, k.sign(path, "file", statement), keys, noon)
				require.ErrorIs(t, err, errWrong)
				armored := k.sign(path, Namespace, statement)
				_, err = Verify([]byte("another text"), armored, keys, noon)
				require.ErrorIs(t, err, errWrong)
				_, err = Verify(statement, armored, []Key{{Public: line(ed25519Signer(t))}}, noon)
				require.ErrorIs(t, err, ErrUnknownKey)
				_, err = Verify(statement, armored[:len(armored)/2], keys, noon)
				require.ErrorIs(t, err, ErrMalformed)
			})
			t.Run("fingerprint", func(t *testing.T) {
				require.Equal(t, Fingerprint(keys[0]), strings.Fields(k.must(nil, "-l", "-f", path+".pub"))[1])
			})
		})
	}
}

// ssh-keygen verifies the signatures of security keys without having one.
func TestSecurityKeysWithSSHKeygen(t *testing.T) {
	k := newKeygen(t)
	for _, kind := range []string{ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256} {
		signer := newSecurityKey(t, kind, touched)
		good, out := k.verifies(statement, sign(t, statement, signer), mei+" "+line(signer), mei, Namespace, noon)
		require.True(t, good, out)
	}
}

// ssh-keygen takes a certificate of the authority that is listed. We do not,
// and say so.
func TestCertificateWithSSHKeygen(t *testing.T) {
	k := newKeygen(t)
	authority, authoritySigner := k.key("ca", "-t", "ed25519")
	path, _ := k.key("id", "-t", "ed25519")
	k.must(nil, "-q", "-s", authority, "-I", "id", "-n", mei, path+".pub")
	certificate, err := os.ReadFile(path + "-cert.pub")
	require.NoError(t, err)
	k.file("id.pub", certificate) // sign with it
	armored := k.sign(path, Namespace, statement)
	list := "*@example.com cert-authority " + line(authoritySigner) + "\n" + bob + " " + string(certificate)

	theirs, out := k.verifies(statement, armored, list, mei, Namespace, noon)
	require.True(t, theirs, out)
	allowed, err := ParseAllowedSigners([]byte(list))
	require.NoError(t, err)
	require.Len(t, allowed.Skipped, 2)
	require.Empty(t, allowed.KeysOf(mei))
	_, err = Verify(statement, armored, []Key{{Name: mei, Public: line(authoritySigner)}}, noon)
	require.ErrorIs(t, err, ErrUnknownKey)
	require.ErrorContains(t, err, "comes in a certificate")
}

// Whether mei's signature counts: for each file, ssh-keygen and we must come
// to the same answer, and to that which the manual gives.
func TestDecisionsAreThoseOfSSHKeygen(t *testing.T) {
	k := newKeygen(t)
	signer, other := ed25519Signer(t), ed25519Signer(t)
	armored := sign(t, statement, signer)
	a, b := line(signer), line(other)
	day := func(d, hour, minute, second int) time.Time {
		return time.Date(2026, 12, d, hour, minute, second, 0, time.UTC)
	}

	for _, tc := range []struct {
		name, allowed, as string
		at                time.Time
		want              bool
	}{
		{"plain", mei + " " + a, mei, noon, true},
		{"comment behind the key", mei + " " + a + " mei's laptop", mei, noon, true},
		{"other key", mei + " " + b, mei, noon, false},
		{"other name", bob + " " + a, mei, noon, false},
		{"empty", "", mei, noon, false},
		{"comment", "#" + mei + " " + a, mei, noon, false},
		{"comment after blanks", " \t# " + mei + " " + a, mei, noon, false},
		{"blanks before", " \t" + mei + " \t " + a, mei, noon, true},
		{"tabs", mei + "\t" + strings.ReplaceAll(a, " ", "\t") + "\tlaptop", mei, noon, true},
		{"CR LF", "# list\r\n\r\n" + mei + " " + a + "\r\n", mei, noon, true},
		{"CR LF and comment", mei + " " + a + " laptop\r\n" + bob + " " + b + "\r\n", mei, noon, true},
		{"second line", mei + " " + b + "\n" + mei + " " + a, mei, noon, true},
		{"quoted name", `"` + mei + `" ` + a, mei, noon, true},
		{"quoted name with a blank", `"mei chen,` + mei + `" ` + a, mei, noon, true},

		{"name in a list", bob + "," + mei + " " + a, mei, noon, true},
		{"blank in a list", bob + ", " + mei + " " + b, mei, noon, false},
		{"star", "* " + a, mei, noon, true},
		{"domain", "*@example.com " + a, mei, noon, true},
		{"other domain", "*@example.org " + a, mei, noon, false},
		{"question mark", "me?.chen@example.com " + a, mei, noon, true},
		{"two stars", "*.*@ex*.com " + a, mei, noon, true},
		{"negated", "*@example.com,!" + mei + " " + a, mei, noon, false},
		{"negated first", "!" + mei + ",*@example.com " + a, mei, noon, false},
		{"another negated", "*@example.com,!" + bob + " " + a, mei, noon, true},
		{"negated alone", "!" + bob + " " + a, mei, noon, false},
		{"negated pattern", mei + ",!mei* " + a, mei, noon, false},
		{"negated here, listed there", "*,!" + mei + " " + a + "\n" + mei + " " + a, mei, noon, true},

		{"namespace", mei + ` namespaces="holdpoint" ` + a, mei, noon, true},
		{"namespace in a list", mei + ` namespaces="git,holdpoint" ` + a, mei, noon, true},
		{"namespace by pattern", mei + ` namespaces="hold*" ` + a, mei, noon, true},
		{"other namespace", mei + ` namespaces="git" ` + a, mei, noon, false},
		{"namespace negated", mei + ` namespaces="*,!holdpoint" ` + a, mei, noon, false},
		{"namespaces in capitals", mei + ` NAMESPACES="holdpoint" ` + a, mei, noon, true},
		{"namespace in capitals", mei + ` namespaces="HOLDPOINT" ` + a, mei, noon, false},
		{"no namespace", mei + ` namespaces="" ` + a, mei, noon, false},
		{"blank in a value", mei + ` namespaces="a b,holdpoint" ` + a, mei, noon, true},
		{"quote in a value", mei + ` namespaces="a\"b,holdpoint" ` + a, mei, noon, true},

		{"authority", mei + " cert-authority " + a, mei, noon, false},
		{"authority and namespace", mei + ` cert-authority,namespaces="holdpoint" ` + a, mei, noon, false},
		{"authority and key", "* cert-authority " + a + "\n" + mei + " " + a, mei, noon, true},

		{"valid after, at it", mei + ` valid-after="20261201120000Z" ` + a, mei, day(1, 12, 0, 0), true},
		{"valid after, before it", mei + ` valid-after="20261201120000Z" ` + a, mei, day(1, 11, 59, 59), false},
		{"valid before, at it", mei + ` valid-before="20261201120000Z" ` + a, mei, day(1, 12, 0, 0), true},
		{"valid before, past it", mei + ` valid-before="20261201120000Z" ` + a, mei, day(1, 12, 0, 1), false},
		{"a day", mei + ` valid-before="20261201" ` + a, mei, day(1, 0, 0, 0), true},
		{"a day, a second later", mei + ` valid-before="20261201" ` + a, mei, day(1, 0, 0, 1), false},
		{"a day in UTC", mei + ` valid-after="20261201Z" ` + a, mei, day(1, 0, 0, 0), true},
		{"a minute", mei + ` valid-after="202612011159Z" ` + a, mei, day(1, 11, 58, 59), false},
		{"a minute, at it", mei + ` valid-after="202612011159Z" ` + a, mei, day(1, 11, 59, 0), true},
		{"within both", mei + ` valid-after="20261201Z",valid-before="20261202Z" ` + a, mei, noon, true},
		{"past both", mei + ` valid-after="20261201Z",valid-before="20261202Z" ` + a, mei, day(2, 0, 0, 1), false},
		{"two spans, a gap", mei + ` valid-before="20261201Z" ` + a + "\n" + mei + ` valid-after="20261202Z" ` + a, mei, noon, false},
		{"two spans, the second", mei + ` valid-before="20261201Z" ` + a + "\n" + mei + ` valid-after="20261202Z" ` + a, mei, day(3, 0, 0, 0), true},
		{"all options", mei + ` namespaces="holdpoint",valid-after="20261201Z",valid-before="20261202Z" ` + a + " laptop", mei, noon, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			theirs, out := k.verifies(statement, armored, tc.allowed, tc.as, Namespace, tc.at)
			require.Equal(t, tc.want, theirs, "ssh-keygen: %s", out)
			allowed, err := ParseAllowedSigners([]byte(tc.allowed))
			if tc.name == "blank in a list" {
				require.ErrorContains(t, err, "line 1", "what follows the blank is neither option nor key")
				return
			}
			require.NoError(t, err)
			got, err := Verify(statement, armored, allowed.KeysOf(tc.as), tc.at)
			require.Equal(t, tc.want, err == nil, "%v", err)
			if tc.want {
				require.Equal(t, tc.as, got.Name)
			}
		})
	}
}

// Both refuse the same signatures, whatever the file says.
func TestRefusedSignaturesAreThoseOfSSHKeygen(t *testing.T) {
	k := newKeygen(t)
	path, signer := k.key("id", "-t", "ed25519")
	allowed := mei + " " + line(signer)
	keys := keysOf(t, allowed, mei)
	good := k.sign(path, Namespace, statement)
	lines := strings.Split(good, "\n")
	for name, tc := range map[string]struct {
		armored string
		message []byte
		want    error
	}{
		"good":            {good, statement, nil},
		"other text":      {good, append([]byte("x"), statement...), errWrong},
		"newline lost":    {good, bytes.TrimSuffix(statement, []byte("\n")), errWrong},
		"other namespace": {k.sign(path, "git", statement), statement, errWrong},
		"cut":             {good[:len(good)/2], statement, ErrMalformed},
		"a line lost":     {strings.Join(append(lines[:2:2], lines[3:]...), "\n"), statement, ErrMalformed},
		"no first line":   {strings.Join(lines[1:], "\n"), statement, ErrMalformed},
		"text before":     {"Signed:\n" + good, statement, ErrMalformed},
		"garbled":         {strings.Replace(good, lines[2], "!"+lines[2][1:], 1), statement, ErrMalformed},
		"empty":           {"", statement, ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			theirs, out := k.verifies(tc.message, tc.armored, allowed, mei, Namespace, noon)
			require.Equal(t, tc.want == nil, theirs, out)
			_, err := Verify(tc.message, tc.armored, keys, noon)
			if tc.want == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, tc.want, fmt.Sprint(err))
			}
		})
	}
}
