import { accessTable } from "./access-table.ts";
import { reasonTable } from "./reason-table.ts";

/** Descriptions of resources (OpenAPI tags), by name. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  service: "The state of the service and its documentation.",
  traces: "Traces of agents with their spans: sending, searching, changing and deleting them, and their analytics.",
  otlp: "OpenTelemetry's OTLP over HTTP, in protobuf and JSON.",
  langfuse: "Paths that the SDKs of Langfuse call.",
  langsmith: "Paths that the SDKs of LangSmith call.",
  exports: "Files of all traces and scores in Parquet, by day.",
  sessions: "Sessions: all traces with the same `session_id`.",
  metrics: "Metrics that runs evaluate, custom metrics, and the judge models that answer.",
  runs: reasonTable,
  scores: "Scores of traces and sessions by judges, people and programs, and their analytics.",
  datasets: "Datasets, experiments over them, and gates that compare experiments.",
  labels: "Sets of traces that people label, and what the labels say of a judge.",
  monitors: "Monitors, which start runs on a schedule, and alert rules, which watch traces and scores.",
  organizations: accessTable,
  me: "The signed-in user.",
  cli: "Sign-in of command-line programs.",
  subscriptions: "Plans and invoices as the published dashboard reads them; the service charges nothing.",
};
