import { randomUUID } from "node:crypto";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";

/** A small trace with one agent span and one tool span, with some fields replaced. */
export const someTrace = (fields: Partial<IdentifiedTrace> = {}): IdentifiedTrace => ({
  trace_id: randomUUID(),
  name: "refund-agent",
  started_at: "2026-10-01T10:00:00+00:00",
  ended_at: "2026-10-01T10:00:02.500000+00:00",
  input: { question: "Where is my order 1042?" },
  output: { answer: "It left the warehouse this morning." },
  spans: [
    {
      span_id: randomUUID(),
      name: "lookup_order",
      kind: "TOOL",
      status: "OK",
      input: { order: 1042 },
      output: { state: "shipped" },
      started_at: "2026-10-01T10:00:00.500000+00:00",
      ended_at: "2026-10-01T10:00:01+00:00",
    },
  ],
  ...fields,
});
