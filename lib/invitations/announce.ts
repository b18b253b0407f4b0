import type { DynamoDBBatchResponse, DynamoDBRecord } from "aws-lambda";
import { statusAt } from "../domain/access/invitation.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { ServiceEvent } from "../events/service-event.ts";
import { faultFields } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { Invitations } from "../store/access/invitations.ts";
import type { Organizations } from "../store/access/organizations.ts";
import type { Users } from "../store/access/users.ts";
import { newInvitation } from "../stream/new-invitation.ts";
import { invitationCreated } from "./invitation-created.ts";

/** What announcing needs. */
export interface Announcing {
  readonly stage: string;
  readonly invitations: Pick<Invitations, "find">;
  readonly organizations: Pick<Organizations, "named">;
  readonly users: Pick<Users, "named">;
  readonly bus: EventBus;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Announcement {
  readonly sequence: string;
  readonly event: ServiceEvent;
}

const sequenceOf = ({ dynamodb }: DynamoDBRecord): string => {
  if (dynamodb?.SequenceNumber === undefined) throw new Error("The record has no sequence number.");
  return dynamodb.SequenceNumber;
};

/**
 * Puts one event on the bus for each new invitation of a batch that can still be answered.
 *
 * @returns the records to deliver again; with the first of them all after it come back, so that an event is put at least
 *   once. Errors end here: their messages may quote an address, and Lambda would log them.
 */
export const announceInvitations = ({ stage, invitations, organizations, users, bus, now }: Announcing) => {
  const announcements = async (records: readonly DynamoDBRecord[]): Promise<readonly Announcement[]> => {
    const found = await Promise.all(
      records.map(async (record) => ({
        sequence: sequenceOf(record),
        invitation: await invitations.find(newInvitation(record)),
      })),
    );
    const open = found.flatMap(({ sequence, invitation }) =>
      invitation !== null && statusAt(invitation, now()) === "PENDING" ? { sequence, invitation } : [],
    );
    const [inviting, inviters] = await Promise.all([
      organizations.named(open.map(({ invitation }) => invitation.organizationId)),
      users.named(open.map(({ invitation }) => invitation.invitedBy)),
    ]);
    return open.flatMap(({ sequence, invitation }) => {
      const organization = inviting.get(invitation.organizationId);
      if (organization === undefined) return [];
      return {
        sequence,
        event: invitationCreated(stage, invitation, organization, inviters.get(invitation.invitedBy)),
      };
    });
  };

  return async (records: readonly DynamoDBRecord[]): Promise<DynamoDBBatchResponse> => {
    try {
      const due = await announcements(records);
      const codes = await bus.put(due.map(({ event }) => event));
      const failed = due.flatMap(({ sequence }, position) => {
        const code = codes[position] ?? null;
        return code === null ? [] : { sequence, code };
      });
      if (failed.length > 0)
        publishMetrics(
          "invitations_not_announced",
          { FailedItems: failed.length },
          { codes: failed.map(({ code }) => code) },
        );
      return { batchItemFailures: failed.map(({ sequence }) => ({ itemIdentifier: sequence })) };
    } catch (error) {
      publishMetrics("invitations_not_announced", { FailedItems: records.length }, faultFields(error));
      return { batchItemFailures: records.slice(0, 1).map((record) => ({ itemIdentifier: sequenceOf(record) })) };
    }
  };
};
