import { mutantsOf, type Mutant } from "./mutant.ts";

const [batches, changedFeedback, events, replays] = [
  ["test/store/langsmith/bounds-of-a-batch.test.ts"],
  ["test/store/langsmith/changed-feedback.test.ts"],
  ["test/store/langfuse/events.test.ts"],
  ["test/store/limits/replays.test.ts"],
] as const;
const [places, projects] = ["lib/handlers/langsmith/place-runs.ts", "lib/handlers/langsmith/item-projects.ts"];
const [updates, importEvents] = ["lib/handlers/langsmith/update-feedback.ts", "lib/handlers/langfuse/import-events.ts"];

/** Mutants of requests of other products' SDKs, and of requests that are repeated. */
export const imports: readonly Mutant[] = [
  ...mutantsOf(places, batches, {
    "the trace of a change that tells all but its trace: it becomes a trace of its own": [
      "(isNew && parentId === null ? run.id : null)",
      "(parentId === null ? run.id : null)",
    ],
    "the type of the stored run for a change of a child that tells none": [
      "name === null || !hasType",
      "name === null",
    ],
    "the name of the stored run for a change of a child that tells none": [
      "run.name ?? span.name",
      'run.name ?? "unnamed"',
    ],
  }),
  ...mutantsOf(projects, batches, {
    "the refusal of feedback whose run has not arrived": ["if (holder === null) throw notArrived(searched);", ""],
    "the search for the run of feedback without a trace": [
      "(traceId !== null && (isScoped || reference !== null))",
      "(isScoped || reference !== null)",
    ],
    "the project that feedback names, in which its run is searched for": [
      "const isElsewhere = project !== null && !isScoped;",
      "const isElsewhere = project !== null && parallel < 0;",
    ],
    "counting the keys that a request has read in its searches": ["    keysLeft -= searched.size * ids.length;\n", ""],
  }),
  ...mutantsOf(updates, changedFeedback, {
    "the scores of evaluations, which feedback does not change": [
      "if (score.eval_run_id !== null) throw",
      'if (score.eval_run_id === "") throw',
    ],
    "the metadata that a changed feedback had": ["{ ...score.metadata, ...addedMetadata }", "addedMetadata"],
    "the source PROGRAMMATIC of a feedback that a program changes": [
      'request.principal.kind === "key" ? "PROGRAMMATIC" : score.source',
      "score.source",
    ],
  }),
  ...mutantsOf(importEvents, events, {
    "the limit of traces that are looked up for Langfuse's updates": [
      "[...unknownIds].slice(0, maxLookups), maxLookups",
      "[...unknownIds], maxLookups",
    ],
    "the trace that another event of the request names for an update": [
      "if (body.traceId) tracesById.set(body.id, body.traceId);",
      "void body;",
    ],
    "the outcome of each event of a trace that is full: all are told to be stored": [
      "refusal.storedSpan === traceUuid(span.spanId)",
      "refusal.storedSpan !== null",
    ],
  }),
  {
    without: "the id that an import derives for a score: each attempt stores another one",
    file: "lib/handlers/scores/import-scores.ts",
    changes: [["ids.earlier : ids.present", "ids.earlier : crypto.randomUUID()"]],
    caughtBy: "ingest",
  },
  {
    without: "the last value of a score that its client puts again: the first one is kept",
    file: "lib/handlers/scores/store-score.ts",
    changes: [["create(sent, body, ifNew)", "create(sent, body, { ...ifNew, checkReplay: () => undefined })"]],
    caughtBy: "ingest",
  },
  ...mutantsOf("lib/http/idempotency.ts", replays, {
    "the lease of a request that was answered 503: its repetition runs beside what is left of it": [
      'error.reason.kind !== "unavailable" && ',
      "",
    ],
    "releasing an idempotency key whose request had no effect": [
      "if (hadNoEffect(error)) await",
      "if (hadNoEffect(error) && start === null) await",
    ],
    "the path in the identity of a repeated request": ['derived("record", path)', 'derived("record")'],
  }),
];
