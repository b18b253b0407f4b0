import { mutantsOf, type Mutant } from "./mutant.ts";

const [langfuseTests, gateTests, gateLooks, warningTests, unreadTests, otherItems, limitTests] = [
  ["test/api/langfuse/datasets.test.ts"],
  ["test/api/datasets/gates.test.ts"],
  ["test/store/experiments/gate-looks.test.ts"],
  ["test/api/scores/unknown-names.test.ts"],
  ["test/api/unread.test.ts"],
  ["test/unit/stream/other-items.test.ts"],
  ["test/unit/domain/experiments/paired.test.ts"],
] as const;

/** Mutants of Langfuse's datasets, of what a gate waits for, and of what replies tell that was not read or does not exist. */
export const interfaces: readonly Mutant[] = [
  ...mutantsOf("lib/handlers/langfuse/write-datasets.ts", langfuseTests, {
    "the refusal of an item's id that another dataset has": [
      "places.length > 0 && !places",
      "places.length > 99 && !places",
    ],
    "the refusal to archive an item that is not there": [
      "if (before === null) throw invalid(",
      "if (before === undefined) throw invalid(",
    ],
    "the refusal of a new item without an input": [
      "before === null && input === null",
      "before === undefined && input === null",
    ],
  }),
  ...mutantsOf("lib/handlers/langfuse/write-datasets.ts", ["test/store/langfuse/datasets.test.ts"], {
    "the second attempt after another request has created the dataset": [
      "isConflict(error) ? put()",
      "isConflict(null) ? put()",
    ],
  }),
  ...mutantsOf("lib/store/datasets/items.ts", langfuseTests, {
    "the difference of a dataset that had an item, which another one may have now": [
      "entries.filter((entry) => revisionAt(unpackEntry(entry)) !== null)",
      "entries.filter((entry) => unpackEntry(entry) !== null)",
    ],
  }),
  ...mutantsOf("lib/handlers/langfuse/link-trace.ts", langfuseTests, {
    "the refusal of a link whose item several datasets have": ["if (others.length > 0)", "if (others.length > 99)"],
    "the status 404 of a link of a deleted trace": [
      "if (refusal?.message === traceDeletedDetail) throw",
      'if (refusal?.message === "") throw',
    ],
    "the dataset that a link names, by which items are missing": [
      '      "langfuse.experiment.dataset.id": dataset,\n',
      "",
    ],
  }),
  ...mutantsOf("lib/otlp/traces/trace-settings.ts", ["test/unit/otlp/trace-settings.test.ts"], {
    "the experiment's id in what is set of a trace apart from its spans": [
      '  [telemetryKeys.experimentId]: cut("experiment", experimentId, maxProvenanceCharacters),\n',
      "",
    ],
    "the item in what is set of a trace apart from its spans": [
      '  [telemetryKeys.experimentItem]: cut("experiment_item_id", experimentItem, maxProvenanceCharacters),\n',
      "",
    ],
    "what is set of a trace and no field takes": ["{}), ...others]", "{}), ...others.slice(99)]"],
    "the other name of metadata that OpenTelemetry's own keys have": [
      "isTelemetryKey(key) ? `metadata.${key}` : key",
      "key",
    ],
  }),
  ...mutantsOf("lib/store/experiments/scores.ts", langfuseTests, {
    "the limit of an experiment's own scores": [
      "attribute_not_exists(n) OR n < :most",
      "attribute_not_exists(n) OR n < :most OR n >= :most",
    ],
    "replacing a score of an experiment that has its maximum": [
      "failedWrites.size === 0 || failedWrites.has(0)",
      "failedWrites.size === 0",
    ],
  }),
  ...mutantsOf("lib/store/scores/environments.ts", langfuseTests, {
    "the environment of scores that came before the span which tells it": [
      "if (environment === null) continue;",
      'if (environment !== "") continue;',
    ],
  }),
  ...mutantsOf("lib/stream/environment-changes.ts", ["test/unit/stream/late-names.test.ts"], {
    "passing by traces whose environment was known before": ["before.environment !== null ||", ""],
    "passing by traces without an environment": [" || after?.environment === null", ""],
    "passing by traces of a deleted project": [
      "if (alive.has(project)) await update",
      "if (alive.size >= 0) await update",
    ],
  }),
  ...mutantsOf("lib/stream/experiment-changes.ts", otherItems, {
    "passing by items of the table that are no rows": [
      "if (rows.every((row) => row === null)) return [];",
      "if (rows.length === 0) return [];",
    ],
  }),
  ...mutantsOf("lib/stream/experiment-changes.ts", ["test/api/datasets/experiments.test.ts"], {
    "removing a trace from the place in an experiment that it has left": [
      "...(isMoved ? [before] : [])",
      "...(isMoved ? [] : [])",
    ],
  }),
  ...mutantsOf("lib/stream/experiment-changes.ts", ["test/unit/stream/late-names.test.ts"], {
    "passing by experiments of a deleted project": ["alive.has(project)", "alive.size >= 0"],
  }),
  ...mutantsOf("lib/handlers/experiments/gate.ts", gateTests, {
    "waiting for the scores of runs that have just ended": [
      "epochOf(completedAt) < scoreLag)",
      "epochOf(completedAt) < 0)",
    ],
    "the refusal of a rule that compares where there is no baseline": [
      "comparesSides(kindOf(rule)) && body.baseline === undefined",
      "comparesSides(kindOf(rule)) && body.baseline === null",
    ],
  }),
  ...mutantsOf("lib/handlers/experiments/gate.ts", gateLooks, {
    "waiting for the scores of runs that have not ended": [
      "(!isTerminal(status) ||",
      "((isTerminal(status) && newest === null) ||",
    ],
    "looking for runs that may bring missing scores": ["await judgingRuns(project, new Set(missing))", "[]"],
    "looking for runs that have not ended among all of the project": ["[...open, ...newest.runs]", "newest.runs"],
    "the metric that a run must judge for a gate to wait for it": [
      'names.has(metric.split("@")[0] ?? metric)',
      'names.has(metric.split("@")[0] ?? metric) || names.size > 0',
    ],
    "a verdict that is not given while something may come": ['? verdict : ("running" as const)', "? verdict : verdict"],
    "the traces that the looks of one request read": [
      "tracesRead + traceCount > maxTracesRead",
      "tracesRead + traceCount > Infinity",
    ],
  }),
  ...mutantsOf("lib/domain/statistics/limit.ts", limitTests, {
    "the range that equal values of an unknown one are taken to have": [
      "(isEqual && rangeIfEqual &&",
      "(!isEqual && rangeIfEqual &&",
    ],
    "a verdict that equal values of no range do not allow": ["|| (range === null && sample.variance === 0)", ""],
  }),
  ...mutantsOf("infra/api/route-grants.ts", ["test/infra/slow/functions.test.ts"], {
    "the grants of rate limits and idempotency for all routes that a function answers": [
      "answered.some(usesLimitsTable)",
      "usesLimitsTable(route)",
    ],
  }),
  ...mutantsOf("lib/http/monitors/alert-notes.ts", warningTests, {
    "the scores of programs, which an alert may name": [
      "const hasScores = types.length > 0",
      "const hasScores = false",
    ],
  }),
  ...mutantsOf("lib/domain/nearest-name.ts", warningTests, {
    "the nearest name": ["near === null || near === name", "near === null || near !== name"],
  }),
  ...mutantsOf("lib/http/metrics/unknown-score.ts", warningTests, {
    "the names of the project's scores among those that are near": [
      "[...(await names()), ...allBuiltInNames]",
      "allBuiltInNames",
    ],
    "the warning of a version that a metric does not have": [
      "ofVersion.version > newest",
      "ofVersion.version > newest + 99",
    ],
    "the versions of a metric of the project": ["?.versions.length ?? 0", "?.versions.length * 0"],
    "the warning of a sort order's name": [
      "...ofSorting, ...scoreReferences",
      "...ofSorting.slice(99), ...scoreReferences",
    ],
    "the scores of the kind that a filter is about": [
      "scoreTypes(database, [target])",
      'scoreTypes(database, ["trace", "session"])',
    ],
    "the metrics of the project, which an alert may name before a score": [
      "|| (await existing(metrics, project, name)) !== null) return null;",
      ") return null;",
    ],
    "a reply that has content, for which a counter of scores may lag": ["reply.length === 0 &&", ""],
    "the difference of a deleted metric": ["metric?.deletedAt === null ? metric : null", "metric"],
  }),
  ...mutantsOf("lib/handlers/langfuse/warn-of-unread.ts", unreadTests, {
    "the warning of fields of Langfuse's routes that are not read": [
      "if (note !== null) warn(note);",
      'if (note === "") warn(note);',
    ],
  }),
  ...mutantsOf("lib/langfuse/score-of.ts", ["test/store/langfuse/events.test.ts"], {
    "the refusal of a score of a dataset run that names a trace, too": [
      "return traceId || sessionId || observationId",
      "return sessionId && observationId",
    ],
  }),
  ...mutantsOf("lib/langfuse/sent-events.ts", unreadTests, {
    "the warning of a timestamp that cannot be read": [
      "if (timestamp && sentAt === null)",
      "if (timestamp && sentAt === undefined)",
    ],
  }),
  ...mutantsOf("lib/langfuse/score-of.ts", ["test/unit/langfuse/unread-fields.test.ts"], {
    "the fields of a score that are not read": ["{ ...otherFields, source:", "{ source:"],
    "a source of a score that is none of Langfuse's": [
      "source && !sources.has(source) ? source : null",
      "source && null",
    ],
  }),
  ...mutantsOf("lib/langfuse/sent-events.ts", ["test/unit/langfuse/unread-fields.test.ts"], {
    "the type in the body of an event of another type": ["{ body_type: output.type }", "{}"],
  }),
  ...mutantsOf("lib/langsmith/sent-runs.ts", ["test/unit/langsmith/run-span.test.ts"], {
    "a dotted order of a run that cannot be read": [
      "if (hasUnreadOrder(run)) collected",
      "if (hasUnreadOrder(run) && run.id === null) collected",
    ],
  }),
  ...mutantsOf("lib/langsmith/run-span.ts", unreadTests, {
    "the project that a run of LangSmith names by its id": ['      "langsmith.run.session_id": run.session_id,\n', ""],
  }),
  ...mutantsOf("lib/otlp/traces/span-attributes.ts", ["test/unit/otlp/unread.test.ts"], {
    "the attribute of instructions that are no text": ["...(instructions === null ? (sources.system ?? []) : []),", ""],
  }),
];
