package approvals

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQuorums(t *testing.T) {
	disjoint := asking(map[string]int{"editors": 1, "security": 2}, "editors=bo,cy", "security=eve,fay,gus")
	overlap := asking(map[string]int{"editors": 1, "security": 1}, "editors=bo,cy", "security=bo,eve")
	chain := asking(map[string]int{"a": 1, "b": 1, "c": 1}, "a=bo,cy", "b=cy,dee", "c=dee,eve")
	shared := overlap
	shared.Shared = true
	for name, tc := range map[string]struct {
		terms    Terms
		approved string // in order
		missing  string
		seats    string // who counts for what, in the order of the quorums
	}{
		"nobody":                        {disjoint, "", "1 of editors and 2 of security", "|"},
		"one of security":               {disjoint, "eve", "1 of editors and 1 of security", "|eve"},
		"all":                           {disjoint, "eve bo fay", "", "bo|eve,fay"},
		"two editors are one":           {disjoint, "bo cy", "2 of security", "bo|"},
		"a stranger":                    {disjoint, "zoe", "1 of editors and 2 of security", "|"},
		"one person twice":              {disjoint, "eve bo eve", "1 of security", "bo|eve"},
		"bo counts once":                {overlap, "bo", "1 of security", "bo|"},
		"bo moves when cy comes":        {overlap, "bo cy", "", "cy|bo"},
		"in the other order":            {overlap, "cy bo", "", "cy|bo"},
		"bo stays when eve comes":       {overlap, "bo eve", "", "bo|eve"},
		"shared, bo alone":              {shared, "bo", "", "bo|bo"},
		"shared, cy alone":              {shared, "cy", "1 of security", "cy|"},
		"everybody moves":               {chain, "cy dee bo", "", "bo|cy|dee"},
		"everybody has one place":       {chain, "dee cy bo", "", "bo|cy|dee"},
		"the last finds the last place": {chain, "bo cy eve", "", "bo|cy|eve"},
	} {
		t.Run(name, func(t *testing.T) {
			approved := strings.Fields(tc.approved)
			seats := tc.terms.seat(approved)
			var got []string
			for _, names := range seats.taken {
				got = append(got, strings.Join(names, ","))
			}
			require.Equal(t, tc.missing, tc.terms.Missing(approved))
			require.Equal(t, tc.seats, strings.Join(got, "|"))
		})
	}
}

func TestApprovalThatNothingNeeds(t *testing.T) {
	r := openRequest()
	r.Terms = asking(map[string]int{"editors": 1, "security": 2}, "editors=bo.lin,cy.ma", "security=eve.li,fay.ng,gus.om")
	verdicts := Judge(r, []Arrival{
		arrival(decision(t, Approve, h1, bo)), arrival(decision(t, Approve, h1, cy)), arrival(decision(t, Approve, h1, bo)),
		arrival(decision(t, Approve, h1, "eve.li")), arrival(decision(t, Approve, h1, "gus.om")), arrival(decision(t, Approve, h1, "fay.ng")),
	})
	require.Equal(t, []Code{Accepted, NotNeeded, Duplicate, Accepted, Accepted, TooLate}, codes(verdicts))
	require.Equal(t, "2 of security", verdicts[0].Missing)
	require.Contains(t, verdicts[1].Reason, "still missing: 2 of security")
	require.Equal(t, "1 of security", verdicts[3].Missing)
	require.Empty(t, verdicts[4].Missing)

	g, err := NewGrant(fold(r, verdicts), noon)
	require.NoError(t, err)
	var who []string
	for _, a := range g.Approvals {
		who = append(who, a.Approver+" for "+a.Groups)
	}
	require.Equal(t, []string{"bo.lin for editors", "eve.li for security", "gus.om for security"}, who)
}

// One rejection ends what others have approved, also by one of them.
func TestRejectionEndsAHalfApprovedRequest(t *testing.T) {
	r := openRequest()
	r.Terms = asking(map[string]int{"approvers": 2}, "approvers=bo.lin,cy.ma")
	for _, who := range []string{bo, cy, requester} {
		verdicts := Judge(r, []Arrival{
			arrival(decision(t, Approve, h1, bo)), arrival(decision(t, Reject, h1, who)), arrival(decision(t, Approve, h1, cy)),
		})
		require.Equal(t, []Code{Accepted, Accepted, TooLate}, codes(verdicts), who)
		require.Equal(t, PhaseClosed, fold(r, verdicts).Phase)
		_, err := NewGrant(fold(r, verdicts), noon)
		require.ErrorIs(t, err, ErrNotGranted)
	}
	revised := fold(r, Judge(r, []Arrival{arrival(decision(t, Approve, h1, bo)), arrival(decision(t, Revise, h1, bo))}))
	require.Equal(t, PhaseRevising, revised.Phase)
}

// possible tries every way to give people places.
func possible(terms Terms, people []string, need []int) bool {
	if !slices.ContainsFunc(need, func(n int) bool { return n > 0 }) {
		return true
	}
	if len(people) == 0 {
		return false
	}
	if possible(terms, people[1:], need) {
		return true
	}
	for i, q := range terms.Quorums {
		if need[i] > 0 && slices.Contains(q.Members, people[0]) {
			rest := slices.Clone(need)
			rest[i]--
			if possible(terms, people[1:], rest) {
				return true
			}
		}
	}
	return false
}

// The quorums are met if and only if there is some way to give each person one
// place that fills them all.
func TestQuorumsAreMetWhenTheyCanBe(t *testing.T) {
	people := []string{"a", "b", "c", "d", "e", "f"}
	rapid.Check(t, func(t *rapid.T) {
		var terms Terms
		var need []int
		for i := range rapid.IntRange(1, 4).Draw(t, "quorums") {
			q := Quorum{Group: string(rune('A' + i)), Need: rapid.IntRange(1, 3).Draw(t, "need")}
			q.Members = rapid.SliceOfNDistinct(rapid.SampledFrom(people), 1, len(people), rapid.ID[string]).Draw(t, "members")
			terms.Quorums, need = append(terms.Quorums, q), append(need, q.Need)
		}
		approved := rapid.SliceOfDistinct(rapid.SampledFrom(people), rapid.ID[string]).Draw(t, "approved")
		require.Equal(t, possible(terms, approved, need), terms.Missing(approved) == "")

		seats := terms.seat(approved)
		for _, name := range approved {
			n := 0
			for i, taken := range seats.taken {
				require.LessOrEqual(t, len(taken), terms.Quorums[i].Need)
				if slices.Contains(taken, name) {
					n++
					require.Contains(t, terms.Quorums[i].Members, name)
				}
			}
			require.LessOrEqual(t, n, 1, "a person counts for one quorum only")
		}
		// Who came first does not matter, and who is not needed now never is.
		shuffled := rapid.Permutation(approved).Draw(t, "another order")
		require.Len(t, slices.Concat(terms.seat(shuffled).taken...), len(slices.Concat(seats.taken...)))
		for i, name := range approved {
			if !terms.fills(approved[:i], name) {
				require.Equal(t, terms.Missing(approved) == "", terms.Missing(without(approved, name)) == "")
			}
		}
	})
}
