import * as v from "valibot";
import { eventVersion } from "../contract/events/event.ts";
import { eventSchemas, type EventFields, type EventKind } from "../contract/events/registry.ts";
import type { PendingEvent } from "../domain/event.ts";
import { logLine } from "../log.ts";
import type { EventBus } from "./event-bus.ts";
import { maxEventsPerCall, type ServiceEvent } from "./service-event.ts";

/** A deployment's name and base URL, which are fields of each of its events. */
export interface EventSource {
  readonly stage: string;
  readonly serviceUrl: string;
}

/** Builds an event of the bus. @throws ValiError if a field does not fit the kind's schema. */
export const serviceEvent = <Kind extends EventKind>(
  kind: Kind,
  { stage, serviceUrl }: EventSource,
  {
    id,
    projectId,
    organizationId,
    time,
    page,
  }: Pick<PendingEvent, "id" | "time" | "page"> & {
    readonly projectId: string | null;
    readonly organizationId: string;
  },
  fields: EventFields<Kind>,
): ServiceEvent => {
  const envelope = { id, version: eventVersion, stage, organization_id: organizationId, project_id: projectId, time };
  const url = `${serviceUrl}/console#/${page}${projectId === null ? "" : `?project=${projectId}`}`;
  return { detailType: kind, time, detail: v.parse(eventSchemas[kind], { ...envelope, url, ...fields }) };
};

const isKind = (kind: string): kind is EventKind => Object.hasOwn(eventSchemas, kind);

/** Dependencies of the announcement of events. */
export interface AnnouncerDependencies extends EventSource {
  /** Finds the organization of a project; null if the project does not exist. */
  readonly organizationOf: (project: string) => Promise<string | null>;
  readonly bus: EventBus;
}

/**
 * Puts events on the bus, each at least once: when some were refused, the caller repeats all of them. Events of deleted projects
 * are left out.
 *
 * @throws Error with the codes of the bus if it refused some, after all others were put.
 */
export const eventAnnouncer =
  ({ organizationOf, bus, ...source }: AnnouncerDependencies) =>
  async (events: readonly PendingEvent[]): Promise<void> => {
    const serviceEvents: ServiceEvent[] = [];
    for (const event of events) {
      const organizationId = await organizationOf(event.projectId);
      if (organizationId === null) continue;
      // A newer version has put it there, before a rollback.
      if (!isKind(event.kind)) logLine("event_unknown", { kind: event.kind });
      // The schema is the check that the fields are those of the kind.
      else serviceEvents.push(serviceEvent<EventKind>(event.kind, source, { ...event, organizationId }, event.fields));
    }
    const refusals: string[] = [];
    for (let first = 0; first < serviceEvents.length; first += maxEventsPerCall) {
      const codes = await bus.put(serviceEvents.slice(first, first + maxEventsPerCall));
      refusals.push(...codes.filter((code) => code !== null));
    }
    if (refusals.length > 0)
      throw new Error(`${refusals.length} of ${serviceEvents.length} events were refused: ${refusals.join(", ")}.`);
  };
