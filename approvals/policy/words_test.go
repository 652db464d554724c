package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A rule that can never bind asks for less than its author meant, and nobody
// sees it: it is refused when the policy is read, with its line and what to write.
func TestMatchThatNeverBindsIsRefused(t *testing.T) {
	const words = "risk can only be compared with its words: write risk == \"low\", risk != \"low\" or risk in [\"low\", \"high\"]; they are low, medium, high"
	for source, want := range map[string]string{
		// It is true of medium and not of high: these are texts.
		`risk > "low"`:                       words,
		`"low" < risk`:                       words,
		`risk.matches("hihg")`:               words,
		`risk.startsWith("HI")`:              words,
		`["hihg"].exists(r, r == risk)`:      words,
		`"hihg" in [risk]`:                   words,
		`risk == string("hihg")`:             words,
		`risk == item`:                       words,
		`risk in ["high", item]`:             words,
		`risk in []`:                         words,
		`risk in parameters.risks`:           words,
		`risk + "" == "high"`:                words,
		`risk.lowerAscii() == "high"`:        words,
		`(risk == "high" ? risk : "") != ""`: words,
		`.risk > "low"`:                      words,
		`size(class) > 3`:                    "class can only be compared with its words: write class == ",
		`risk == "High"`:                     `risk is never "High"; it is one of low, medium, high`,
		`risk in ["high", "Medium"]`:         `risk is never "Medium"`,
		`"hihg" != risk`:                     `risk is never "hihg"`,
		`class == "Once"`:                    `class is never "Once"`,

		`requester == "Mei.Chen@Example.com"`:        `requester is in lower case, and has never "Mei.Chen@Example.com"; write "mei.chen@example.com"`,
		`"Ann.Wu" != requester`:                      `write "ann.wu"`,
		`requester in ["ann.wu", "Bo.Lin"]`:          `has never "Bo.Lin"; write "bo.lin"`,
		`requester == " ann.wu"`:                     `requester is never " ann.wu": the name " ann.wu" begins or ends with a blank`,
		`requester.endsWith("@Example.com")`:         `has never "@Example.com"; write "@example.com"`,
		`tool == "x" || requester.startsWith("Mei")`: `write "mei"`,
	} {
		env, err := newMatchEnv()
		require.NoError(t, err)
		_, _, err = env.compile(source)
		require.ErrorContains(t, err, want, source)
	}
	_, err := Parse([]byte(strings.Replace(sampleFile, `match: target.startsWith("wiki/drafts/")`, `match: risk > "low"`, 1)), "policy.yaml",
		reading("keys/allowed_signers", sampleSigners()))
	require.ErrorContains(t, err, "policy.yaml:29: rule drafts: match cannot be used: "+words)
}

func TestMatchOfWordsThatExist(t *testing.T) {
	for source, want := range map[string]bool{
		`risk == "high"`: true, `"high" == risk`: true, `risk != "low"`: true, `!(risk in ["low", "medium"])`: true,
		`class in ["once"] && risk == "low"`: false, `risk == "high" ? class == "once" : false`: true,
		`requester == "ann.wu@example.com"`: true, `requester in ["bo.lin", "ann.wu@example.com"]`: true,
		`requester.endsWith("@example.com")`: true, `requester == parameters.owner`: true, `target.startsWith("Bank")`: false,
	} {
		got, err := matching(t, source, `{"owner":"ann.wu@example.com"}`)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}
