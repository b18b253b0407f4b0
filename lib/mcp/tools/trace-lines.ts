import type { Span, Trace, TraceListItem } from "../../client/interface.ts";
import { clipped } from "../text-pages.ts";

const jsonText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Characters that end a line, steer a terminal, or change the order in which text is shown. */
const steering = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a stored text as lines below `indent`, each after the first marked: it cannot pose as another span or field. */
const quoted = (text: string, indent: string): string =>
  text
    .split(/\r\n|\n/u)
    .map((line) => line.replaceAll(steering, (sign) => (sign === "\t" ? sign : JSON.stringify(sign).slice(1, -1))))
    .join(`\n${indent}    | `);

/** Returns `name=value` of the values that are there; texts are quoted, so that one of several lines stays in its line. */
const fields = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== 0)
    .map(([name, value]) => `${name}=${typeof value === "string" ? JSON.stringify(value) : jsonText(value)}`)
    .join(" ");

/** Returns a line about a trace of a list. */
export const traceLine = (trace: TraceListItem): string => {
  const { trace_id: id, status, started_at: start, name, latency_ms, span_count, total_cost, session_id } = trace;
  const scores = trace.scores?.map((score) => `${score.name}=${score.applicable === false ? "n/a" : score.value}`);
  const { first_error, input_preview: input, has_failed_span } = trace;
  const rest = fields({
    latency_ms,
    span_count,
    cost_usd: total_cost,
    session_id,
    has_failed_span,
    first_error,
    input,
  });
  return clipped(`- ${id} ${status} ${start} ${JSON.stringify(name)} ${rest} ${scores?.join(" ") ?? ""}`.trim(), 900);
};

/** Returns the lines about a trace before its spans. @param length most characters of its input and output; null to leave them out. */
export const traceHead = (trace: Trace, length: number | null): readonly string[] => {
  const { trace_id: id, status, name, started_at: start, ended_at, session_id, user_id, environment, release } = trace;
  const { total_cost, total_tokens, experiment, tags, spans, metadata } = trace;
  const about = fields({ ended_at, session_id, user_id, environment, release, experiment, total_tokens, total_cost });
  const metadataText = fields({ tags: tags.length === 0 ? null : tags, ...(length !== null && { metadata }) });
  const head = `trace ${id} ${status} ${JSON.stringify(name)} started ${start} ${about} ${metadataText}, ${spans.length} spans`;
  if (length === null) return [clipped(head, 4_000)];
  const contents = (["input", "output"] as const).map(
    (part) => `  ${part}: ${quoted(clipped(jsonText(trace[part]) ?? "null", length), "  ")}`,
  );
  return [clipped(head, 4_000), ...contents];
};

/** Returns the lines about a span. @param length most characters of each of its texts; null to leave its content out. */
export const spanLines = (span: Span, depth: number, length: number | null): readonly string[] => {
  const indent = "  ".repeat(Math.min(depth, 20));
  const { span_id: id, kind, status, name, latency_ms, model, error } = span;
  const head = `${indent}- ${id} ${kind} ${JSON.stringify(clipped(name, 200))} ${status} ${fields({ latency_ms, model })}`;
  const errorLine = error === null ? [] : [`${indent}  error: ${quoted(clipped(error, length ?? 400), indent)}`];
  if (length === null) return [head, ...errorLine];
  const contents = (["input", "output"] as const)
    .filter((part) => span[part] !== null)
    .map((part) => `${indent}  ${part}: ${quoted(clipped(jsonText(span[part]), length), indent)}`);
  return [head, ...errorLine, ...contents];
};

/** Returns the spans of a trace below their parents, in order of their start, with their depth. */
export const spanTree = (spans: readonly Span[]): readonly (readonly [span: Span, depth: number])[] => {
  const ids = new Set(spans.map(({ span_id: id }) => id));
  const parentOf = ({ parent_span_id: parent }: Span): string => (parent !== null && ids.has(parent) ? parent : "");
  const children = Map.groupBy(spans, parentOf);
  const tree: (readonly [Span, number])[] = [];
  const stack: (readonly [Span, number])[] = (children.get("") ?? []).toReversed().map((span) => [span, 0]);
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const [span, depth] = entry;
    tree.push(entry);
    for (const child of (children.get(span.span_id) ?? []).toReversed()) stack.push([child, depth + 1]);
  }
  // Parents that are each other's ancestors are reached from nowhere.
  const reached = new Set(tree.map(([span]) => span));
  return [...tree, ...spans.filter((span) => !reached.has(span)).map((span) => [span, 0] as const)];
};
