import type { Mutant } from "./mutant.ts";

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
  {
    without: "the trace of a change that tells all but its trace: it becomes a trace of its own",
    file: places,
    changes: [["(isNew && parentId === null ? run.id : null)", "(parentId === null ? run.id : null)"]],
    caughtBy: batches,
  },
  {
    without: "the type of the stored run for a change of a child that tells none",
    file: places,
    changes: [["name === null || !hasType", "name === null"]],
    caughtBy: batches,
  },
  {
    without: "the name of the stored run for a change of a child that tells none",
    file: places,
    changes: [["run.name ?? span.name", 'run.name ?? "unnamed"']],
    caughtBy: batches,
  },
  {
    without: "the refusal of feedback whose run has not arrived",
    file: projects,
    changes: [["if (holder === null) throw notArrived(searched);", ""]],
    caughtBy: batches,
  },
  {
    without: "the search for the run of feedback without a trace",
    file: projects,
    changes: [["(traceId !== null && (isScoped || reference !== null))", "(isScoped || reference !== null)"]],
    caughtBy: batches,
  },
  {
    without: "the project that feedback names, in which its run is searched for",
    file: projects,
    changes: [
      ["const isElsewhere = project !== null && !isScoped;", "const isElsewhere = project !== null && parallel < 0;"],
    ],
    caughtBy: batches,
  },
  {
    without: "counting the keys that a request has read in its searches",
    file: projects,
    changes: [["    keysLeft -= searched.size * ids.length;\n", ""]],
    caughtBy: batches,
  },
  {
    without: "the scores of evaluations, which feedback does not change",
    file: updates,
    changes: [["if (score.eval_run_id !== null) throw", 'if (score.eval_run_id === "") throw']],
    caughtBy: changedFeedback,
  },
  {
    without: "the metadata that a changed feedback had",
    file: updates,
    changes: [["{ ...score.metadata, ...addedMetadata }", "addedMetadata"]],
    caughtBy: changedFeedback,
  },
  {
    without: "the source PROGRAMMATIC of a feedback that a program changes",
    file: updates,
    changes: [['request.principal.kind === "key" ? "PROGRAMMATIC" : score.source', "score.source"]],
    caughtBy: changedFeedback,
  },
  {
    without: "the limit of traces that are looked up for Langfuse's updates",
    file: importEvents,
    changes: [["[...unknownIds].slice(0, maxLookups), maxLookups", "[...unknownIds], maxLookups"]],
    caughtBy: events,
  },
  {
    without: "the trace that another event of the request names for an update",
    file: importEvents,
    changes: [["if (body.traceId) tracesById.set(body.id, body.traceId);", "void body;"]],
    caughtBy: events,
  },
  {
    without: "the outcome of each event of a trace that is full: all are told to be stored",
    file: importEvents,
    changes: [["refusal.storedSpan === traceUuid(span.spanId)", "refusal.storedSpan !== null"]],
    caughtBy: events,
  },
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
  {
    without: "the lease of a request that was answered 503: its repetition runs beside what is left of it",
    file: "lib/http/idempotency.ts",
    changes: [['error.reason.kind !== "unavailable" && ', ""]],
    caughtBy: replays,
  },
  {
    without: "releasing an idempotency key whose request had no effect",
    file: "lib/http/idempotency.ts",
    changes: [["if (hadNoEffect(error)) await", "if (hadNoEffect(error) && start === null) await"]],
    caughtBy: replays,
  },
  {
    without: "the path in the identity of a repeated request",
    file: "lib/http/idempotency.ts",
    changes: [['derived("record", path)', 'derived("record")']],
    caughtBy: replays,
  },
];
