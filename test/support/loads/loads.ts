import { randomUUID } from "node:crypto";
import { createDataset } from "../../../lib/contract/datasets/datasets.ts";
import { createDatasetItems } from "../../../lib/contract/datasets/items.ts";
import { approveExperiment } from "../../../lib/contract/experiments/approval.ts";
import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { uploadLabels } from "../../../lib/contract/labels/label-items.ts";
import { createLabelSet } from "../../../lib/contract/labels/label-sets.ts";
import { createMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { wrappers } from "../../../lib/domain/metrics/imported/fields.ts";
import { experimentStore } from "../../../lib/store/experiments/experiments.ts";
import { hexId, jsonExport, jsonSpan } from "../otlp/otlp.ts";
import type { CalledFunctions, Sent } from "./called-functions.ts";

/** Returns a request with a number of items. It may store what the items refer to before. */
export type Shape = (count: number) => Sent | Promise<Sent>;

/** Requests of a route by the shape of their lists. */
export interface Load {
  /** Number of items of the smaller request, of which the larger one has four times as many; default 5. */
  readonly count?: number;
  /** Most items of a list, or of a body of 4 MiB; default 100. */
  readonly largest?: number;
  readonly shapes: Readonly<Record<string, Shape>>;
  /** Shapes of which all items are about the same stored data, which is read once. */
  readonly readOnce?: Readonly<Record<string, Shape>>;
  /** Read units that each item of those shapes needs for data of its own, as the score that its id may have; default 0. */
  readonly ownReads?: number;
}

const at = "2026-11-21T09:00:00Z";

const listOf = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, index) => make(index));

const uuids = (count: number): string[] => listOf(count, () => randomUUID());

/** Stored items for each of a load: so many that reading them costs more than the fixed parts of a request. */
const manyItems = 20;

/** A text that is neither a number nor a UUID, and needs escapes in keys, queries and patterns. */
const oddText = (index: number): string => `Läuft "${index}"/#\\.{}* ${randomUUID()}`;

const traceOf = (fields: object = {}) => ({ name: "x", started_at: at, ...fields });
const spanOf = (fields: object = {}) => ({
  span_id: randomUUID(),
  name: "x",
  kind: "CHAIN",
  started_at: at,
  ...fields,
});
const runOf = (fields: object = {}) => ({ id: randomUUID(), name: "x", run_type: "chain", start_time: at, ...fields });
const eventOf = (body: object, type = "score-create") => ({ id: randomUUID(), type, timestamp: at, body });
const otlpSpan = (trace: string, fields: object = {}) => jsonSpan(trace, hexId(8), { ...fields });

/** Returns the definition of a custom metric with that many statements. */
const definition = (count: number) => ({
  target_type: "TRACE",
  description: "x",
  instructions: "x",
  statements: listOf(count, (index) => ({ name: `s${index}`, text: `Is it so ${index}?`, expected: "yes" })),
});

/** A form of LangSmith's SDKs. */
const formOf = (parts: readonly (readonly [name: string, content: unknown])[]): Sent => {
  const boundary = "boundary-of-a-form-with-many-parts";
  const texts = parts.map(
    ([name, content]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(content)}\r\n`,
  );
  return { text: `${texts.join("")}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
};

/** Bytes of an input, within the 4 MiB of a body. */
const inputBytes = 3_900_000;

/** Texts of that many bytes together. */
const textsOf = (bytes: number): readonly string[] =>
  listOf(Math.ceil(bytes / inputBytes), (at) => "x".repeat(Math.min(inputBytes, bytes - at * inputBytes)));

/** Stores a trace of that many bytes, which has a span with the id of the trace. */
export const storeLargeTrace = async (
  answer: CalledFunctions["answer"],
  trace_id: string,
  bytes: number,
  fields: object = {},
): Promise<void> => {
  await answer(createTrace, { body: traceOf({ ...fields, trace_id, spans: [spanOf({ span_id: trace_id })] }) });
  for (const input of textsOf(bytes)) await answer(createSpans, { params: { trace_id }, body: [spanOf({ input })] });
};

/** Requests that change a span of each of some traces; the same trace may be named several times. */
export const changesOfTraces = {
  createTraces: (list: readonly string[]): Sent => ({
    body: {
      traces: list.map((trace_id, at) =>
        traceOf({ trace_id, spans: [spanOf({ span_id: trace_id, output: `${hexId(8)} ${at}` })] }),
      ),
    },
  }),
  exportTraces: (list: readonly string[]): Sent => ({
    body: jsonExport(list.map((id) => otlpSpan(id.replaceAll("-", "")))),
  }),
  /** Each run tells its place itself. */
  ingestLangsmithRuns: (list: readonly string[]): Sent => ({
    body: { patch: list.map((id) => runOf({ id, trace_id: id, end_time: at, outputs: { x: hexId(8) } })) },
  }),
  ingestLangfuse: (list: readonly string[]): Sent => ({
    body: { batch: list.map((id) => eventOf({ id, traceId: id, output: hexId(8) }, "span-update")) },
  }),
};

/**
 * Returns the loads of every route with a list in its body, by route id, and stores what they refer to.
 *
 * @param largeBytes size of a large document.
 */
export const loadsOf = async (
  { answer, database, organizationId, projectId }: CalledFunctions,
  largeBytes = 500_000,
) => {
  const storedTraces = async (count: number): Promise<readonly string[]> => {
    const ids = uuids(count);
    const traces = ids.map((trace_id) => traceOf({ trace_id, spans: [spanOf()] }));
    for (let start = 0; start < count; start += 100)
      await answer(createTraces, { body: { traces: traces.slice(start, start + 100) } });
    return ids;
  };
  const [large, largeSession, largeHex] = [randomUUID(), randomUUID(), hexId(16)];
  await storeLargeTrace(answer, large, largeBytes, { session_id: largeSession });
  const largeSpan = hexId(8);
  for (const [at, text] of textsOf(largeBytes).entries())
    await answer(exportTraces, {
      body: jsonExport([
        jsonSpan(largeHex, at === 0 ? largeSpan : hexId(8), {
          attributes: [{ key: "x", value: { stringValue: text } }],
        }),
      ]),
    });
  const severalLarge = uuids(20);
  for (const id of severalLarge) await storeLargeTrace(answer, id, largeBytes);
  await answer(createCustomMetric, { body: { ...definition(2), name: "measured" } });
  const dataset_id = String((await answer(createDataset, { body: { name: "measured" } })).id);
  /** Stores an experiment with a trace of each item. */
  const storedExperiment = async (items: readonly string[], dataset: string | null = null): Promise<string> => {
    const id = randomUUID();
    const experiment = { id, hasOwnId: true, name: "x", dataset, itemId: null, itemName: null };
    const trace = { incarnation: "x", itemName: null, input: "x", startedAt: at, hasEnded: true, hasFailed: false };
    const figures = { latencyMilliseconds: 1, cost: 0, tokens: 0 };
    await experimentStore(database).follow(
      items.map((itemId) => ({
        project: projectId,
        experiment,
        isRemoved: false,
        expiresAt: undefined,
        trace: { ...trace, ...figures, traceId: randomUUID(), itemId },
      })),
    );
    return id;
  };
  const storedDataset = async (items: readonly string[]): Promise<string> => {
    const { id } = await answer(createDataset, { body: { name: randomUUID() } });
    const body = { items: items.map((each) => ({ id: each, input: "x" })) };
    await answer(createDatasetItems, { params: { dataset_id: String(id) }, body });
    return String(id);
  };
  const labelSet = { name: "measured", metrics: [{ name: "helpful", scale: { data_type: "BOOLEAN" } }] };
  const storedLabelSet = async (count: number) => {
    const traces = await storedTraces(count);
    const { id } = await answer(createLabelSet, { body: { ...labelSet, size: count, trace_ids: traces } });
    return { set_id: String(id), traces };
  };
  const labelsOf = (traces: readonly string[]) =>
    traces.map((trace_id) => ({ trace_id, labeller: "Ada", labels: { helpful: true } }));
  /** Stores a label set of which each item has labels; returns its path parameter. */
  const labelledSet = async (count: number) => {
    const { set_id, traces } = await storedLabelSet(count);
    await answer(uploadLabels, { params: { set_id }, body: { items: labelsOf(traces) } });
    return { set_id };
  };
  /** Stores two experiments over the same items of a dataset. */
  const storedPair = async (count: number) => {
    const items = uuids(count);
    const dataset = await storedDataset(items);
    const [candidate, baseline] = [await storedExperiment(items, dataset), await storedExperiment(items, dataset)];
    return { dataset, candidate, baseline };
  };
  const experiment_id = await storedExperiment(uuids(20));
  const { id: monitor_id } = await answer(createMonitor, {
    body: { name: "m", target_type: "TRACE", cadence: "daily", metrics: ["task_completion"] },
  });

  type SendIds = (ids: readonly string[]) => Sent;
  /** Returns requests about one trace. */
  const aboutOne = (send: SendIds) => ({
    "all equal": async (count: number) => send(Array<string>(count).fill((await storedTraces(1))[0] ?? "")),
    "one large document": (count: number) => send(Array<string>(count).fill(large)),
  });
  /** Returns requests about several traces. */
  const aboutEach = (send: SendIds) => ({
    "each stored": async (count: number) => send(await storedTraces(count)),
    "none stored": (count: number) => send(uuids(count)),
  });
  const params = { trace_id: large };
  const scoreOf = (traceId: string) => ({ id: randomUUID(), traceId, name: "helpful", value: 1 });
  const oddScores: Shape = (count) => ({ body: listOf(count, (index) => scoreOf(oddText(index))) });
  const changesOfObservations = aboutEach((list) => changesOfTraces.ingestLangfuse(list));
  const logOf = (traceId: string, spanId = hexId(8)) => ({
    timeUnixNano: "1795251600000000000",
    eventName: "gen_ai.user.message",
    traceId,
    spanId,
    body: { stringValue: "x" },
  });
  const logsOf = (logRecords: readonly object[]): Sent => ({
    body: { resourceLogs: [{ scopeLogs: [{ logRecords }] }] },
  });
  const pointsOf = (dataPoints: readonly object[]): Sent => ({
    body: { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "x", gauge: { dataPoints } }] }] }] },
  });

  const [textTrace, changedSpans] = [hexId(16), (count: number) => listOf(count, (at) => ({ name: `x${at}` }))];
  /** A span with a text of JSON that has 200 values. */
  const textSpan = (at: number) =>
    otlpSpan(textTrace, {
      attributes: [{ key: "input.value", value: { stringValue: `[${"[],".repeat(100)}${at}]` } }],
    });
  const spanExport: Load = {
    largest: 8_000,
    shapes: {
      "all equal": (count) => ({ body: jsonExport(Array<object>(count).fill(otlpSpan(hexId(16)))) }),
      "one trace": (count) => {
        const trace = hexId(16);
        return { body: jsonExport(listOf(count, () => otlpSpan(trace))) };
      },
      "a trace each": (count) => ({ body: jsonExport(listOf(count, () => otlpSpan(hexId(16)))) }),
      "large documents": (count) => changesOfTraces.exportTraces(severalLarge.slice(0, count)),
      "texts of JSON": (count) => ({ body: jsonExport(listOf(Math.min(count, 5_000), textSpan)) }),
      "texts of JSON, all equal": (count) => ({ body: jsonExport(listOf(Math.min(count, 5_000), () => textSpan(0))) }),
      "a parent each": (count) => {
        const [trace, spans] = [hexId(16), listOf(count, () => hexId(8))];
        const nested = spans.map((span, index) => jsonSpan(trace, span, { parentSpanId: spans[index - 1] ?? "" }));
        return { body: jsonExport(nested) };
      },
      "attributes of one span": (count) => ({
        body: jsonExport([
          otlpSpan(hexId(16), {
            attributes: listOf(count, (index) => ({ key: oddText(index), value: { stringValue: "x" } })),
          }),
        ]),
      }),
    },
    readOnce: {
      "one large document": (count) => ({ body: jsonExport(listOf(count, () => otlpSpan(largeHex))) }),
      "one span of a large document": (count) => ({
        body: jsonExport(changedSpans(count).map((fields) => jsonSpan(largeHex, largeSpan, fields))),
      }),
    },
  };

  const changesOf = (list: readonly string[], trace_id?: string): Sent => ({
    body: { patch: list.map((id) => ({ id, end_time: at, ...(trace_id !== undefined && { trace_id }) })) },
  });
  const maxFeedback = 500;
  const feedbackOf = (list: readonly string[]): Sent => ({
    body: {
      feedback: list.map((id, score) => ({ id: randomUUID(), run_id: id, trace_id: id, key: "helpful", score })),
    },
  });
  const runBatch: Readonly<Record<string, Shape>> = {
    ...aboutEach((list) => changesOf(list)),
    "new runs of one trace": (count) => {
      const root = runOf();
      return {
        body: { post: [root, ...listOf(count - 1, () => runOf({ trace_id: root.id, parent_run_id: root.id }))] },
      };
    },
    "new runs, a missing parent each": (count) => ({
      body: { post: listOf(count, () => runOf({ parent_run_id: randomUUID() })) },
    }),
    "new runs with odd ids": (count) => ({ body: { post: listOf(count, (index) => runOf({ id: oddText(index) })) } }),
    "feedback of a trace each": async (count) => feedbackOf(await storedTraces(Math.min(count, maxFeedback))),
    "large documents": (count) => changesOfTraces.ingestLangsmithRuns(severalLarge.slice(0, count)),
  };
  const oneTrace: Readonly<Record<string, Shape>> = {
    ...aboutOne((list) => changesOf(list)),
    "feedback of one large document": (count) => feedbackOf(Array<string>(Math.min(count, maxFeedback)).fill(large)),
    "one run of a large document": (count) => changesOfTraces.ingestLangsmithRuns(Array<string>(count).fill(large)),
    "changes of runs of one large document": (count) => changesOf(uuids(count), large),
    "changes of one trace of any project": (count) => ({ ...changesOf(uuids(count), large), isWithoutProject: true }),
  };
  const run = runOf();
  const runForm: Readonly<Record<string, Shape>> = {
    "fields and parts of one run": (count) => {
      const id = randomUUID();
      const fields = Object.fromEntries(listOf(200 * count, (index) => [`field ${index}`, index]));
      return formOf([
        [`post.${id}`, runOf({ id, ...fields })],
        ...listOf(10 * count, () => [`post.${id}.inputs`, {}] as const),
      ]);
    },
    "attachments of one run": (count) => {
      const id = randomUUID();
      return formOf([
        [`post.${id}`, runOf({ id })],
        ...listOf(count, (index) => [`attachment.${id}.file${index}`, "x"] as const),
      ]);
    },
    "a run each": (count) =>
      formOf(
        listOf(count, () => runOf()).flatMap(
          (each) =>
            [
              [`post.${each.id}`, each],
              [`post.${each.id}.inputs`, {}],
            ] as const,
        ),
      ),
  };

  const addedTo = (list: readonly string[]): Sent => ({
    body: { traces: list.map((trace_id) => traceOf({ trace_id, spans: [spanOf()] })) },
  });
  const runOfTraces = (trace_ids: readonly string[]): Sent => ({
    body: { trace_ids, metrics: ["tool_correctness"], name: "x" },
  });
  const taggedTraces = (trace_ids: readonly string[]): Sent => ({ body: { trace_ids, add_tags: [oddText(0)] } });
  const deletedTraces = (list: readonly string[]): Sent => ({ body: { trace_ids: list.filter((id) => id !== large) } });
  const previewedTraces = (trace_ids: readonly string[]): Sent => ({
    body: { metric_name: "measured", trace_ids, dry_run: true },
  });
  const metricLists = (send: (metrics: readonly string[]) => Sent): Readonly<Record<string, Shape>> => ({
    "metrics, all equal": (count) => send(Array<string>(count).fill("measured")),
    "metrics, each unknown": (count) => send(listOf(count, (index) => `unknown_${index}`)),
    "versions of one metric": (count) => send(listOf(count, (index) => `measured@${index + 1}`)),
  });
  const filteredRun = (metric: string): Load => ({
    shapes: {
      ...metricLists((metrics) => ({ body: { metrics, name: "x", filters: { tags: ["x"] } } })),
      "tags, each another": (count) => ({
        body: { metrics: [metric], name: "x", filters: { tags: listOf(count, oddText) } },
      }),
    },
  });
  const fewMetric: Load = {
    count: 2,
    largest: 10,
    shapes: {
      statements: (count) => ({
        params: { metric_name: "measured" },
        body: { ...definition(count), target_type: undefined },
      }),
    },
  };
  const itemsOf = (items: readonly object[]) => ({ params: { dataset_id }, body: { items } });
  const sourcesOf = (list: readonly string[]) => list.map((trace_id) => ({ source: { trace_id } }));
  const linesOf = (type: string, lines: readonly string[]): Sent => ({
    params: { dataset_id },
    text: lines.join("\n"),
    type,
  });
  const metadataKeys = (count: number) => listOf(count, (index) => `key_${index}_${hexId(4)}`);

  return {
    createTrace: {
      shapes: {
        "spans, all equal": (count) => ({
          body: traceOf({ spans: Array<object>(count).fill(spanOf({ span_id: null })) }),
        }),
        "spans, a parent each": (count) => {
          const spans = uuids(count);
          const nested = spans.map((span_id, index) => spanOf({ span_id, parent_span_id: spans[index - 1] ?? null }));
          return { body: traceOf({ spans: nested }) };
        },
        tags: (count) => ({ body: traceOf({ tags: listOf(count, oddText) }) }),
      },
    },
    createTraces: {
      shapes: {
        ...aboutEach(addedTo),
        "large documents": (count) => changesOfTraces.createTraces(severalLarge.slice(0, count)),
        "one session": (count) => {
          const session_id = oddText(0);
          return { body: { traces: listOf(count, () => traceOf({ session_id })) } };
        },
        "a session each": (count) => ({
          body: { traces: listOf(count, (index) => traceOf({ session_id: oddText(index) })) },
        }),
      },
      readOnce: {
        ...aboutOne(addedTo),
        "one span of a large document": (count) => changesOfTraces.createTraces(Array<string>(count).fill(large)),
      },
    },
    exportTraces: spanExport,
    exportLogs: {
      largest: 10_000,
      shapes: {
        "all equal": (count) => logsOf(Array<object>(count).fill(logOf(hexId(16)))),
        "one trace": (count) => {
          const trace = hexId(16);
          return logsOf(listOf(count, () => logOf(trace)));
        },
        "one span": (count) => {
          const [trace, span] = [hexId(16), hexId(8)];
          return logsOf(listOf(count, () => logOf(trace, span)));
        },
        "a trace each": (count) => logsOf(listOf(count, () => logOf(hexId(16)))),
      },
      readOnce: {
        "one large document": (count) => logsOf(listOf(count, () => logOf(largeHex))),
        "one span of a large document": (count) => logsOf(listOf(count, () => logOf(largeHex, largeSpan))),
      },
    },
    exportMetrics: {
      largest: 20_000,
      shapes: { points: (count) => pointsOf(listOf(count, () => ({ asDouble: 1, timeUnixNano: "1" }))) },
    },
    createLangfuseScores: {
      largest: 500,
      shapes: {
        ...aboutEach((list) => ({ body: list.map(scoreOf) })),
        "odd ids": oddScores,
      },
      readOnce: aboutOne((list) => ({ body: list.map(scoreOf) })),
      ownReads: 1,
    },
    ingestLangfuse: {
      largest: 8_000,
      shapes: {
        ...aboutEach((list) => ({ body: { batch: list.map((id) => eventOf(scoreOf(id))) } })),
        ...changesOfObservations,
        "odd ids": (count) => ({ body: { batch: listOf(count, (index) => eventOf(scoreOf(oddText(index)))) } }),
        "odd ids of traces": (count) => ({
          body: { batch: listOf(count, (index) => eventOf({ id: oddText(index) }, "trace-create")) },
        }),
        "updates without a trace": (count) => ({
          body: { batch: listOf(count, (index) => eventOf({ id: oddText(index) }, "span-update")) },
        }),
        "metadata of one trace": (count) => ({
          body: {
            batch: listOf(count, (index) =>
              eventOf({ id: "one", metadata: { [oddText(index)]: index }, tags: [`${index}`] }, "trace-create"),
            ),
          },
        }),
        "metadata of one observation": (count) => ({
          body: {
            batch: listOf(count, (index) =>
              eventOf({ id: "one", traceId: "one", metadata: { [oddText(index)]: index } }, "span-update"),
            ),
          },
        }),
        "observations of one trace": (count) => ({
          body: {
            batch: listOf(count, (index) => eventOf({ id: oddText(index), traceId: "many" }, "generation-create")),
          },
        }),
      },
      readOnce: {
        ...aboutOne((list) => ({ body: { batch: list.map((id) => eventOf(scoreOf(id))) } })),
        "observations of one large document": (count) => ({
          body: {
            batch: listOf(count, () => eventOf({ id: randomUUID(), traceId: large, output: "x" }, "span-create")),
          },
        }),
      },
      ownReads: 1,
    },
    ingestLangsmithRuns: { largest: 2_000, shapes: { ...runBatch, ...runForm }, readOnce: oneTrace, ownReads: 1 },
    createLangsmithRun: { shapes: { tags: (count) => ({ body: runOf({ tags: listOf(count, oddText) }) }) } },
    updateLangsmithRun: {
      shapes: {
        tags: (count) => ({
          params: { run_id: run.id },
          body: { ...run, trace_id: run.id, tags: listOf(count, oddText) },
        }),
      },
    },
    createSpans: {
      largest: 500,
      shapes: {
        "all equal": (count) => ({ params, body: Array<object>(count).fill(spanOf({ span_id: null })) }),
        "a missing parent each": (count) => ({
          params,
          body: listOf(count, () => spanOf({ parent_span_id: randomUUID() })),
        }),
      },
      readOnce: {
        "one large document": (count) => ({ params, body: listOf(count, () => spanOf()) }),
        "one span of a large document": (count) => ({
          params,
          body: listOf(count, () => spanOf({ span_id: large, output: hexId(8) })),
        }),
      },
    },
    updateTrace: { shapes: { tags: (count) => ({ params, body: { tags: listOf(count, oddText) } }) } },
    tagTraces: {
      largest: 500,
      shapes: {
        ...aboutEach(taggedTraces),
        tags: (count) => ({ body: { trace_ids: [large], remove_tags: listOf(count, oddText) } }),
      },
      readOnce: aboutOne(taggedTraces),
    },
    deleteTraces: {
      largest: 500,
      shapes: aboutEach(deletedTraces),
      readOnce: { "all equal": aboutOne(deletedTraces)["all equal"] },
    },
    createTraceRun: filteredRun("tool_correctness"),
    createSessionRun: filteredRun("agent_reliability"),
    createTraceBatchRun: {
      largest: 1_000,
      shapes: {
        ...aboutEach(runOfTraces),
        ...metricLists((metrics) => ({ body: { trace_ids: [large], metrics, name: "x" } })),
      },
      readOnce: aboutOne(runOfTraces),
    },
    createExperimentRun: {
      shapes: {
        ...metricLists((metrics) => ({ params: { experiment_id }, body: { metrics } })),
        traces: async (count) => ({
          params: { experiment_id: await storedExperiment(uuids(count)) },
          body: { metrics: ["measured"] },
        }),
      },
    },
    evaluateGate: {
      largest: 20,
      shapes: {
        "rules, all equal": (count) => ({
          body: { candidate: {}, rules: listOf(count, () => ({ metric: "one", min_mean: 0.5 })) },
        }),
        "rules, each about another metric": (count) => ({
          body: { candidate: {}, rules: listOf(count, (index) => ({ metric: `m${index}`, min_mean: 0.5 })) },
        }),
        "tags, each another": (count) => ({
          body: { candidate: { tags: listOf(count, oddText) }, rules: [{ metric: "one", min_mean: 0.5 }] },
        }),
        "items of two experiments": async (count) => {
          const { candidate, baseline } = await storedPair(manyItems * count);
          return { body: { candidate, baseline, rules: [{ metric: "one", max_drop: 0 }] } };
        },
      },
    },
    compareExperiments: {
      largest: 450,
      shapes: {
        "items of both": async (count) => {
          const { candidate, baseline } = await storedPair(manyItems * count);
          return { params: { experiment_id: candidate }, query: { baseline } };
        },
      },
    },
    approveExperiment: {
      largest: 450,
      shapes: {
        "items of both": async (count) => {
          const { dataset, candidate, baseline } = await storedPair(manyItems * count);
          const approved = { params: { dataset_id: dataset }, body: { experiment_id: baseline } };
          await answer(approveExperiment, approved);
          return { ...approved, body: { experiment_id: candidate } };
        },
      },
    },
    getExperiment: {
      largest: 450,
      shapes: {
        traces: async (count) => ({ params: { experiment_id: await storedExperiment(uuids(manyItems * count)) } }),
      },
    },
    listExperimentItems: {
      largest: 450,
      shapes: {
        traces: async (count) => ({ params: { experiment_id: await storedExperiment(uuids(manyItems * count)) } }),
        "traces of one item": async (count) => {
          const items = Array<string>(manyItems * count).fill(randomUUID());
          return { params: { experiment_id: await storedExperiment(items) } };
        },
      },
    },
    listDatasetItems: {
      largest: 500,
      shapes: {
        items: async (count) => ({
          params: { dataset_id: await storedDataset(uuids(manyItems * count)) },
          query: { limit: "500" },
        }),
      },
    },
    deleteDataset: {
      largest: 500,
      shapes: { items: async (count) => ({ params: { dataset_id: await storedDataset(uuids(manyItems * count)) } }) },
    },
    createLabelSet: {
      count: 20,
      largest: 2_000,
      shapes: {
        traces: async (count) => ({ body: { ...labelSet, size: count, trace_ids: await storedTraces(count) } }),
        metrics: async (count) => ({
          body: {
            ...labelSet,
            metrics: listOf(Math.min(10, count / 10), (index) => ({
              name: oddText(index),
              scale: { data_type: "BOOLEAN" },
            })),
            trace_ids: await storedTraces(20),
          },
        }),
      },
    },
    uploadLabels: {
      count: 20,
      largest: 2_000,
      shapes: {
        "a trace each": async (count) => {
          const { set_id, traces } = await storedLabelSet(count);
          return { params: { set_id }, body: { items: labelsOf(traces) } };
        },
        "lines of NDJSON": async (count) => {
          const { set_id, traces } = await storedLabelSet(count);
          const text = labelsOf(traces)
            .map((each) => JSON.stringify(each))
            .join("\n");
          return { params: { set_id }, text, type: "application/x-ndjson" };
        },
      },
    },
    listLabelItems: {
      count: 20,
      largest: 500,
      shapes: {
        labels: async (count) => ({ params: await labelledSet(count), query: { limit: "500" } }),
      },
    },
    computeTrust: {
      count: 20,
      largest: 500,
      shapes: { labels: async (count) => ({ params: await labelledSet(count), body: { metric: "helpful" } }) },
    },
    closeLabelSet: {
      count: 20,
      largest: 500,
      shapes: { labels: async (count) => ({ params: await labelledSet(count) }) },
    },
    deleteLabelSet: {
      count: 20,
      largest: 500,
      shapes: { labels: async (count) => ({ params: await labelledSet(count) }) },
    },
    createSessionBatchRun: {
      largest: 1_000,
      shapes: {
        "all equal": (count) => ({
          body: { session_ids: Array<string>(count).fill(largeSession), metrics: ["agent_reliability"], name: "x" },
        }),
        "none stored": (count) => ({
          body: { session_ids: listOf(count, oddText), metrics: ["agent_reliability"], name: "x" },
        }),
      },
    },
    createOwnMetric: {
      count: 2,
      largest: 10,
      shapes: { statements: (count) => ({ body: { ...definition(count), name: `m_${hexId(8)}` } }) },
    },
    updateOwnMetric: fewMetric,
    importOwnMetric: {
      shapes: {
        choices: (count) => ({
          body: { metric: { name: `m_${hexId(8)}`, prompt: "x", choices: Array<string>(count * 100).fill("n/a") } },
        }),
        "lines of a prompt": (count) => ({
          body: { metric: { name: `m_${hexId(8)}`, prompt: "Is it so?\n".repeat(count * 20) } },
        }),
      },
    },
    previewOwnMetric: {
      count: 1,
      largest: 5,
      shapes: {
        ...aboutEach(previewedTraces),
        spans: (count) => ({
          body: {
            metric_name: "measured",
            trace: traceOf({ spans: listOf(10 * count, () => spanOf()) }),
            dry_run: true,
          },
        }),
      },
      readOnce: aboutOne(previewedTraces),
    },
    createDatasetItems: {
      largest: 10_000,
      shapes: {
        "no ids": (count) => itemsOf(listOf(count, (input) => ({ input }))),
        "odd ids": (count) => itemsOf(listOf(count, (index) => ({ id: oddText(index), input: index }))),
        "all known": async (count) => {
          const change = () => itemsOf(listOf(count, (index) => ({ id: `known ${index}`, input: randomUUID() })));
          await answer(createDatasetItems, change());
          return change();
        },
        "a trace each": async (count) => itemsOf(sourcesOf(await storedTraces(Math.min(count, 1_000)))),
        "large documents": (count) => itemsOf(sourcesOf(severalLarge.slice(0, count))),
        "lines of NDJSON": (count) =>
          linesOf(
            "application/x-ndjson",
            listOf(count, (index) => JSON.stringify({ input: oddText(index) })),
          ),
        "lines of CSV": (count) =>
          linesOf("text/csv", ["input,metadata.x", ...listOf(count, (index) => `"a ""b"" ${index}",[{}]`)]),
        "tests of promptfoo": (count) => ({
          params: { dataset_id },
          body: { promptfoo: { tests: listOf(count, (index) => ({ vars: { q: oddText(index) } })) } },
        }),
        "combinations of promptfoo": (count) => ({
          params: { dataset_id },
          body: { promptfoo: { tests: [{ vars: { q: listOf(count, oddText) } }] } },
        }),
      },
      readOnce: {
        "one large document": (count) => itemsOf(sourcesOf(Array<string>(Math.min(count, 50)).fill(large))),
      },
      // Its entry.
      ownReads: 1,
    },
    createMonitor: {
      shapes: metricLists((metrics) => ({ body: { name: "m", target_type: "TRACE", cadence: "daily", metrics } })),
    },
    updateMonitor: {
      shapes: metricLists((metrics) => ({ params: { monitor_id: String(monitor_id) }, body: { metrics } })),
    },
    createProject: {
      count: 2,
      largest: 10,
      shapes: {
        keys: (count) => ({
          params: { org_id: organizationId },
          body: { name: randomUUID(), metadata_keys: metadataKeys(count) },
        }),
      },
    },
    updateProject: {
      count: 2,
      largest: 10,
      shapes: {
        keys: (count) => ({
          params: { org_id: organizationId, project_id: projectId },
          body: { metadata_keys: metadataKeys(count) },
        }),
      },
    },
    previewMasking: {
      shapes: {
        spans: (count) => ({
          params: { project_id: projectId },
          body: {
            trace: traceOf({ spans: listOf(count, () => spanOf({ input: { card: "x", text: "ann@example.com" } })) }),
            masking: { keys: ["card"], presets: ["email"] },
          },
        }),
        keys: (count) => ({
          params: { project_id: projectId },
          body: { trace: traceOf(), masking: { keys: metadataKeys(count) } },
        }),
      },
    },
  } satisfies Readonly<Record<string, Load>>;
};

/** Returns an export of a metric whose parts are nested to a depth. */
const nestedExport = (depth: number): object =>
  depth === 0 ? { x: 1 } : Object.fromEntries(wrappers.map((key) => [key, nestedExport(depth - 1)]));

/** Bodies as large as one may be, with the kilobytes that a function may allocate for them: most are collected on the way. */
export const largestBodies = {
  /** Numbers of the shortest notation that is kept digit for digit. */
  numbers: { text: `{"metric":[${"1.0,".repeat(1_000_000)}1]}`, maxKilobytes: 420_000 },
  /** Parts of another tool's metric, with texts that are searched. */
  parts: {
    text: JSON.stringify({ metric: { name: "x", prompt: "{{x}} ".repeat(400_000), ...nestedExport(6) } }),
    maxKilobytes: 120_000,
  },
};
