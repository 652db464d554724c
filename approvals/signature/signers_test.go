package signature

import (
	"crypto/rand"
	"encoding/base64"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func TestParseAllowedSigners(t *testing.T) {
	a, b := line(ed25519Signer(t)), line(newSecurityKey(t, ssh.KeyAlgoSKECDSA256, touched))
	file := strings.Join([]string{
		"# who may approve",
		"",
		"  \t",
		"Mei.Chen@Example.COM,bob@example.com " + a + " a comment, with blanks",
		`*@example.com,!bob@example.com NameSpaces="git,hold*",valid-after="20260101Z",valid-before="202701012359" ` + b,
		`"carol@example.com" ` + b,
		"dora@example.com " + a,
	}, "\r\n")

	allowed, err := ParseAllowedSigners([]byte(file))
	require.NoError(t, err)
	require.Empty(t, allowed.Skipped)
	bounded := Key{
		Public:      b,
		ValidAfter:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		ValidBefore: time.Date(2027, 1, 1, 23, 59, 0, 0, time.UTC),
	}
	named := func(name string, key Key) Key {
		key.Name = name
		return key
	}
	require.Equal(t, []Key{{Name: mei, Public: a}, named(mei, bounded)}, allowed.KeysOf(mei))
	require.Equal(t, []Key{{Name: bob, Public: a}}, allowed.KeysOf(bob))
	require.Equal(t, []Key{named("carol@example.com", bounded), {Name: "carol@example.com", Public: b}}, allowed.KeysOf("carol@example.com"))
	require.Equal(t, []Key{named("dora@example.com", bounded), {Name: "dora@example.com", Public: a}}, allowed.KeysOf("dora@example.com"))
	require.Empty(t, allowed.KeysOf("mallory@example.org"))
}

func TestKeysOfNobody(t *testing.T) {
	require.Empty(t, AllowedSigners{}.KeysOf(mei))
	require.Empty(t, keysOf(t, "* "+line(ed25519Signer(t)), ""), "a * is for anybody, not for nobody")
}

func TestKeysOfListsAKeyOnce(t *testing.T) {
	a := line(ed25519Signer(t))
	require.Len(t, keysOf(t, mei+" "+a+"\n*@example.com "+a+" again\n", mei), 1)
}

// A look-alike of a name in the file gives no key to the name it looks like.
func TestLookAlikePrincipals(t *testing.T) {
	a := line(ed25519Signer(t))
	require.Empty(t, keysOf(t, "\u212Aim@example.com "+a, "kim@example.com"), "the Kelvin sign is no k")
	require.Empty(t, keysOf(t, "m\u0435i "+a, "mei"), "a Cyrillic letter")
}

func TestSkippedLines(t *testing.T) {
	a := line(ed25519Signer(t))
	file := "# first\n" +
		"*@example.com cert-authority " + a + "\n" +
		mei + ` namespaces="git,file" ` + a + "\n" +
		mei + ` namespaces="*,!holdpoint" ` + a + "\n" +
		mei + ` namespaces="" ` + a + "\n" +
		mei + ` CERT-AUTHORITY,namespaces="holdpoint" ` + a + "\n" +
		mei + " ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t\n"
	allowed, err := ParseAllowedSigners([]byte(file))
	require.NoError(t, err)
	require.Empty(t, allowed.KeysOf(mei))
	require.Equal(t, []Skipped{
		{2, "a certificate authority; certificates never verify here"},
		{3, `its namespaces leave out "holdpoint"`},
		{4, `its namespaces leave out "holdpoint"`},
		{5, `its namespaces leave out "holdpoint"`},
		{6, "a certificate authority; certificates never verify here"},
		{7, "a certificate, which never verifies here; list the key itself"},
	}, allowed.Skipped)
}

func TestRefusedLines(t *testing.T) {
	good := line(ed25519Signer(t))
	kind, blob, _ := strings.Cut(good, " ")
	for name, tc := range map[string]struct{ line, want string }{
		"name alone":             {mei, "there is no key"},
		"no key":                 {mei + " ssh-ed25519", "there is no key"},
		"key alone":              {good, "the names are missing before ssh-ed25519"},
		"options, no key":        {mei + ` namespaces="git"`, "there is no key"},
		"unknown option":         {mei + " no-touch-required " + good, `the option "no-touch-required" is not known`},
		"unknown among others":   {mei + ` namespaces="holdpoint",color="red" ` + good, `the option "color" is not known`},
		"option's name prefixed": {mei + ` cert-authorityx ` + good, `the option "cert-authorityx" is not known`},
		"unknown key type":       {mei + " ssh-ed448 " + blob, `the key type "ssh-ed448" is not known`},
		"short key type":         {mei + " ED25519 " + blob, `the key type "ED25519" is not known`},
		"type of another key":    {mei + " ssh-rsa " + blob, "called ssh-rsa and is ssh-ed25519"},
		"value without quotes":   {mei + " namespaces=git " + good, "without double quotes"},
		"no value":               {mei + " valid-after " + good, "valid-after needs a value"},
		"value to a flag":        {mei + ` cert-authority="yes" ` + good, "cert-authority takes no value"},
		"quotes do not end":      {mei + ` namespaces="git ` + good, "do not end"},
		"namespaces twice":       {mei + ` namespaces="a",namespaces="holdpoint" ` + good, `"namespaces" is given twice`},
		"valid-after twice":      {mei + ` valid-after="20260101",VALID-AFTER="20250101" ` + good, `"valid-after" is given twice`},
		"valid-before twice":     {mei + ` valid-before="20260101",valid-before="20260101" ` + good, `"valid-before" is given twice`},
		"comma at the end":       {mei + ` cert-authority, ` + good, "instead of a comma and an option"},
		"two commas":             {mei + ` cert-authority,,cert-authority ` + good, `the option "" is not known`},
		"no comma":               {mei + ` namespaces="a"valid-after="20260101" ` + good, "instead of a comma and an option"},
		"empty span":             {mei + ` valid-after="20260102Z",valid-before="20260102Z" ` + good, "valid-before is not later"},
		"span backwards":         {mei + ` valid-before="20260101Z",valid-after="20260102Z" ` + good, "valid-before is not later"},
		"base64":                 {mei + " " + kind + " AAAA!" + blob[5:], "not valid base64"},
		"base64 cut":             {mei + " " + kind + " " + blob[:len(blob)-3], "not valid base64"},
		"key cut":                {mei + " " + kind + " " + blob[:len(blob)-4], "cannot be read"},
		"bytes after the key":    {mei + " " + kind + " " + blob + "AAAA", "cannot be read"},
		"quote within the names": {`mei"x" ` + good, "double quote within the names"},
		"names' quotes open":     {`"mei ` + good, "double quotes"},
		"no blank after names":   {`"mei"` + good, "double quotes"},
		"long pattern":           {strings.Repeat("a", 1023) + " " + good, "1023 bytes"},
		"DSA":                    {mei + " ssh-dss AAAAB3NzaC1kc3MAAACBAP", "DSA is unsafe"},
		"RSA of 1024 bits":       {mei + " " + rsaLine(t, 1024), "RSA key of 1024 bits"},
		"RSA of 2047 bits":       {mei + " " + rsaLine(t, 2047), "RSA key of 2047 bits"},
		"RSA of 8193 bits":       {mei + " " + rsaLine(t, 8193), "RSA key of 8193 bits"},
		"weak key of an authority": {"* cert-authority " + rsaLine(t, 1024),
			"RSA key of 1024 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			allowed, err := ParseAllowedSigners([]byte("# first\r\n\r\n" + tc.line + "\n" + "also wrong\n"))
			require.ErrorContains(t, err, "line 3: ")
			require.ErrorContains(t, err, tc.want)
			require.Less(t, len(err.Error()), 400)
			require.Empty(t, allowed.KeysOf(mei))
		})
	}
	for _, bits := range []int{2048, 8192} {
		require.Len(t, keysOf(t, mei+" "+rsaLine(t, bits), mei), 1, "%d bits", bits)
	}
}

// rsaLine makes the public key of an RSA key of this size, which has no
// factors that anybody knows.
func rsaLine(tb testing.TB, bits int) string {
	tb.Helper()
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), uint(bits-1)))
	require.NoError(tb, err)
	n.SetBit(n, bits-1, 1).SetBit(n, 0, 1)
	blob := ssh.Marshal(struct {
		Kind string
		E, N *big.Int
	}{ssh.KeyAlgoRSA, big.NewInt(65537), n})
	return ssh.KeyAlgoRSA + " " + base64.StdEncoding.EncodeToString(blob)
}

func TestFileBounds(t *testing.T) {
	comments := strings.Repeat("#234567\n", maxFileBytes/8)
	_, err := ParseAllowedSigners([]byte(comments))
	require.NoError(t, err)
	_, err = ParseAllowedSigners([]byte(comments + "\n"))
	require.ErrorContains(t, err, "1048577 bytes; at most 1048576")
	_, err = ParseAllowedSigners([]byte("\uFEFFmei " + line(ed25519Signer(t))))
	require.ErrorContains(t, err, "line 1: the file begins with a byte order mark")
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Time{
		"20260228":           time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC),
		"20260228Z":          time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC),
		"20260228z":          time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC),
		"20260228UTC":        time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC),
		"202602282359":       time.Date(2026, 2, 28, 23, 59, 0, 0, time.UTC),
		"202602282359Z":      time.Date(2026, 2, 28, 23, 59, 0, 0, time.UTC),
		"20260228235958Z":    time.Date(2026, 2, 28, 23, 59, 58, 0, time.UTC),
		"20240229235958utc":  time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC),
		"19700101000001":     time.Date(1970, 1, 1, 0, 0, 1, 0, time.UTC),
		"":                   {},
		"Z":                  {},
		"2026":               {},
		"202602":             {},
		"2026-02-28":         {},
		"20260229":           {}, // no leap year
		"20261301":           {},
		"20260100":           {},
		"2026010124":         {},
		"202601012400":       {},
		"202601012360":       {},
		"20260101235960":     {},
		"20260101120000.5":   {},
		"2026010112000.":     {},
		"20260101 12:00":     {},
		"+2026010":           {},
		"20260101ZZ":         {},
		"20260101ZUTC":       {},
		"20260101+0100":      {},
		" 20260101":          {},
		"19700101":           {}, // OpenSSH takes 0 for no time at all
		"19691231":           {},
		"2026010１":           {}, // a wide digit: eight characters, but not eight bytes
		"2026-1-1":           {},
		"0x202601":           {},
		"20260101120000Z  ":  {},
		"20260101120000 UTC": {},
	} {
		got, err := parseTime(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want.IsZero(), err != nil, text)
	}
}

func TestQuotedOption(t *testing.T) {
	a := line(ed25519Signer(t))
	require.Len(t, keysOf(t, mei+` namespaces="a b,\"q\",holdpoint" `+a, mei), 1, "blanks and quotes within a value")
	require.Len(t, keysOf(t, mei+" \t namespaces=\"holdpoint\" \t "+strings.Replace(a, " ", " \t", 1), mei), 1)
	require.Len(t, keysOf(t, mei+`	namespaces="HOLDPOINT,holdpoint" `+a, mei), 1)
	require.Empty(t, keysOf(t, mei+`	namespaces="HOLDPOINT" `+a, mei), "namespaces keep their letter case")
}
