import { getConsole } from "../../lib/contract/service.ts";
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { createDataset } from "../../lib/contract/datasets/datasets.ts";
import { createDatasetItems } from "../../lib/contract/datasets/items.ts";
import { listExperiments } from "../../lib/contract/experiments/experiments.ts";
import { createLangfuseDataset } from "../../lib/contract/langfuse/datasets.ts";
import { createLangsmithFeedback } from "../../lib/contract/langsmith/feedback.ts";
import { createCustomMetric } from "../../lib/contract/metrics/custom-metrics.ts";
import { createAlert } from "../../lib/contract/monitors/alerts.ts";
import { createMonitor } from "../../lib/contract/monitors/monitors.ts";
import { createSessionScore } from "../../lib/contract/scores/session-scores.ts";
import { createTraceRun, getTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../lib/contract/scores/trace-scores.ts";
import { createTrace, getTrace } from "../../lib/contract/traces/traces.ts";
import { sendExperiment } from "../support/experiments.ts";
import { storeLabelThings } from "../support/labels.ts";
import type { Client } from "../support/service/client.ts";
import { eventually } from "../support/service/local-fixture.ts";
import { someTrace } from "../support/traces/traces.ts";

/** Creates an item in the client's project. @returns its id. */
type Make = (client: Client) => Promise<string>;

const trace: Make = async (client) => (await client.answer(createTrace, { body: someTrace() })).trace_id;

/** Creates a trace with a span that has the same id. */
const span: Make = async (client) => {
  const span_id = randomUUID();
  const spans = [{ span_id, name: "lookup_order", started_at: "2026-10-01T10:00:00+00:00" }];
  await client.answer(createTrace, { body: someTrace({ trace_id: span_id, spans }) });
  return span_id;
};

/** Creates a trace with a unique text in a field. @returns the text. */
const label =
  (field: "session_id" | "user_id"): Make =>
  async (client) => {
    const text = `${field}-${randomUUID()}`;
    await client.answer(createTrace, { body: someTrace({ [field]: text }) });
    return text;
  };

/** Creates a failed run, whose data is stable and which can be retried. */
const run: Make = async (client) => {
  // Selects a single trace.
  const filters = { session_id: await label("session_id")(client) };
  const body = { metrics: ["task_completion"], model: "custom/nothing", filters };
  const { id } = await client.answer(createTraceRun, { body });
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(50)) {
    if ((await client.answer(getTraceRun, { params: { run_id: id } })).completed_at !== null) return id;
  }
  throw new Error(`The run ${id} did not end within a minute.`);
};

/** Creates a score whose id equals the id of its trace. */
const scoredTrace: Make = async (client) => {
  const score = async (trace_id: string) =>
    (await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "0.5" } })).id;
  const id = await score(await trace(client));
  await client.answer(createTrace, { body: someTrace({ trace_id: id }) });
  await score(id);
  return id;
};

/** Creates a score whose id equals the id of its session. */
const scoredSession: Make = async (client) => {
  const score = async (session_id: string) =>
    (await client.answer(createSessionScore, { body: { session_id, name: "solved", value: "1" } })).id;
  const id = await score(await label("session_id")(client));
  await client.answer(createTrace, { body: someTrace({ session_id: id }) });
  await score(id);
  return id;
};

const feedback: Make = async (client) => {
  const run_id = await trace(client);
  return (await client.answer(createLangsmithFeedback, { body: { id: randomUUID(), run_id, key: "good", score: 1 } }))
    .id;
};

/** Creates a trace of an item of an experiment. @returns the item's id. */
const experimentItem: Make = async (client) => {
  const item = randomUUID();
  const metadata = { "otel.experiment": "nightly", "otel.experiment_item": item };
  const spans = [{ span_id: item, name: "answer", started_at: "2026-10-01T10:00:00+00:00", metadata }];
  await client.answer(createTrace, { body: someTrace({ spans }) });
  return item;
};

const monitor: Make = async (client) => {
  const body = { name: "weekly", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };
  return (await client.answer(createMonitor, { body })).id;
};

const alert: Make = async (client) => {
  const body = { name: "busy", signal: "volume", window: "1h", threshold: 1 };
  return (await client.answer(createAlert, { body })).id;
};

const customMetric: Make = async (client) => {
  const body = { name: `m${randomUUID().replaceAll("-", "")}`, description: "Evaluates something." };
  return (await client.answer(createCustomMetric, { body })).name;
};

const itemIds = new WeakMap<Client, string>();

/** Returns the id of an item that every dataset of the client has. */
const datasetItem: Make = async (client) => {
  const id = itemIds.get(client) ?? randomUUID();
  itemIds.set(client, id);
  return id;
};

const dataset: Make = async (client) => {
  const { id: dataset_id } = await client.answer(createDataset, { body: { name: randomUUID() } });
  const items = [{ id: await datasetItem(client), input: "x" }];
  await client.answer(createDatasetItems, { params: { dataset_id }, body: { items } });
  return dataset_id;
};

const langfuseDataset: Make = async (client) =>
  (await client.answer(createLangfuseDataset, { body: { name: randomUUID() } })).name;

const experiment: Make = async (client) => {
  const name = randomUUID();
  await sendExperiment(client, { "assay.experiment": name }, [randomUUID()]);
  return eventually(async () => (await client.answer(listExperiments, { query: { name } })).items[0]?.id);
};

const labelSets = new WeakMap<Client, Promise<{ readonly set_id: string; readonly label_item_id: string }>>();

/** Creates a label set with an item that the client has labelled. */
const newLabelThings = (client: Client) => {
  const things = storeLabelThings(client);
  labelSets.set(client, things);
  return things;
};

const project: Make = async (client) =>
  (await client.answer(getTrace, { params: { trace_id: await trace(client) } })).project_id;

/**
 * Creators of items by the name of the parameter, field or header with their id. A list is named after its items:
 * `trace_ids` contains `trace_id` values.
 */
const kinds: Readonly<Record<string, Make>> = {
  trace_id: trace,
  span_id: span,
  parent_span_id: span,
  /** A run of LangSmith is a span. */
  parent_run_id: span,
  /** The id of an example in a dataset of LangSmith, of which nothing is stored here. */
  reference_example_id: async () => randomUUID(),
  experiment_item_id: experimentItem,
  dataset_id: dataset,
  item_id: datasetItem,
  set_id: async (client) => (await newLabelThings(client)).set_id,
  /** An item of the label set that was made last. */
  label_item_id: async (client) => (await (labelSets.get(client) ?? newLabelThings(client))).label_item_id,
  dataset_name: langfuseDataset,
  experiment_id: experiment,
  session_id: label("session_id"),
  user_id: label("user_id"),
  run_id: run,
  eval_run_id: run,
  score_id: scoredTrace,
  session_score_id: scoredSession,
  feedback_id: feedback,
  monitor_id: monitor,
  alert_id: alert,
  metric_name: customMetric,
  /** The id of a sent event, chosen by the sender. */
  id: async () => randomUUID(),
  "X-Project-ID": project,
  project_id: project,
  /** A topic of the documentation, which is the same for every project. */
  topic: async () => "runs",
  /** A file of the console, which is the same for every project. */
  file: async (client) =>
    /console\/assets\/(?<file>[\w.-]+)/u.exec((await client.call(getConsole)).text)?.groups?.["file"] ?? "",
};

/** Names of all kinds. */
export const kindNames: readonly string[] = Object.keys(kinds);

/** The creator of the item that a parameter, field or header of this name refers to; undefined if unknown. */
export const makerOf = (name: string): Make | undefined => kinds[name] ?? kinds[name.replace(/s$/u, "")];

/** Creates an item of a kind. @throws Error with instructions when the kind has no creator. */
export const make = (name: string, client: Client): Promise<string> => {
  const maker = makerOf(name);
  if (maker !== undefined) return maker(client);
  throw new Error(
    `Nothing says what "${name}" is the id of. Add a line to the kinds in test/fuzz/kinds.ts that makes such a thing in ` +
      "a project and returns its id.",
  );
};
