import type { Fields, Value } from "./exact-json.ts";
import type { Micros } from "./instant.ts";

/** A span in the model. */
export interface ModelSpan {
  readonly spanId: string;
  readonly parent: Value;
  readonly startedAt: Micros;
  readonly endedAt: Micros | null;
  readonly completionStartedAt: Micros | null;
  /** Values of name, kind, status, input, output, model, token_usage, metadata, error, model_parameters and cost. */
  readonly fields: Fields;
}

/** Arrival of a new trace by the caller's clock: between the sending of its request and the reply. */
export interface Arrival {
  readonly from: number;
  readonly to: number;
}

/** A trace in the model. */
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
