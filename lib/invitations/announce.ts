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

/** Dependencies of the announcement of invitations. */
export interface AnnouncementDependencies {
  readonly stage: string;
  readonly invitations: Pick<Invitations, "find">;
  readonly organizations: Pick<Organizations, "findMany">;
  readonly users: Pick<Users, "findMany">;
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
 * Publishes one EventBridge event for each new invitation in a batch of stream records that is still pending.
 *
 * @returns the handler of the batch. Its response lists failed records: Lambda delivers the first of them and all later records
 *   again, so each event is published at least once. It never throws, because Lambda would log error messages, which may quote
 *   an email address.
 */
export const announceInvitations = ({
  stage,
  invitations,
  organizations,
  users,
  bus,
  now,
}: AnnouncementDependencies) => {
  const announcements = async (records: readonly DynamoDBRecord[]): Promise<readonly Announcement[]> => {
    const invitationsOfRecords = await Promise.all(
      records.map(async (record) => ({
        sequence: sequenceOf(record),
        invitation: await invitations.find(newInvitation(record)),
      })),
    );
    const open = invitationsOfRecords.flatMap(({ sequence, invitation }) =>
      invitation !== null && statusAt(invitation, now()) === "PENDING" ? { sequence, invitation } : [],
    );
    const [organizationById, userById] = await Promise.all([
      organizations.findMany(open.map(({ invitation }) => invitation.organizationId)),
      users.findMany(open.map(({ invitation }) => invitation.invitedBy)),
    ]);
    return open.flatMap(({ sequence, invitation }) => {
      const organization = organizationById.get(invitation.organizationId);
      if (organization === undefined) return [];
      return {
        sequence,
        event: invitationCreated(stage, invitation, organization, userById.get(invitation.invitedBy)),
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
