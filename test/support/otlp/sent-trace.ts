import { parse } from "valibot";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import type { Span, Trace } from "../../../lib/domain/traces/trace.ts";
import { jsonSpan } from "./otlp.ts";
import { traceIn } from "./otlp-fixtures.ts";
import { attributesOf, type Attributes, type event } from "./otlp-span.ts";

/** A span as sent by an agent framework. */
export interface FrameworkSpan {
  readonly name: string;
  readonly attributes: Attributes;
  /** Index of the parent span; absent for a root. */
  readonly in?: number;
  readonly events?: readonly ReturnType<typeof event>[];
  readonly status?: "OK" | "ERROR";
  readonly scope?: string;
}

const codes = { OK: 1, ERROR: 2 } as const;
const id = (index: number): string => String(index + 1).padStart(16, "0");

/** The stored trace of these spans; each starts a second after the previous one and ends before its parent. */
export const sentTrace = (spans: readonly FrameworkSpan[], resource: Attributes = {}): Trace => {
  const scopeSpans = spans.map(({ name, attributes, in: parent, events = [], status, scope = "" }, index) => ({
    scope: { name: scope },
    spans: [
      jsonSpan("5b8efff798038103d269b633813fc60c", id(index), {
        name,
        ...(parent === undefined ? {} : { parentSpanId: id(parent) }),
        startTimeUnixNano: String(1_795_251_600_000_000_000n + BigInt(index) * 1_000_000_000n),
        endTimeUnixNano: String(1_795_251_690_000_000_000n - BigInt(index) * 1_000_000_000n),
        attributes: attributesOf(attributes),
        events,
        ...(status === undefined ? {} : { status: { code: codes[status] } }),
      }),
    ],
  }));
  const request = { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] };
  return traceIn(parse(exportTraces.body, request));
};

/** The only span of a kind in a trace. @throws Error when there is not exactly one. */
export const spanOfKind = (trace: Trace, kind: Span["kind"]): Span => {
  const [span, ...otherSpans] = trace.spans.filter((each) => each.kind === kind);
  if (span === undefined || otherSpans.length > 0) throw new Error(`One span of kind ${kind} was expected.`);
  return span;
};

/** Names of the metadata fields of a span that a judge is shown. */
export const shownKeys = ({ metadata }: Span): readonly string[] =>
  Object.keys(metadata).filter((key) => !key.startsWith("otel."));
