import { randomUUID } from "node:crypto";
import type { SpanInput, TraceInput } from "../../lib/client/interface.ts";

const instantAt = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * Creates a span for one tool call of an agent, as a client sends it.
 *
 * @param startedAt start in epoch milliseconds
 */
export const sampleSpan = (startedAt: number) =>
  ({
    span_id: randomUUID(),
    name: "lookup_order",
    kind: "TOOL" as const,
    status: "OK" as const,
    started_at: instantAt(startedAt),
    ended_at: instantAt(startedAt + 400),
    input: { order: 1042 },
    output: { state: "shipped", arrives: "tomorrow" },
  }) satisfies SpanInput;

/**
 * Creates a small trace of an agent that completed its task.
 *
 * @param tag tag by which the trace is selected
 * @param startedAt start in epoch milliseconds; default one minute ago
 */
export const sampleTrace = (tag: string, startedAt: number = Date.now() - 60_000) =>
  ({
    trace_id: randomUUID(),
    name: "verify",
    status: "COMPLETED" as const,
    started_at: instantAt(startedAt),
    ended_at: instantAt(startedAt + 2_000),
    input: "Where is my order 1042?",
    output: "It left our warehouse and arrives tomorrow.",
    tags: [tag],
    spans: [sampleSpan(startedAt + 500)],
  }) satisfies TraceInput;

/** Creates several sample traces with the same tag. */
export const sampleTraces = (count: number, tag: string, startedAt?: number) =>
  Array.from({ length: count }, () => sampleTrace(tag, startedAt));

/** Creates a tag that no other check uses. @param about short name of the check */
export const newTag = (about: string): string => `verify-${about}-${randomUUID().slice(0, 8)}`;
