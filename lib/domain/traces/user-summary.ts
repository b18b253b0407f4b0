import { flatText } from "../flat-text.ts";
import { byCodePoint } from "../order.ts";
import type { ListedTrace } from "./row.ts";
import type { Instant } from "../instant.ts";

/** The traces of one user, summed up. */
export interface UserSummary {
  readonly userId: string;
  readonly traceCount: number;
  /** Start of the first trace, and of the last. */
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
  readonly errorCount: number;
}

/** A user's summary with one more trace; undefined: the first. */
export const withTrace = (
  before: UserSummary | undefined,
  userId: string,
  { startedAt, status }: Pick<ListedTrace, "startedAt" | "status">,
): UserSummary => {
  const isFirst = before === undefined || startedAt < before.firstSeen;
  const isLast = before === undefined || startedAt > before.lastSeen;
  const seen = isFirst || isLast ? flatText(startedAt) : "";
  return {
    userId,
    traceCount: (before?.traceCount ?? 0) + 1,
    firstSeen: isFirst ? seen : before.firstSeen,
    lastSeen: isLast ? seen : before.lastSeen,
    errorCount: (before?.errorCount ?? 0) + (status === "ERROR" ? 1 : 0),
  };
};

/** Orders by who was seen last, newest first; then by id, in the same direction. */
export const byLastSeen = (a: UserSummary, b: UserSummary): number =>
  byCodePoint(b.lastSeen, a.lastSeen) || byCodePoint(b.userId, a.userId);
