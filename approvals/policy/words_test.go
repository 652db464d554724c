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
	const computed = "requester can only be compared: write requester == \"ann@example.com\""
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
		`requester.matches("^Mei\\S")`:               `write "^mei"`,

		// What is computed hides what it is compared with.
		`requester in {"Ann.Wu": true}`:              computed,
		`"Ann.Wu" in [requester]`:                    computed,
		`[requester].exists(r, r == "Ann.Wu")`:       computed,
		`requester.lowerAscii() == "Ann.Wu"`:         computed,
		`requester.split("@")[0] == "Ann.Wu"`:        computed,
		`requester.indexOf("Ann") == 0`:              computed,
		`requester == "Ann" + ".Wu"`:                 computed,
		`requester + "" == "Ann.Wu"`:                 computed,
		`(requester == "x" ? requester : "") == "A"`: computed,
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
		`requester.endsWith("@example.com")`: true, `requester == parameters.owner`: true, `requester != parameters["owner"]`: false,
		`requester in parameters.owners`: true, `requester.matches("^ann[.]\\w+@\\S+$")`: true,
		`parameters.owners.exists(o, o == requester)`: true, `target.startsWith("Bank")`: false,
	} {
		got, err := matching(t, source, `{"owner":"ann.wu@example.com","owners":["ann.wu@example.com"]}`)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}
