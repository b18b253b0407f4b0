import type { Pointer } from "./reader.ts";

/** A row that must still be there when a score is stored: the judged trace's, or that of one of a session's traces. */
export interface Witness extends Pointer {
  readonly traceId: string;
  /** Epoch seconds after which the score is gone; null when it is kept. */
  readonly expiresAt: number | null;
}
