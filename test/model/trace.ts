import type { Fields, Value } from "./exact-json.ts";
import type { Micros } from "./instant.ts";

/** A span as the model keeps it. */
export interface ModelSpan {
  readonly spanId: string;
  readonly parent: Value;
  readonly startedAt: Micros;
  readonly endedAt: Micros | null;
  readonly completionStartedAt: Micros | null;
  /** name, kind, status, input, output, model, token_usage, metadata, error, model_parameters, cost. */
  readonly fields: Fields;
}

/** When a trace came in first, by the caller's clock: somewhere between sending it and the answer. */
export interface Arrival {
  readonly from: number;
  readonly to: number;
}

/** A trace as the model keeps it. */
export interface ModelTrace {
  readonly traceId: string;
  readonly name: string;
  readonly status: string;
  readonly startedAt: Micros;
  readonly endedAt: Micros | null;
  readonly session: string | null;
  readonly user: string | null;
  readonly environment: string | null;
  readonly release: string | null;
  readonly tags: readonly string[];
  readonly input: Value;
  readonly output: Value;
  readonly metadata: Fields;
  readonly spans: ReadonlyMap<string, ModelSpan>;
  readonly arrival: Arrival;
}
