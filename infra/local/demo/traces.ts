import { randomUUID } from "node:crypto";
import type { SpanInput, TraceInput } from "../../../lib/client/interface.ts";
import type { Json } from "../../../lib/domain/json.ts";

interface Step {
  readonly tool: string;
  readonly input: Json;
  readonly output: Json;
  readonly error?: string;
}

interface Scenario {
  readonly agent: string;
  readonly question: string;
  readonly steps: readonly Step[];
  readonly answer: string | null;
}

const scenarios: readonly Scenario[] = [
  {
    agent: "support-agent",
    question: "My order 1042 has not arrived. Where is it?",
    steps: [
      {
        tool: "lookup_order",
        input: { order_id: 1042 },
        output: { status: "shipped", carrier: "Nordpost", tracking: "NP-88213" },
      },
      {
        tool: "track_parcel",
        input: { tracking: "NP-88213" },
        output: { last_scan: "sorting centre, 06:40", expected: "tomorrow" },
      },
    ],
    answer:
      "Your order left our warehouse and was last scanned at the sorting centre at 06:40. It should arrive tomorrow.",
  },
  {
    agent: "support-agent",
    question: "Please refund the blue kettle from order 977.",
    steps: [
      {
        tool: "lookup_order",
        input: { order_id: 977 },
        output: { status: "delivered", items: [{ sku: "KTL-BLUE", price: 39.9 }] },
      },
      {
        tool: "create_refund",
        input: { order_id: 977, sku: "KTL-BLUE", amount: 39.9 },
        output: { refund_id: "RF-310", state: "pending" },
      },
    ],
    answer: "I have refunded 39.90 for the blue kettle. The money reaches your account within three working days.",
  },
  {
    agent: "support-agent",
    question: "Cancel my subscription and tell me what I still owe.",
    steps: [
      {
        tool: "get_subscription",
        input: { customer: "c-5521" },
        output: null,
        error: "billing service: connection timed out after 5000 ms",
      },
      {
        tool: "get_subscription",
        input: { customer: "c-5521" },
        output: null,
        error: "billing service: connection timed out after 5000 ms",
      },
    ],
    answer: null,
  },
  {
    agent: "research-agent",
    question: "Which of our three vendors had the lowest failure rate last quarter?",
    steps: [
      {
        tool: "run_sql",
        input: { query: "select vendor, failed::float / total as rate from deliveries where quarter = '2026-Q3'" },
        output: [
          { vendor: "Alder", rate: 0.021 },
          { vendor: "Birch", rate: 0.013 },
          { vendor: "Cedar", rate: 0.034 },
        ],
      },
    ],
    answer: "Birch: 1.3 % of its deliveries failed, against 2.1 % for Alder and 3.4 % for Cedar.",
  },
  {
    agent: "research-agent",
    question: "Summarise the incident of Tuesday night for the weekly report.",
    steps: [
      { tool: "search_docs", input: { query: "incident Tuesday" }, output: { documents: [] } },
      { tool: "search_docs", input: { query: "incident Tuesday" }, output: { documents: [] } },
      { tool: "search_docs", input: { query: "incident Tuesday" }, output: { documents: [] } },
    ],
    answer: "I could not find any document about an incident on Tuesday.",
  },
  {
    agent: "travel-agent",
    question: "Book the earliest train from Graz to Vienna on Friday, second class.",
    steps: [
      {
        tool: "search_trains",
        input: { from: "Graz", to: "Vienna", date: "Friday" },
        output: [{ train: "RJ 552", departs: "05:26", arrives: "08:02", price: 24.9 }],
      },
      { tool: "book_train", input: { train: "RJ 552", class: 2 }, output: { booking: "B-7781", seat: "21A" } },
    ],
    answer:
      "Booked: RJ 552, Friday 05:26 from Graz, arriving in Vienna at 08:02, seat 21A, 24.90. Your booking is B-7781.",
  },
];

type SpanFields = Omit<SpanInput, "span_id" | "parent_span_id" | "started_at" | "ended_at">;

const span = (id: string, root: string | null, startedAt: number, seconds: number, fields: SpanFields): SpanInput => ({
  span_id: id,
  parent_span_id: root,
  started_at: new Date(startedAt).toISOString(),
  ended_at: new Date(startedAt + seconds * 1000).toISOString(),
  ...fields,
});

const traceOf = ({ agent, question, steps, answer }: Scenario, startedAt: number, tag: string): TraceInput => {
  const root = randomUUID();
  const tools = steps.map((step, index) =>
    span(randomUUID(), root, startedAt + 800 + index * 900, 0.6, {
      name: step.tool,
      kind: "TOOL",
      status: step.error === undefined ? "OK" : "ERROR",
      input: step.input,
      output: step.output,
      error: step.error ?? null,
    }),
  );
  const reply = span(randomUUID(), root, startedAt + 800 + steps.length * 900, 1.1, {
    name: "chat",
    kind: "LLM",
    status: answer === null ? "ERROR" : "OK",
    model: "gpt-5.4-mini",
    input: { messages: [{ role: "user", content: question }] },
    output: answer === null ? null : { role: "assistant", content: answer },
    token_usage: { prompt_tokens: 180 + 90 * steps.length, completion_tokens: answer === null ? 0 : 48 },
  });
  return {
    name: agent,
    status: answer === null ? "ERROR" : "COMPLETED",
    input: { messages: [{ role: "user", content: question }] },
    output: answer === null ? null : { messages: [{ role: "assistant", content: answer }] },
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(startedAt + 2000 + steps.length * 900).toISOString(),
    session_id: `demo-${agent}`,
    environment: "demo",
    tags: ["demo", tag],
    spans: [
      span(root, null, startedAt, 2 + steps.length * 0.9, { name: agent, kind: "AGENT", status: "OK" }),
      ...tools,
      reply,
    ],
  };
};

/**
 * Builds traces of three agents, one per minute until now. Some traces contain failures.
 *
 * @param now time of the last trace, epoch milliseconds
 * @param tag tag of every trace
 */
export const demoTraces = (now: number, tag: string) =>
  scenarios.map((scenario, index) => ({
    title: `${scenario.agent}: ${scenario.question}`,
    trace: traceOf(scenario, now - (scenarios.length - index) * 60_000, tag),
  }));
