import { derivationOf, type Derivation } from "./derivation.ts";
import { contributionsOf, isExact } from "./totals.ts";
import type { Trace } from "./trace.ts";

/** What a row says of its trace's document, so that spans can be added to it without reading it. */
export interface LateFacts {
  /**
   * Bytes of JSON that the trace has at most, but for its tags, which lie in the row, and for what is counted in `edges`;
   * exact until something was added unread.
   */
  readonly bytes: number;
  /** Bytes that input and output have at most where they follow from spans; else 0. */
  readonly edges: number;
  /** Whether sums grow exactly by what is added: see `isExact`. */
  readonly exact: boolean;
  /** Null where spans of OpenTelemetry cannot be added without the document. */
  readonly derivation: Derivation | null;
}

/** Bytes that the other fields that follow from spans may have. */
const labelBytes = 10_000;

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Stands in the metadata of what OpenTelemetry has sent. */
const telemetryKey = "otel.trace_id";

export const lateFactsOf = (trace: Trace): LateFacts => {
  const bytes = bytesOf({ ...trace, tags: [] });
  const derivation = Object.hasOwn(trace.metadata, telemetryKey) ? derivationOf(trace) : null;
  const edges = derivation === null ? 0 : bytesOf([trace.input, trace.output]);
  return {
    bytes: derivation === null ? bytes : bytes - edges + labelBytes,
    edges,
    exact: isExact(trace.spans, contributionsOf(trace.spans)),
    derivation,
  };
};
