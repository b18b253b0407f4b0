import { statusAt } from "../domain/access/invitation.ts";
import type { EventSource } from "../events/announce.ts";
import type { EventBus } from "../events/event-bus.ts";
import { maxEventsPerCall, type ServiceEvent } from "../events/service-event.ts";
import { faultFields } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { Invitations } from "../store/access/invitations.ts";
import type { Organizations } from "../store/access/organizations.ts";
import type { UnannouncedInvitations } from "../store/access/unannounced-invitations.ts";
import type { Users } from "../store/access/users.ts";
import { invitationCreatedEvent } from "./invitation-created.ts";

/** Dependencies of the announcement of invitations. */
export interface AnnouncementDependencies {
  readonly source: EventSource;
  readonly invitations: Pick<Invitations, "find">;
  readonly organizations: Pick<Organizations, "findMany">;
  readonly users: Pick<Users, "findMany">;
  readonly unannounced: UnannouncedInvitations;
  readonly bus: EventBus;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Announcement {
  readonly id: string;
  readonly event: ServiceEvent;
}

/**
 * Publishes one EventBridge event for each new invitation that is still pending. Those that the bus refuses are marked for the
 * hourly reconciliation, since other work waits in the same stream; each event is published at least once.
 */
export const announceInvitations = ({
  source,
  invitations,
  organizations,
  users,
  unannounced,
  bus,
  now,
}: AnnouncementDependencies) => {
  const announcements = async (ids: readonly string[]): Promise<readonly Announcement[]> => {
    const invitationsOfIds = await Promise.all(ids.map((id) => invitations.find(id)));
    const open = invitationsOfIds.filter((each) => each !== null && statusAt(each, now()) === "PENDING");
    const [organizationById, userById] = await Promise.all([
      organizations.findMany(open.flatMap((each) => each?.organizationId ?? [])),
      users.findMany(open.flatMap((each) => each?.invitedBy ?? [])),
    ]);
    return open.flatMap((invitation) => {
      const organization = invitation === null ? undefined : organizationById.get(invitation.organizationId);
      if (invitation === null || organization === undefined) return [];
      const event = invitationCreatedEvent(source, invitation, organization, userById.get(invitation.invitedBy));
      return { id: invitation.id, event };
    });
  };

  /** @returns the ids that were not announced. It never throws, because error messages may quote an email address. */
  const publish = async (ids: readonly string[]): Promise<readonly string[]> => {
    try {
      const due = await announcements(ids);
      const codes = await bus.put(due.map(({ event }) => event));
      const refused = due.flatMap(({ id }, position) => {
        const code = codes[position] ?? null;
        return code === null ? [] : { id, code };
      });
      if (refused.length > 0)
        publishMetrics(
          "invitations_not_announced",
          { FailedItems: refused.length },
          { codes: refused.map(({ code }) => code) },
        );
      return refused.map(({ id }) => id);
    } catch (error) {
      publishMetrics("invitations_not_announced", { FailedItems: ids.length }, faultFields(error));
      return ids;
    }
  };

  const publishMarked = async (id: string): Promise<void> => {
    if ((await publish([id])).length > 0) throw new Error("An invitation could not be announced.");
    await unannounced.clear(id);
  };

  return {
    /** Announces invitations. @throws an error of DynamoDB when one that failed could not be marked. */
    announce: async (ids: readonly string[]): Promise<void> => {
      const calls = Array.from({ length: Math.ceil(ids.length / maxEventsPerCall) }, (_, call) =>
        publish(ids.slice(call * maxEventsPerCall, (call + 1) * maxEventsPerCall)),
      );
      for (const id of (await Promise.all(calls)).flat()) await unannounced.mark(id);
    },
    /** Finds marked invitations among items of the access table. @returns one repair function for each, which announces it. */
    findUnannounced: async (
      items: Parameters<UnannouncedInvitations["among"]>[0],
    ): Promise<readonly (() => Promise<void>)[]> => unannounced.among(items).map((id) => () => publishMarked(id)),
  };
};
