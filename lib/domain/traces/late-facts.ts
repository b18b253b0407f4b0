import { hash } from "node:crypto";
import { derivationOf, type Derivation } from "./derivation.ts";
import { isOfTelemetry } from "./telemetry.ts";
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
  /** The keys of metadata that were declared when the document was read last, as a hash: of others the row says nothing. */
  readonly keys: number;
  /** Null where spans of OpenTelemetry cannot be added without the document. */
  readonly derivation: Derivation | null;
}

/** Bytes that the other fields that follow from spans may have. */
const labelBytes = 10_000;

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Keys of metadata as 4 bytes; 0 for none. */
export const keysHash = (keys: readonly string[]): number =>
  keys.length === 0 ? 0 : hash("sha256", JSON.stringify(keys.toSorted()), "buffer").readUInt32BE();

/** @param keys of metadata that the project has declared. */
export const lateFactsOf = (trace: Trace, keys: number): LateFacts => {
  const bytes = bytesOf({ ...trace, tags: [] });
  const derivation = isOfTelemetry(trace) ? derivationOf(trace) : null;
  const edges = derivation === null ? 0 : bytesOf([trace.input, trace.output]);
  return {
    bytes: derivation === null ? bytes : bytes - edges + labelBytes,
    edges,
    exact: isExact(trace.spans, contributionsOf(trace.spans)),
    keys,
    derivation,
  };
};
