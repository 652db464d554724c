package scene_test

// simple asks for one of two.
const simple = `
label: simple
approvers: [bo.lin, cy.ma]
decide_within: 1h
grant_life: 1h
`

// guarded asks for one editor and two of security. Tom is in both groups.
const guarded = `
label: guarded
groups:
  editors: {members: [mei.chen, tom.baker]}
  security: {members: [bo.lin, cy.ma, eve.li, tom.baker]}
allowed_signers_file: keys
default:
  quorums: [1 of editors, 2 of security]
  decide_within: 1h
  grant_life: 1h
`

// signed asks for a signature of one of two.
const signed = `
label: signed
groups:
  approvers: {members: [bo.lin, cy.ma, ann.wu]}
allowed_signers_file: keys
default:
  quorums: [1 of approvers]
  proof: signature
  decide_within: 1h
  grant_life: 1h
`

// guardedBySignature asks for the signatures of one editor and one of security.
const guardedBySignature = `
label: guarded-by-signature
groups:
  editors: {members: [mei.chen]}
  security: {members: [bo.lin, cy.ma]}
allowed_signers_file: keys
default:
  quorums: [1 of editors, 1 of security]
  proof: signature
  decide_within: 1h
  grant_life: 1h
`
