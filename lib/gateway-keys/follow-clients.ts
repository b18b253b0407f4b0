import type { DynamoDBRecord } from "aws-lambda";
import { timeoutResult, withTimeout } from "../async/concurrency.ts";
import { inTurns } from "../async/in-turns.ts";
import { faultFields, logLine } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { ClientHolders, ClientHolding } from "../store/access/clients/client-holders.ts";
import { parsePostponed, type PostponeClients } from "../store/access/clients/postponed-clients.ts";
import { clientChange, isPostponement } from "../stream/client-change.ts";
import { clientSettler } from "./settle.ts";
import type { GatewayKeySync } from "./sync.ts";

/** Milliseconds of a batch after which no further client is begun: a key takes half a second, and invitations wait for the next batch. */
const batchMilliseconds = 2_000;

/** Milliseconds for one client. */
const clientMilliseconds = 10_000;

/** Dependencies of `followClients`. */
export interface FollowingDependencies {
  readonly sync: GatewayKeySync;
  readonly holders: ClientHolders;
  readonly postpone: PostponeClients;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Turn {
  readonly holding: ClientHolding;
  readonly synchronize: () => Promise<unknown>;
  readonly eventID: string | undefined;
}

/**
 * Synchronizes gateway keys with changes of clients, from stream records. Clients that a batch has no time for come again at the end
 * of the stream, so that no number of them delays other records for long; those that fail are left to the hourly reconciliation.
 *
 * @throws an error of DynamoDB when clients could not be put at the end of the stream.
 */
export const followClients = ({ sync, holders, postpone, now }: FollowingDependencies) => {
  const settle = clientSettler(holders, sync.apply);

  const turnsOf = (record: DynamoDBRecord): readonly Turn[] => {
    const { eventID } = record;
    if (!isPostponement(record)) {
      const change = clientChange(record);
      return [{ holding: change, synchronize: () => sync.apply(change), eventID }];
    }
    // Later changes of these clients may have been synchronized meanwhile: what counts is what is stored now.
    const holdings = parsePostponed(record.dynamodb?.NewImage?.["holdings"]?.S);
    return holdings.map((holding) => ({ holding, synchronize: () => settle(holding), eventID }));
  };

  const leaveToReconciliation = (eventID: string | undefined, error?: unknown): void => {
    const fields = { stream_record: eventID ?? "" };
    if (error !== undefined) logLine("gateway_key_failed", { ...fields, ...faultFields(error) });
    publishMetrics("gateway_key_not_synced", { FailedItems: 1 }, fields);
  };

  const work = async ({ synchronize, eventID }: Turn): Promise<void> => {
    try {
      if ((await withTimeout(synchronize(), clientMilliseconds)) === timeoutResult) leaveToReconciliation(eventID);
    } catch (error) {
      leaveToReconciliation(eventID, error);
    }
  };

  return async (records: readonly DynamoDBRecord[]): Promise<void> => {
    const due = records.flatMap((record) => {
      try {
        return turnsOf(record);
      } catch (error) {
        leaveToReconciliation(record.eventID, error);
        return [];
      }
    });
    // One after the other: the changes of a client stay in order.
    const { taken } = await inTurns(due, work, { until: now() + batchMilliseconds, now });
    const postponed = due.slice(taken).map(({ holding: { client, organization } }) => ({ client, organization }));
    await postpone([...new Map(postponed.map((holding) => [JSON.stringify(holding), holding])).values()]);
  };
};
