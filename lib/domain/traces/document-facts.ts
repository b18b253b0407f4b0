import { hash } from "node:crypto";
import { sizeOfJson } from "../json-size.ts";
import { derivationOf, type Derivation } from "./derivation/derivation.ts";
import { isTelemetryTrace } from "./telemetry.ts";
import { contributionsOf, isExact } from "./totals.ts";
import type { Trace } from "./trace.ts";

/**
 * Facts about a trace's document, stored in the trace's row, so that spans can be added without reading the document.
 */
export interface DocumentFacts {
  /**
   * Upper bound of the trace's JSON bytes without its tags and without `inputOutputBytes`; exact until spans are
   * added without reading the document.
   */
  readonly bytes: number;
  /** Upper bound of the bytes of input and output if they are derived from spans; else 0. */
  readonly inputOutputBytes: number;
  /** True if sums can be updated without rounding errors, see `isExact` in totals.ts. */
  readonly isExact: boolean;
  /**
   * Hash of the project's declared metadata keys when the document was last read; the row has only values of these
   * keys.
   */
  readonly keys: number;
  /**
   * Derivation of the fields from OpenTelemetry spans; null if such spans cannot be added without reading the
   * document.
   */
  readonly derivation: Derivation | null;
}

/** Upper bound of the JSON bytes of derived fields other than input and output. */
const maxLabelBytes = 10_000;

/** Returns the size of a value as JSON, see `sizeOfJson`. */
export const bytesOf = (value: unknown): number => sizeOfJson(JSON.stringify(value));

/** Hashes metadata keys to 32 bits; 0 for no keys. */
export const keysHash = (keys: readonly string[]): number =>
  keys.length === 0 ? 0 : hash("sha256", JSON.stringify(keys.toSorted()), "buffer").readUInt32BE();

/** Computes the facts of a whole document. @param keys hash of the metadata keys that the project has declared. */
export const documentFactsOf = (trace: Trace, keys: number): DocumentFacts => {
  const derivation = isTelemetryTrace(trace) ? derivationOf(trace) : null;
  const ownFields: Partial<Trace> = { ...trace, tags: [], ...(derivation !== null && { input: null, output: null }) };
  return {
    bytes: bytesOf(ownFields) + (derivation === null ? 0 : maxLabelBytes),
    inputOutputBytes: derivation === null ? 0 : bytesOf([trace.input, trace.output]),
    isExact: isExact(trace.spans, contributionsOf(trace.spans)),
    keys,
    derivation,
  };
};
