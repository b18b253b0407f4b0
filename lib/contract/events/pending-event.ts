import { derivedUuid } from "../../domain/access/identity.ts";
import type { PendingEvent } from "../../domain/event.ts";
import type { EventFields, EventKind } from "./registry.ts";

/**
 * Builds an event for the outbox.
 *
 * @param decision names the decision, with an id that is no other tenant's, so that the event has the same id whenever it is built.
 */
export const pendingEvent = <Kind extends EventKind>(
  kind: Kind,
  { decision, ...event }: Pick<PendingEvent, "projectId" | "time" | "page"> & { readonly decision: readonly string[] },
  fields: EventFields<Kind>,
): PendingEvent => ({ id: derivedUuid("event", kind, ...decision), kind, ...event, fields });
