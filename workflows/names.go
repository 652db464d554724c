package workflows

import (
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
)

// Names that people type by hand and that histories carry. They never change.
const (
	// WorkflowType is the registered name of AgentRun.
	WorkflowType = "AgentRun"
	// DefaultTaskQueue is the task queue when the configuration names none.
	DefaultTaskQueue = "holdpoint"

	// ApprovalName is the signal, and the update, that carries a decision.
	ApprovalName = "approval"
	// ResolutionName is the signal, and the update, that carries a person's word
	// about an action of unknown outcome.
	ResolutionName = "resolution"

	// StatusQuery answers with a Status, PlanQuery with a PlanView,
	// VerdictsQuery with the decisions and what became of them.
	StatusQuery   = "status"
	PlanQuery     = "plan"
	VerdictsQuery = "verdicts"

	// TaskDigestMemo is the memo field in which starter writes the digest of the
	// task, for people who look at a list of runs. Nothing goes by it: whoever starts
	// a run can write what she likes there.
	TaskDigestMemo = "holdpoint_task_digest"

	// Version is the workflow_version that plans and results record.
	Version = "1"
)

// Names of the search attributes. Nothing personal is in them: they are never
// encrypted.
const (
	StatusAttribute   = "HoldpointStatus"
	TenantAttribute   = "HoldpointTenant"
	PlanHashAttribute = "HoldpointPlanHash"
	RiskAttribute     = "HoldpointRisk"
	DecideByAttribute = "HoldpointDecideBy"
)

// SearchAttribute is a search attribute that the namespace must have.
type SearchAttribute struct {
	Name string
	Type enums.IndexedValueType
}

// SearchAttributes lists what a namespace must have before a worker starts.
func SearchAttributes() []SearchAttribute {
	return []SearchAttribute{
		{StatusAttribute, enums.INDEXED_VALUE_TYPE_KEYWORD},
		{TenantAttribute, enums.INDEXED_VALUE_TYPE_KEYWORD},
		{PlanHashAttribute, enums.INDEXED_VALUE_TYPE_KEYWORD},
		{RiskAttribute, enums.INDEXED_VALUE_TYPE_KEYWORD},
		{DecideByAttribute, enums.INDEXED_VALUE_TYPE_DATETIME},
	}
}

func keyword(name, value string) temporal.SearchAttributeUpdate {
	return temporal.NewSearchAttributeKeyKeyword(name).ValueSet(value)
}
