package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/sshkeys"
)

// proofFlags say with what a person signs.
type proofFlags struct{ key, signature string }

func (f *proofFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "key", "", "sign with this OpenSSH private key `FILE`, the key of this .pub file in ssh-agent, "+
		"or, as \"agent\", the agent's key that the policy has for you")
	flags.StringVar(&f.signature, "signature", "", "send the signature in this `FILE`, which ssh-keygen -Y sign -n holdpoint made of 'approver statement'")
}

// keychain chooses among a person's keys.
type keychain struct {
	sshkeys.Ring
	now func() time.Time
}

// signer signs for one person.
type signer struct {
	how  string // for the screen: with which key, and where that is
	note string
	sign func(ctx context.Context, statement []byte) (armored string, err error)
}

// signer returns who signs a word: nil when it is sent as a claim. It looks for a
// key, and does not use it yet.
func (c keychain) signer(ctx context.Context, w word, f proofFlags) (*signer, error) {
	o := w.owner()
	switch {
	case f.key != "" && f.signature != "":
		return nil, cli.Usagef("--key makes a signature and --signature brings one: give one of them")
	case w.lacksKey(o, f):
		return nil, w.cannotSign()
	case f.signature != "":
		return c.fromSignature(o, f.signature, w.statement)
	case f.key == sshkeys.AnyInAgent && len(o.keys) > 0:
		return c.fromAgent(ctx, o)
	case f.key != "":
		key, err := c.Find(ctx, f.key)
		if err == nil && key.Public != nil {
			err = o.has(key.Public)
		}
		if err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
		return o.signer(key), nil
	case w.mustSign():
		return c.fromAgent(ctx, o)
	case len(o.keys) > 0 && w.refused == "":
		// A claim would do, so an agent without the key, or out of order, is no
		// reason to stop.
		looking, cancel := context.WithTimeout(ctx, agentWithin)
		defer cancel()
		by, err := c.fromAgent(looking, o)
		if err != nil {
			return nil, ctx.Err()
		}
		return by, nil
	}
	return nil, nil //nolint:nilnil // nobody signs, and that is no error
}

// lacksKey reports a word that must be signed, and can be with no key that the policy
// has or, where that may be an earlier one, that its speaker gives.
func (w word) lacksKey(o owner, f proofFlags) bool {
	return len(o.keys) == 0 && w.mustSign() && (!w.mayBeOutdated() || f == proofFlags{})
}

// agentWithin is how long an agent that nobody needs may take to list its keys.
const agentWithin = 3 * time.Second

// fromAgent takes the key in ssh-agent that the policy has for its owner, first
// of all one that is valid now.
func (c keychain) fromAgent(ctx context.Context, o owner) (*signer, error) {
	offered, err := c.Offered(ctx)
	if err != nil {
		return nil, fmt.Errorf("the policy %s wants a signature of %s with %s, and there is no such key at hand: %w. "+
			"Give --key FILE, or run ssh-agent and ssh-add it, or sign by hand what 'approver statement' prints",
			o.policy, o.name, o.fingerprints(), err)
	}
	listed := slices.Clone(o.keys)
	slices.SortStableFunc(listed, func(a, b signature.Key) int { return c.outOfTime(a) - c.outOfTime(b) })
	for _, k := range listed {
		if i := slices.IndexFunc(offered, func(there sshkeys.Key) bool { return there.Line() == k.Public }); i >= 0 {
			return o.signer(offered[i]), nil
		}
	}
	return nil, fmt.Errorf("ssh-agent offers %s, and none that the policy %s has for %s, which is %s: ssh-add that one, or give --key FILE%s",
		count(len(offered), "key"), o.policy, o.name, o.fingerprints(), o.ifOutdated())
}

// outOfTime is 1 for a key that is not valid yet or any more, by this machine's
// clock, which decides nothing but what is tried first.
func (c keychain) outOfTime(k signature.Key) int {
	now := c.now()
	if !k.ValidAfter.IsZero() && now.Before(k.ValidAfter) || !k.ValidBefore.IsZero() && now.After(k.ValidBefore) {
		return 1
	}
	return 0
}

// fromSignature brings a signature that was made by hand, if it is one.
func (c keychain) fromSignature(o owner, path string, statement []byte) (*signer, error) {
	raw, err := sshkeys.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--signature: %w", err)
	}
	by := &signer{
		how: "by the signature in " + path, note: o.unlisted(nil),
		sign: func(context.Context, []byte) (string, error) { return string(raw), nil },
	}
	if len(o.keys) == 0 {
		return by, nil
	}
	key, err := signature.Verify(statement, string(raw), o.keys, c.now())
	switch {
	case errors.Is(err, signature.ErrOutOfTime):
		by.note = err.Error() + "; the worker's clock decides"
	case errors.Is(err, signature.ErrUnknownKey) && o.outdated:
		by.note = err.Error() + "; " + hearsOfToday
	case err != nil:
		return nil, fmt.Errorf("nothing was sent: %s: %w. Sign, with a key of %s, exactly what 'approver statement' prints with the same flags",
			path, err, o.name)
	default:
		by.how += " with " + signature.Fingerprint(key)
	}
	return by, nil
}

// owner is whose key is wanted, and which ones the policy has for her.
type owner struct {
	name, policy string
	keys         []signature.Key
	outdated     bool // the policy may be an earlier one than that of the day
	mustSign     bool
}

func (w word) owner() owner {
	o := owner{name: w.speaker, policy: w.terms.Label, outdated: w.mayBeOutdated(), mustSign: w.mustSign()}
	for _, k := range w.terms.Signers {
		if k.Name == w.speaker {
			o.keys = append(o.keys, k)
		}
	}
	return o
}

// signer lets a key sign for its owner.
func (o owner) signer(key sshkeys.Key) *signer {
	how := "with the key in " + key.Where
	if key.Public != nil {
		how = "with " + key.Fingerprint() + " in " + key.Where
	}
	return &signer{how: how, note: o.unlisted(key.Public), sign: func(ctx context.Context, statement []byte) (string, error) {
		return key.Sign(ctx, statement, o.has)
	}}
}

// has reports why the policy does not take this key for its owner. Where it has
// none of hers at all, or may be an earlier one, none is wrong.
func (o owner) has(public ssh.PublicKey) error {
	if len(o.keys) == 0 || o.outdated || o.lists(public) {
		return nil
	}
	return fmt.Errorf("the key is %s, which the policy %s does not have for %s; it has %s. Use that one, or have this one added to its allowed signers",
		ssh.FingerprintSHA256(public), o.policy, o.name, o.fingerprints())
}

func (o owner) lists(public ssh.PublicKey) bool {
	line := sshkeys.Key{Public: public}.Line()
	return slices.ContainsFunc(o.keys, func(k signature.Key) bool { return k.Public == line })
}

func (o owner) fingerprints() string {
	var all []string
	for _, k := range o.keys {
		if f := signature.Fingerprint(k); !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return strings.Join(all, ", ")
}

// unlisted warns of a signature that nobody will look at, or that the run does not
// take yet. The key is nil when nothing is known of it.
func (o owner) unlisted(public ssh.PublicKey) string {
	switch {
	case public != nil && len(o.keys) > 0 && o.outdated && !o.lists(public):
		return fmt.Sprintf("the run judges by the policy %s as it has heard of it, which has %s for %s and not this key; %s",
			o.policy, o.fingerprints(), o.name, hearsOfToday)
	case len(o.keys) > 0:
		return ""
	case o.outdated && o.mustSign:
		return fmt.Sprintf("the run judges by the policy %s as it has heard of it, which has no key of %s; %s", o.policy, o.name, hearsOfToday)
	default:
		return fmt.Sprintf("the policy %s has no key of %s, so the signature proves nothing there", o.policy, o.name)
	}
}

// hearsOfToday says what a word does that the run refuses by a policy of before.
const hearsOfToday = "if the policy has changed since, this word is refused once, and the run asks for the policy of the day because of it: " +
	"say the same again in a moment"

// ifOutdated is for an error about keys, where the run may know earlier ones.
func (o owner) ifOutdated() string {
	if !o.outdated {
		return ""
	}
	return ". If you have another key since, sign with it by --key FILE: " + hearsOfToday
}
