import type { Fields, Value } from "./exact-json.ts";
import { listOf, textOf } from "./fields.ts";
import type { Direction } from "./order.ts";
import { newestArrival, type ModelSession } from "./sessions.ts";

/**
 * The model's sessions in the order of a reply. The order of two arrivals is only known when one request was answered
 * before the other was sent.
 * @returns a description of an order violation, if any.
 */
export const recentOrder = (
  reply: Value | undefined,
  sessions: readonly ModelSession[],
  direction: Direction,
): readonly ModelSession[] | string => {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const items = typeof reply === "object" && reply !== null ? listOf((reply as Fields)["items"]) : [];
  const shownSessions = items.flatMap((item) => byId.get(textOf((item as Fields)["session_id"])) ?? []);
  if (shownSessions.length !== sessions.length) {
    return `${items.length} sessions of which the model knows ${shownSessions.length} of its ${sessions.length}`;
  }
  for (const [index, session] of shownSessions.entries()) {
    const next = shownSessions[index + 1];
    if (next === undefined) continue;
    const [earlier, later] = direction === "asc" ? [session, next] : [next, session];
    if (newestArrival(earlier).from > newestArrival(later).to) {
      return `${JSON.stringify(session.id)} stands before ${JSON.stringify(next.id)}, which arrived otherwise`;
    }
  }
  return shownSessions;
};
