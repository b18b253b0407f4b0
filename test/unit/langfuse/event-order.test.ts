import { expect, test } from "vitest";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { applyPiece } from "../../../lib/domain/traces/piece.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { spanOfObservation, spanOfTrace } from "../../../lib/langfuse/event-span.ts";
import { sentEvent } from "../../../lib/langfuse/sent-events.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";
import { type Random, seeded } from "../../support/random.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly body: Fields;
}

const traceId = "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";
const instant = (random: Random): string => `2026-11-21T09:00:${String(random.below(60)).padStart(2, "0")}.000Z`;

/** Values of each field of a trace. */
const traceFields: Readonly<Record<string, (random: Random) => unknown>> = {
  timestamp: instant,
  name: () => "agent",
  userId: () => "u-1",
  sessionId: () => 7,
  release: () => "r",
  version: () => "v",
  environment: () => "prod",
  public: () => true,
  input: () => ({ question: "Where?" }),
  output: () => "Here.",
};

/** An input and an output with more than messages: parameters, and what is kept as it was sent. */
const withTools = { messages: [{ role: "user", content: "Hi" }], tools: [{ name: "search" }] };
const withField = { role: "assistant", content: "part", x: 1 };

/** Values of each field of an observation. */
const observationFields: Readonly<Record<string, (random: Random) => unknown>> = {
  name: (random) => random.pick(["a", "b"]),
  startTime: instant,
  endTime: instant,
  completionStartTime: instant,
  input: (random) => random.pick<unknown>(["question", [{ role: "user", content: "Hi" }], { a: 1 }, "[1]", withTools]),
  output: (random) => random.pick<unknown>(["answer", { role: "assistant", content: "Hello" }, withField]),
  model: (random) => random.pick(["gpt-4o", "claude"]),
  modelParameters: (random) => ({ temperature: random.below(3) }),
  usage: (random) => ({ input: random.below(9), output: 2, totalCost: 0.5, unit: "TOKENS" }),
  usageDetails: (random) => ({ input: random.below(9), output: 3, cache_read_input_tokens: 1 }),
  costDetails: (random) => ({ input: random.below(9), output: 0.2 }),
  level: (random) => random.pick(["DEFAULT", "WARNING", "ERROR"]),
  statusMessage: (random) => random.pick(["failed", "slow"]),
  promptName: () => "greeting",
  promptVersion: (random) => random.below(9),
  version: (random) => random.pick(["1", "2"]),
  environment: () => "prod",
};

/** Divides fields among one to three bodies; each body has metadata of its own. */
const bodiesOf = (random: Random, fields: Fields, metadata: string): readonly Fields[] => {
  const bodies = Array.from({ length: random.between(1, 3) }, () => new Map<string, unknown>());
  for (const [name, value] of Object.entries(fields)) bodies[random.below(bodies.length)]?.set(name, value);
  for (const [at, body] of bodies.entries())
    body.set("metadata", { [`${metadata}${at}`]: at, ...(at === 0 && { shared: metadata }) });
  return bodies.map((body) => Object.fromEntries(body));
};

const someOf = (random: Random, fields: Readonly<Record<string, (random: Random) => unknown>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (random.chance(0.6) ? [[name, value(random)]] : [])),
  );

/** Events of a trace and of its observations, in which each field is set at most once by creates and once by updates. */
const eventsOf = (random: Random): readonly Event[] => {
  let count = 0;
  const event = (type: string, body: Fields): Event => ({
    id: `e${(count += 1)}`,
    type,
    timestamp: instant(random),
    body,
  });
  const ofTrace = bodiesOf(random, someOf(random, traceFields), "trace").map(({ metadata, ...body }) =>
    event("trace-create", { id: traceId, tags: [`t${count}`], ...body, metadata: { [`m${count}`]: metadata } }),
  );
  const ofObservations = Array.from({ length: random.between(1, 3) }, (_, at) => {
    const [type, id] = [random.pick(["span", "generation", "event", "observation"]), `step ${at}`];
    const created = bodiesOf(random, someOf(random, observationFields), "create");
    const updated = random.chance(0.7) ? bodiesOf(random, someOf(random, observationFields), "update") : [];
    const word = type === "observation" ? { type: "GENERATION" } : {};
    const parent = at > 0 && random.chance(0.5) ? { parentObservationId: `step ${at - 1}` } : {};
    return [
      ...created.map((body) => event(`${type}-create`, { id, traceId, ...word, ...parent, ...body })),
      ...updated.map((body) => event(`${type}-update`, { id, traceId, ...word, ...body })),
    ].slice(random.chance(0.1) ? 1 : 0);
  });
  return [...ofTrace, ...ofObservations.flat()];
};

/** Stores requests one after the other, as storage does. */
const storedAfter = (requests: readonly (readonly Event[])[]): Trace => {
  let stored: Trace | null = null;
  for (const request of requests) {
    const events = request
      .map((each) => sentEvent(each, () => undefined))
      .toSorted((a, b) => ("at" in a && "at" in b && a.at < b.at ? -1 : 1));
    const spans = events.map((event) => {
      if (event.kind === "trace") return spanOfTrace(event, traceId);
      if (event.kind === "observation") return spanOfObservation(event, traceId, traceId);
      throw new Error("Each event is one of a trace or an observation.");
    });
    const { traces, flaws } = tracesOf(spans);
    expect(flaws).toEqual([]);
    for (const { trace } of traces)
      stored = stored === null ? mergeTrace(null, trace) : applyPiece(stored, { kind: "telemetry", trace });
  }
  if (stored === null) throw new Error("Each trace has an event.");
  return { ...stored, spans: stored.spans.toSorted((a, b) => (a.span_id < b.span_id ? -1 : 1)) };
};

const shuffled = <Item>(random: Random, items: readonly Item[]): readonly Item[] =>
  items
    .map((item) => [random.next(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);

/** Repeats some events, shuffles all, and splits them at any places. */
const delivered = (random: Random, events: readonly Event[]): readonly (readonly Event[])[] => {
  const repeated = events.filter(() => random.chance(0.3));
  const requests: Event[][] = [[]];
  for (const event of shuffled(random, [...events, ...repeated])) {
    if (random.chance(0.3)) requests.push([]);
    requests.at(-1)?.push(event);
  }
  return requests.filter((request) => request.length > 0);
};

test("events of a trace give one result in any order, split at any place and repeated, 500 times", () => {
  for (let seed = 0; seed < 500; seed += 1) {
    const random = seeded(seed);
    const events = eventsOf(random);

    const expected = storedAfter([events]);

    expect(storedAfter(delivered(random, events)), `seed ${seed}`).toEqual(expected);
  }
});

const observation = (type: string, at: number, body: Fields): Event => ({
  id: `e${at}`,
  type,
  timestamp: `2026-11-21T09:00:0${at}Z`,
  body: { id: "step", traceId, ...body },
});

test.each<readonly [title: string, requests: readonly (readonly Event[])[], span: object]>([
  [
    "a field that an update sets wins over one of a later create",
    [
      [observation("span-update", 1, { output: "updated", metadata: { a: 2, b: 2 } })],
      [observation("span-create", 2, { name: "n", output: "created", metadata: { a: 1, c: 1 } })],
    ],
    { name: "n", output: "updated", metadata: { a: 2, b: 2, c: 1 } },
  ],
  [
    "of two updates in a request the one with the later timestamp wins",
    [[observation("span-update", 2, { output: "second" }), observation("span-update", 1, { output: "first" })]],
    { output: "second" },
  ],
  [
    "of two updates in two requests the later request wins",
    [[observation("span-update", 2, { output: "second" })], [observation("span-update", 1, { output: "first" })]],
    { output: "first" },
  ],
  [
    "a create without a parent leaves the one that another create tells",
    [
      [observation("span-create", 1, { parentObservationId: traceId })],
      [observation("span-create", 2, { output: "x" })],
      [observation("span-update", 3, { output: "y" })],
    ],
    { parent_span_id: traceId, output: "y" },
  ],
  [
    "a failure has the message that another event tells",
    [[observation("span-create", 1, { level: "ERROR" })], [observation("span-update", 2, { statusMessage: "boom" })]],
    { status: "ERROR", error: "boom" },
  ],
  [
    "an update that takes a failure back leaves no error",
    [
      [observation("span-create", 1, { level: "ERROR", statusMessage: "boom" })],
      [observation("span-update", 2, { level: "DEFAULT" })],
    ],
    { status: "UNSET", error: null },
  ],
  [
    "details of usage and cost win over the plain ones",
    [
      [observation("generation-create", 1, { usageDetails: { input: 3, output: 4 }, costDetails: { total: 2 } })],
      [observation("generation-create", 2, { usage: { input: 1, output: 1, totalCost: 1 } })],
    ],
    { token_usage: { prompt_tokens: 3, completion_tokens: 4 }, cost: { total: 2 } },
  ],
  [
    "an update as a span keeps the type that a create tells",
    [[observation("observation-create", 1, { type: "AGENT" })], [observation("span-update", 2, { output: "done" })]],
    { kind: "AGENT", output: "done" },
  ],
  [
    "a create's type counts after an update as a span",
    [[observation("span-update", 2, { output: "done" })], [observation("generation-create", 1, {})]],
    { kind: "LLM", output: "done" },
  ],
])("%s", (_title, requests, span) => {
  expect(storedAfter(requests).spans).toMatchObject([span]);
});

test("a replaced input and output leave nothing of the ones before, whichever arrives first", () => {
  const created = observation("generation-create", 1, { input: withTools, output: withField });
  const updated = observation("generation-update", 2, { input: "new", output: "final" });

  for (const requests of [
    [[created], [updated]],
    [[updated], [created]],
  ]) {
    const { spans } = storedAfter(requests);

    expect(spans).toMatchObject([{ input: "new", output: "final", model_parameters: null }]);
    expect(JSON.stringify(spans)).not.toMatch(/part|search/u);
  }
});

test("an empty text is an output of a trace", () => {
  const event = (at: number, body: Fields) => ({
    id: `e${at}`,
    type: "trace-create",
    timestamp: `2026-11-21T09:00:0${at}Z`,
    body: { id: traceId, ...body },
  });

  expect(storedAfter([[event(1, { output: "first" })], [event(2, { output: "" })]]).output).toBe("");
});

test("an update alone is no top span, and its trace runs", () => {
  const trace = storedAfter([[observation("span-update", 1, { endTime: "2026-11-21T09:00:02Z" })]]);

  expect(trace).toMatchObject({ status: "RUNNING", ended_at: null, spans: [{ parent_span_id: expect.any(String) }] });
});
