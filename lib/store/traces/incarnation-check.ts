import type { Pointer } from "./read-body.ts";

/**
 * Incarnation of a trace whose row must still exist when a score is stored: the judged trace, or one of the judged
 * session's traces.
 */
export interface IncarnationCheck extends Pointer {
  readonly traceId: string;
  /** Expiry of the score, epoch seconds; null if it never expires. */
  readonly expiresAt: number | null;
}
