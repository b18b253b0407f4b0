import { parse } from "valibot";
import { expect, test } from "vitest";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { isOutsideTrace } from "../../../lib/domain/traces/times.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";

const traceId = "5b8efff798038103d269b633813fc60c";
const idOf = (name: string): string => Buffer.from(name).toString("hex").padStart(16, "0");
const second = (at: number): number => 1_795_251_600 + at;
const instant = (at: number): string => `${new Date(second(at) * 1000).toISOString().slice(0, 19)}+00:00`;

/** A span by name: its time in seconds (an end of null is open), its parent, attributes and fields. */
interface Step {
  readonly at: readonly [start: number, end: number | null];
  readonly parent?: string;
  readonly isRemote?: true;
  readonly hasFailed?: true;
  /** True for a span without a status. */
  readonly isUnset?: true;
  readonly [attribute: `${string}.${string}`]: string | boolean;
}

const traceOf = (steps: Readonly<Record<string, Step>>) => {
  const spans = Object.entries(steps).map(
    ([
      name,
      {
        at: [start, end],
        parent,
        isRemote,
        hasFailed,
        isUnset,
        ...attributes
      },
    ]) =>
      jsonSpan(
        traceId,
        idOf(name),
        {
          name,
          ...(parent !== undefined && { parentSpanId: idOf(parent) }),
          flags: isRemote ? 0x300 : 0x100,
          startTimeUnixNano: `${second(start)}000000000`,
          endTimeUnixNano: end === null ? "0" : `${second(end)}000000000`,
          status: { code: isUnset ? 0 : hasFailed ? 2 : 1 },
        },
        { "openinference.span.kind": "CHAIN", ...attributes },
      ),
  );
  const [sent] = tracesOf(exportedSpans(parse(exportTraces.body, jsonExport(spans))).spans).traces;
  if (sent === undefined) throw new Error("There is a span in it.");
  return mergeTrace(null, sent.trace);
};

const talk = (input: string, output: string) => ({ "input.value": input, "output.value": output });

/** A run without a status and an output, of whose steps the last one has failed. */
const failedRun = {
  run: { at: [0, 9], isUnset: true },
  agent: { at: [1, 7], parent: "run", isUnset: true },
  plan: { at: [1, 2], parent: "agent", ...talk("Rain?", "call the tool") },
  tool: { at: [2, 3], parent: "agent", hasFailed: true },
  model: { at: [4, 6], parent: "agent", hasFailed: true },
} as const satisfies Readonly<Record<string, Step>>;

test.each<readonly [title: string, steps: Readonly<Record<string, Step>>, expected: object]>([
  [
    "values that a client sets for the trace win over those of the root, which keeps its own",
    {
      handler: {
        at: [0, 4],
        "langfuse.observation.input": '{"http":"POST /ask"}',
        "langfuse.observation.output": '{"status":200}',
        "langfuse.trace.input": "When do you open?",
        "langfuse.trace.output": "At nine.",
        "langfuse.trace.name": "conversation",
      },
    },
    {
      name: "conversation",
      input: "When do you open?",
      output: "At nine.",
      spans: [{ input: { http: "POST /ask" }, output: { status: 200 } }],
    },
  ],
  [
    "values that a client sets for the trace may be on a child, and the last one sent wins",
    {
      root: { at: [0, 9], ...talk("root in", "root out") },
      first: { at: [1, 2], parent: "root", "langfuse.trace.output": "first", "langfuse.trace.name": "first" },
      later: { at: [1, 3], parent: "root", "langfuse.trace.output": "later", "mastra.metadata.traceName": "later" },
    },
    { name: "later", input: "root in", output: "later", ended_at: instant(9), spans: [{}, { output: null }, {}] },
  ],
  [
    "a child with another clock does not move the times of its trace",
    {
      root: { at: [0, 4], ...talk("q", "a") },
      tool: { at: [-25_200, -25_199], parent: "root" },
      late: { at: [25_200, 25_201], parent: "root", hasFailed: true },
    },
    { name: "root", started_at: instant(0), ended_at: instant(4), status: "COMPLETED" },
  ],
  [
    "turns without a common parent are one trace, from the first start to the last end",
    { turn1: { at: [0, 2], ...talk("Hi", "Hello") }, turn2: { at: [10, 12], ...talk("Bye", "See you") } },
    { name: "turn1", input: "Hi", output: "See you", started_at: instant(0), ended_at: instant(12) },
  ],
  [
    "a turn that ends later than its successor provides the end and the output",
    { turn1: { at: [0, 20], ...talk("Hi", "Hello") }, turn2: { at: [10, 12], ...talk("Bye", "See you") } },
    { output: "Hello", ended_at: instant(20), status: "COMPLETED" },
  ],
  [
    "a trace runs until its last turn has ended, and its output is not known before",
    { turn1: { at: [0, 2], ...talk("Hi", "Hello") }, turn2: { at: [10, null], ...talk("Bye", "See") } },
    { input: "Hi", output: null, ended_at: null, status: "RUNNING" },
  ],
  [
    "a trace has failed if one of its turns has",
    { turn1: { at: [0, 2], hasFailed: true, ...talk("Hi", "") }, turn2: { at: [10, 12], ...talk("Bye", "See you") } },
    { output: "See you", ended_at: instant(12), status: "ERROR" },
  ],
  [
    "a span that another process called is a top span unless its caller is stored",
    {
      turn: { at: [0, 2], ...talk("Hi", "Hello") },
      called: { at: [5, 7], parent: "browser", isRemote: true, ...talk("Bye", "See you") },
      within: { at: [6, 30], parent: "called", isRemote: true, hasFailed: true, ...talk("x", "y") },
    },
    { output: "See you", ended_at: instant(7), status: "COMPLETED" },
  ],
  [
    "a span that Langfuse's SDK marks as the root is a top span",
    {
      handler: { at: [0, 4], parent: "filtered", "langfuse.internal.is_app_root": true, ...talk("q", "a") },
      step: { at: [1, 3], parent: "handler", "langfuse.internal.as_root": true, ...talk("x", "y") },
    },
    { name: "handler", input: "q", output: "a", status: "COMPLETED", ended_at: instant(4) },
  ],
  [
    "a trace whose root never comes runs, and has input and output of the spans whose parent is missing",
    {
      a: { at: [0, 2], parent: "answer", ...talk("inner in", "inner out") },
      answer: { at: [0, 4], parent: "root", ...talk("Where is parcel 7?", "In Bremen.") },
      b: { at: [1, 9], parent: "answer", ...talk("inner in", "inner out") },
    },
    { name: "answer", input: "Where is parcel 7?", output: "In Bremen.", status: "RUNNING", ended_at: null },
  ],
  [
    "a run that does not tell how it ended has failed if its last step has, and its output is none of an earlier one",
    { ...failedRun, agent: { at: [1, 8], parent: "run", isUnset: true } },
    { output: null, status: "ERROR", ended_at: instant(9) },
  ],
  [
    "a run has not failed by a step after which another one came",
    { ...failedRun, again: { at: [8, 9], parent: "run", ...talk("again", "dry") } },
    { output: "dry", status: "COMPLETED" },
  ],
  [
    "a run has not failed by its last step if it has a status of its own",
    { ...failedRun, run: { at: [0, 9] } },
    { output: "call the tool", status: "COMPLETED" },
  ],
  [
    "a run has not failed by its last step if it has an output",
    { ...failedRun, run: { at: [0, 9], isUnset: true, ...talk("Rain?", "No.") } },
    { output: "No.", status: "COMPLETED" },
  ],
  [
    "a run has not failed by its last step if a client has set an output for the trace",
    { ...failedRun, tool: { at: [2, 3], parent: "agent", "langfuse.trace.output": "Nobody knows." } },
    { output: "Nobody knows.", status: "COMPLETED" },
  ],
  [
    "a request to a web server has not failed by a step that the server may have handled",
    { ...failedRun, run: { at: [0, 9], isUnset: true, "openinference.span.kind": "HTTP" } },
    { status: "COMPLETED" },
  ],
  [
    "a run has not failed by a request of its transport after its last step",
    {
      ...failedRun,
      model: { at: [4, 6], parent: "agent", ...talk("sunny", "dry") },
      report: { at: [7, 8], parent: "run", hasFailed: true, "openinference.span.kind": "HTTP" },
    },
    { output: "dry", status: "COMPLETED" },
  ],
  [
    "an input without a character is none",
    {
      root: { at: [0, 4], "langfuse.observation.input": '""' },
      model: { at: [1, 3], parent: "root", ...talk("When?", "a") },
    },
    { input: "When?" },
  ],
  [
    "spans that are each other's parents are a running trace",
    { a: { at: [0, 2], parent: "b", ...talk("in", "out") }, b: { at: [1, 4], parent: "a" } },
    { name: "a", input: "in", output: "out", status: "RUNNING" },
  ],
])("%s", (_title, steps, expected) => {
  expect(traceOf(steps)).toMatchObject(expected);
});

test("a span that starts or ends more than 60 seconds outside its trace is told", () => {
  const trace = traceOf({
    root: { at: [0, 100] },
    early: { at: [-61, 1], parent: "root" },
    almost: { at: [-60, 160], parent: "root" },
    behind: { at: [-25_200, -25_199], parent: "root" },
    late: { at: [99, 161], parent: "root" },
    open: { at: [170, null], parent: "root" },
  });
  const isTold = (of: typeof trace) => of.spans.filter((span) => isOutsideTrace(of, span)).map(({ name }) => name);

  expect(isTold(trace)).toEqual(["open", "early", "behind", "late"]);
  expect(isTold({ ...trace, ended_at: null })).toEqual(["early", "behind"]);
  expect(isTold({ ...trace, metadata: {} })).toEqual([]);
});
