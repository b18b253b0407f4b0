import type { Instant } from "./instant.ts";

/** An event that was decided and is not announced yet. */
export interface PendingEvent {
  /** Uuid that is derived from the decision: the same for every delivery. */
  readonly id: string;
  readonly kind: string;
  readonly projectId: string;
  readonly time: Instant;
  /** Page of the console, the part of its address after `#/`. */
  readonly page: string;
  /** Fields of the kind, as the contract has them. */
  readonly fields: Readonly<Record<string, unknown>>;
}
