/** An operation as the contract specifies it. */
export interface ContractOperation {
  readonly path: readonly string[];
  readonly query: readonly string[];
  /** Fields of the body, and the required ones among them. */
  readonly body?: { readonly fields: readonly string[]; readonly required: readonly string[] };
  /** Name of the reply's schema, where the contract names it. */
  readonly reply?: string;
}

const none = { path: [], query: [] } as const;

/** The operations that the contract specifies or refers to, by method and path. */
export const operations: Readonly<Record<string, ContractOperation>> = {
  "POST /evaluations/monitors": {
    ...none,
    body: {
      fields: [
        "name",
        "target_type",
        "metrics",
        "filters",
        "cadence",
        "sampling_rate",
        "model",
        "only_if_changed",
        "signal_weights",
      ],
      required: ["name", "target_type", "metrics", "cadence"],
    },
    reply: "MonitorResponse",
  },
  "POST /evaluations/trace-runs/batch": {
    ...none,
    body: { fields: ["trace_ids", "metrics", "name", "model"], required: ["trace_ids", "metrics"] },
    reply: "EvalRun",
  },
  "POST /evaluations/trace-runs": {
    ...none,
    body: { fields: ["metrics", "name", "filters", "sampling_rate", "model"], required: ["metrics"] },
    reply: "EvalRun",
  },
  "GET /evaluations/monitors/{monitor_id}/runs": {
    path: ["monitor_id"],
    query: ["limit", "offset"],
    reply: "EvalRunPage",
  },
  "PATCH /evaluations/trace-scores/{score_id}": {
    path: ["score_id"],
    query: [],
    body: { fields: ["value", "reason", "metadata"], required: [] },
    reply: "TraceScore",
  },
  "DELETE /evaluations/trace-scores/{score_id}": { path: ["score_id"], query: [] },
  "DELETE /evaluations/session-scores/{score_id}": { path: ["score_id"], query: [] },
  "POST /traces/batch/delete": { ...none, body: { fields: ["trace_ids"], required: ["trace_ids"] } },
  "GET /trace-runs/template": { path: [], query: ["metric"] },
  "POST /traces": none,
  "POST /evaluations/session-runs": { ...none, reply: "EvalRun" },
  "POST /evaluations/monitors/{monitor_id}/trigger": {
    path: ["monitor_id"],
    query: ["dry_run", "max_cost_usd"],
    reply: "EvalRun",
  },
  "GET /evaluations/trace-metrics": none,
  "GET /evaluations/session-metrics": none,
};

/** Fields of the shapes that the contract names; every reply has all fields in `required`. */
export const schemas: Readonly<Record<string, { readonly fields: readonly string[]; readonly required: boolean }>> = {
  EvalRun: {
    fields: [
      "id",
      "name",
      "status",
      "metric_names",
      "total_traces",
      "evaluated_count",
      "failed_count",
      "created_at",
      "completed_at",
      "project_id",
      "target_type",
      "filters",
      "sampling_rate",
      "model",
      "monitor_id",
      "error_message",
    ],
    required: true,
  },
  MonitorResponse: {
    fields: [
      "id",
      "project_id",
      "name",
      "target_type",
      "metric_names",
      "filters",
      "sampling_rate",
      "model",
      "cadence",
      "only_if_changed",
      "status",
      "last_run_at",
      "last_run_id",
      "next_run_at",
      "created_at",
      "updated_at",
    ],
    required: true,
  },
  TraceScore: {
    fields: [
      "id",
      "trace_id",
      "name",
      "value",
      "status",
      "source",
      "created_at",
      "project_id",
      "data_type",
      "eval_run_id",
      "author_user_id",
      "reason",
      "environment",
      "config_id",
      "metadata",
      "updated_at",
    ],
    required: true,
  },
  PaginatedResponse: { fields: ["items", "total", "limit", "offset"], required: true },
  ValidationError: { fields: ["loc", "msg", "type", "input", "ctx"], required: false },
  HTTPValidationError: { fields: ["detail"], required: true },
};
