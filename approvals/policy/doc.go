// Package policy reads policies and evaluates them: which people must approve a
// plan, how they prove who they are, and for how long. It is pure: the caller
// reads the files. It imports nothing of Holdpoint but approvals and what that
// imports.
//
// A policy file is one YAML mapping; docs/policy.md is its manual:
//
//	label: acme-changes                 # letters, digits and . _ -
//	groups:
//	  editors:
//	    members: [mei.chen@example.com, tom.baker@example.com]
//	  security:
//	    members: [bo.lin@example.com, cy.ma@example.com, eve.li@example.com]
//	    tenants: [acme]                 # counts only for runs of these; all, if left out
//	allowed_signers_file: allowed_signers  # or allowed_signers: | and the lines themselves
//	default:                            # of every action that no rule matches
//	  quorums: [1 of editors]
//	  decide_within: 24h
//	  grant_life: 8h
//	rules:
//	  - name: payments
//	    match: tool == "pay" && parameters.amount > 1000
//	    quorums: [1 of editors, 2 of security]
//	    proof: signature                # or claim, which is the default's default
//	    shared: false                   # true: one person may count for several quorums
//	    requester_may_approve: false
//	    confirm: true                   # each such action needs a word of its own before it is sent
//	    decide_within: 4h
//	    grant_life: 1h
//	    ask_again: 2                    # how often, when nobody decided in time; 0: the run expires
//	    remind_after: [1h, 3h]
//	    resolvers: security             # who says what became of an action of unknown outcome
//	  - name: drafts
//	    match: target.startsWith("wiki/drafts/")
//	    approval: none                  # nobody is asked
//
// or, in its short form, one group of whom one suffices:
//
//	label: weekly-report
//	approvers: [mei.chen@example.com]
//	decide_within: 24h
//	grant_life: 8h
//	resolvers: [ops@example.com]        # the approvers, if left out
//
// # What holds for a plan
//
// A rule holds for the actions that its match, a CEL expression, is true of.
// What a rule leaves out, it takes from the default. The strictest counts,
// aspect by aspect, first of all rules that match one action and then of all
// actions that are not done already:
//
//	aspect                 the strictest
//	---------------------  --------------------------------------------------
//	quorums                every group that any rule names, with its largest number
//	approval: none         asks nobody only where every rule that matches says so
//	shared                 only if all allow it
//	decide_within          the shortest
//	grant_life             the shortest
//	proof                  signature, if any rule wants it
//	requester_may_approve  only if all allow it
//	confirm                if any rule wants it, for the actions that it matches
//	ask_again              the fewest
//	remind_after           all of them that lie before decide_within, the earliest 10
//	resolvers              who is in every group that is named; for each action
//
// So a rule that is added never makes anything laxer for an action that a rule
// matched already, and the order of rules, names and actions means nothing.
// (Only where no resolvers are named, those of an action are whoever is asked
// about it, and become more when more are asked.) An action that no rule matches is the default's; it is never allowed by silence.
// An action that replaces what an earlier version of it did always needs
// approval: a rule with approval: none then asks as the default does.
//
// # What is an error
//
//	situation                                                         reported by
//	----------------------------------------------------------------  -----------
//	a field that nobody knows, a value of another type, a name twice  Parse
//	a match that does not compile, or is not true or false            Parse
//	a group that does not exist, or has too few members or keys       Parse
//	a match that cannot be evaluated for an action                    Evaluate
//	a group of another tenant is needed                               Evaluate
//	the rules of an action have no resolver in common                 Evaluate
//	too few who may approve, or nobody who may resolve                Evaluate
//
// Nothing of this is ever read as "no rule matches".
package policy
