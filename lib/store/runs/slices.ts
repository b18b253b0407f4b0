import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { JudgeUsage } from "../../domain/runs/judge-usage.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import { sliceKey } from "./keys.ts";
import { unpackSlice, type StoredSlice } from "./slice-codec.ts";
import { packUsage } from "./usage-codec.ts";

/** A worker that does not renew its lease for this long is taken for dead. */
export const leaseMilliseconds = 30_000;

/**
 * What came of trying to claim a slice. Whoever claims it gets a higher epoch than anyone before, whose writes fail from
 * then on.
 */
type Claim =
  | { readonly kind: "claimed"; readonly held: StoredSlice }
  /**
   * Held by another worker, or not to be tried before that instant (epoch milliseconds); `asleep`: nor to be kept a message of;
   * `borrowed`: a message of it has to be kept, since who holds it has none.
   */
  | {
      readonly kind: "busy";
      readonly until: number;
      readonly held: boolean;
      readonly asleep: boolean;
      readonly borrowed: boolean;
    }
  /** Done, or its run is gone. */
  | { readonly kind: "over" };

/** How a worker leaves a slice that is not finished. */
interface GivenBack {
  /** Epoch milliseconds before which it is not to be tried again. */
  readonly until: number;
  /** Deliveries since the last progress. */
  readonly fruitless: number;
  /** Since when its provider is away, epoch milliseconds; null when it is not. */
  readonly awaySince: number | null;
  /** What it waits for, in words for a user; null when for nothing. */
  readonly waiting: string | null;
  /** How often, one time after the other, it was found to have no money. */
  readonly waits: number;
  /** Whether its message is given up: then the sweeper sends it at `until`. */
  readonly asleep: boolean;
  /** Everything that was used for it so far. */
  readonly usage: JudgeUsage;
}

/** What a slice that cannot be claimed now says to who would. @param found null when it is gone. */
export const unclaimable = (found: StoredSlice | null): Exclude<Claim, { readonly kind: "claimed" }> => {
  if (found?.slice.state !== "open") return { kind: "over" };
  const { until, held, asleep, borrowed } = found;
  return { kind: "busy", until, held, asleep, borrowed };
};

export interface Slices {
  /** @param borrowed whether the worker was sent for another slice, and has no message of this one. */
  claim(project: string, run: string, slice: string, borrowed?: boolean): Promise<Claim>;
  /** Keeps a lease. @returns false when it was lost. */
  renew(held: StoredSlice): Promise<boolean>;
  /** Whether a lease is still held. It is not once another worker has the slice or the run was deleted. */
  holds(held: StoredSlice): Promise<boolean>;
  /** Gives a slice back unfinished. */
  giveBack(held: StoredSlice, left: GivenBack): Promise<void>;
}

export const sliceStore = ({ client, table }: Database, now: () => number = Date.now): Slices => {
  const TableName = table("runs");

  const whileHeld = async (held: StoredSlice, expression: string, values: Record<string, unknown>) => {
    const { projectId, runId, id } = held.slice;
    const reply = await ifConditionHolds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: sliceKey(projectId, runId, id),
          UpdateExpression: expression,
          ConditionExpression: "epoch = :epoch AND #state = :open",
          ExpressionAttributeNames: { "#state": "state", "#until": "until" },
          ExpressionAttributeValues: { ...values, ":epoch": held.epoch, ":open": "open" },
        }),
      ),
    );
    return reply !== null;
  };

  return {
    claim: async (project, run, slice, borrowed = false) => {
      const Key = sliceKey(project, run, slice);
      const claimed = await ifConditionHolds(
        client.send(
          new UpdateCommand({
            TableName,
            Key,
            UpdateExpression: `SET epoch = epoch + :one, fruitless = fruitless + :one, #until = :until, held = :held${
              borrowed ? ", borrowed = :borrowed REMOVE asleep" : " REMOVE asleep, borrowed"
            }`,
            ConditionExpression: "#state = :open AND #until <= :now",
            ExpressionAttributeNames: { "#state": "state", "#until": "until" },
            ExpressionAttributeValues: {
              ":one": 1,
              ":open": "open",
              ":now": now(),
              ":until": now() + leaseMilliseconds,
              ":held": true,
              ...(borrowed && { ":borrowed": true }),
            },
            ReturnValues: "ALL_NEW",
          }),
        ),
      );
      if (claimed !== null) return { kind: "claimed", held: unpackSlice(claimed.Attributes ?? {}) };
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return unclaimable(Item === undefined ? null : unpackSlice(Item));
    },

    renew: (held) => whileHeld(held, "SET #until = :until", { ":until": now() + leaseMilliseconds }),

    holds: async ({ slice: { projectId, runId, id }, epoch }) => {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: sliceKey(projectId, runId, id), ConsistentRead: true }),
      );
      if (Item === undefined) return false;
      const found = unpackSlice(Item);
      return found.epoch === epoch && found.slice.state === "open";
    },

    giveBack: async (held, { until, fruitless, awaySince, waiting, waits, asleep, usage }) => {
      const given = {
        ...(awaySince === null ? {} : { away_since: awaySince }),
        ...(waiting === null ? {} : { waiting }),
        ...(waits === 0 ? {} : { waits }),
        ...(asleep ? { asleep } : {}),
      };
      const sets = Object.keys(given).map((name) => `, ${name} = :${name}`);
      const cleared = ["held", "borrowed", "away_since", "waiting", "waits", "asleep"].filter(
        (name) => !Object.hasOwn(given, name),
      );
      const expression = `SET #until = :until, fruitless = :fruitless, used = :used${sets.join("")} REMOVE ${cleared.join(", ")}`;
      const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [`:${name}`, value]));
      await whileHeld(held, expression, {
        ...values,
        ":until": until,
        ":fruitless": fruitless,
        ":used": packUsage(usage),
      });
    },
  };
};
