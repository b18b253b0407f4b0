import * as v from "valibot";
import { gatewayKeyQuota } from "../../../domain/access/gateway-key-quota.ts";
import { epochOf, instantAt } from "../../../domain/instant.ts";
import { tryAgain, withRetries, throwContention } from "../../../dynamo/with-retries.ts";
import type { Database } from "../../../dynamo/database.ts";
import { failedConditions, ifConditionHolds } from "../../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write } from "../../../dynamo/items.ts";
import { immediateRetryPolicy, requestRetryPolicy } from "../../../dynamo/retry-policies.ts";
import { gatewayKeyCountKey, gatewayKeyKey, gatewayKeyShareKey, type AccessKey } from "../keys.ts";

/** The API Gateway key that a client uses. */
interface GatewayKey {
  readonly value: string;
  /** Creation time of the key, epoch milliseconds. */
  readonly createdAt: number;
}

/**
 * Result of `hold`: `made` when the client's key is in use, `full` when the maximum of keys is reached, `wanted` when a
 * key must be created. `withdrawn` is the id of a key that was taken out of use and may still exist.
 */
type HoldResult = { readonly kind: "made" | "full" } | { readonly kind: "wanted"; readonly withdrawn: string | null };

/**
 * Store of the API Gateway keys by which clients are throttled. A client is a user or an API key, as text (see
 * `clientOf`).
 */
export interface GatewayKeys {
  /** Reads the client's key, null when it has none; may lag by a second. @param signal aborts the read. */
  find(client: string, signal?: AbortSignal): Promise<GatewayKey | null>;
  /**
   * Records that a client belongs to an organization.
   *
   * @returns `full` when the deployment or the organization has its maximum of keys.
   */
  hold(client: string, organization: string): Promise<HoldResult>;
  /** Puts a created key into use. @returns false when the client belongs to no organization any more. */
  activate(client: string, id: string, value: string): Promise<boolean>;
  /**
   * Records that a client does not belong to an organization any more.
   *
   * @returns true if it belongs to another one, or is unknown.
   */
  release(client: string, organization: string): Promise<boolean>;
  /** Takes a key out of use that was deleted elsewhere. */
  discard(client: string, id: string): Promise<void>;
  /** Stores the usage plan of a key in use whose item names none. */
  namePlan(client: string, id: string): Promise<void>;
  /**
   * Takes the key out of use.
   *
   * @returns its id, null when the client has no key in the plan; false when the client belongs to an organization.
   */
  withdraw(client: string): Promise<string | null | false>;
  /** Forgets a client whose key is deleted. @returns false when the client belongs to an organization again. */
  forget(client: string): Promise<boolean>;
}

/** Schema of a client's item. */
export const storedGatewayKey = v.object({
  id: v.optional(v.string()),
  value: v.optional(v.string()),
  created_at: v.optional(v.string()),
  /** Usage plan that the key was added to; absent for keys older than this field. */
  plan: v.optional(v.string()),
  /** Organizations that the client belongs to; absent when there is none. */
  holders: v.optional(v.set(v.string())),
  /** Organization whose quota of keys includes this key; absent for keys older than quotas per organization. */
  charged: v.optional(v.string()),
});

/**
 * True if a key was added to a usage plan. A key of another plan is not made: the table is older than the plan, as in another
 * Region or a stack made anew, and the key's id may be another stage's here.
 */
export const isInPlan = (key: { readonly plan?: string | undefined }, plan: string): boolean =>
  key.plan === undefined || key.plan === plan;

/** Counts one key more, if there are fewer than `max`. */
const increment = (key: AccessKey, max: number): Write => ({
  update: key,
  change: "ADD n :one",
  when: "attribute_not_exists(n) OR n < :most",
  values: { ":one": 1, ":most": max },
});

/** Values of the decrement of a counter. */
const decrement = { ":one": 1, ":less": -1 };

/** Writes of which one decrements an organization's counter: one that reaches 0 is deleted, because it would outlive the organization. */
const shareDecrements = (organization: string): readonly Write[] => {
  const share = gatewayKeyShareKey(organization);
  return [
    { remove: share, when: "n = :one", values: decrement },
    { update: share, change: "ADD n :less", when: "attribute_not_exists(n) OR n <> :one", values: decrement },
  ];
};

const shareContention = throwContention(
  "An organization's share of gateway keys changed during every attempt to update it.",
);

/**
 * @param plan name of the clients' usage plan; keys of other plans are not made.
 * @param maxKeys max gateway keys of the deployment.
 */
export const gatewayKeyStore = (
  database: Database,
  plan: string,
  maxKeys: number,
  now: () => number = Date.now,
): GatewayKeys => {
  const items = itemsOf(database, "access");

  const update = async (client: string, change: string, when: string, values?: Record<string, unknown>) => {
    const reply = await ifConditionHolds(
      items.update(gatewayKeyKey(client), change, { when, values, ReturnValues: "ALL_NEW" }),
    );
    return reply && v.parse(storedGatewayKey, reply.Attributes);
  };

  const readItem = async (client: string, strongly: boolean, signal?: AbortSignal) => {
    const item = await items.get(gatewayKeyKey(client), { strongly, signal });
    return item === undefined ? null : v.parse(storedGatewayKey, item);
  };

  /**
   * Writes a transaction, with retries because all writers change the item with the total.
   *
   * @returns the positions of the failed writes.
   */
  const transact = (writes: readonly Write[]): Promise<ReadonlySet<number>> =>
    withRetries(
      requestRetryPolicy,
      throwContention("The number of gateway keys changed during every attempt to update it."),
      () => failedConditions(items.transact(writes)),
    );

  const keyRoom = gatewayKeyQuota(maxKeys);

  /**
   * Counts an unknown client in the quotas of API Gateway keys.
   *
   * @param total the deployment must have fewer keys.
   * @param ofOrganization the organization must have fewer keys.
   * @returns the positions of the failed writes: 0 the client, 1 the total, 2 the organization's counter.
   */
  const reservePlace = (client: string, organization: string, total: number, ofOrganization: number) =>
    transact([
      {
        put: { ...gatewayKeyKey(client), holders: new Set([organization]), charged: organization },
        when: ifAbsent,
      },
      increment(gatewayKeyCountKey, total),
      increment(gatewayKeyShareKey(organization), ofOrganization),
    ]);

  /** Charges a client's key to another of its organizations when it has left the charged one, whatever the quota. @returns false if nothing had to move. */
  const moveCharge = (client: string, from: string): Promise<boolean> =>
    withRetries<boolean>(immediateRetryPolicy, shareContention, async () => {
      const item = await readItem(client, true);
      const [to] = item?.holders ?? [];
      if (item?.charged !== from || to === undefined) return false;
      const values = { ":from": from, ":to": to };
      const charge = { update: gatewayKeyKey(client), change: "SET charged = :to", values };
      const increase = { update: gatewayKeyShareKey(to), change: "ADD n :one", values: { ":one": 1 } };
      for (const decrease of shareDecrements(from)) {
        const refusals = await transact([
          { ...charge, when: "charged = :from AND contains(holders, :to)" },
          increase,
          decrease,
        ]);
        if (refusals.size === 0) return true;
      }
      return tryAgain;
    });

  return {
    find: async (client, signal) => {
      const item = await readItem(client, false, signal);
      if (item?.value === undefined || item.created_at === undefined || !isInPlan(item, plan)) return null;
      return { value: item.value, createdAt: epochOf(item.created_at) };
    },

    hold: (client, organization) => {
      const holders = new Set([organization]);
      const contention = throwContention("The place of this client changed during every attempt to reserve it.");
      return withRetries<HoldResult>(immediateRetryPolicy, contention, async () => {
        const existing = await update(client, "ADD holders :holders", "attribute_exists(pk)", { ":holders": holders });
        if (existing !== null && !isInPlan(existing, plan)) return { kind: "wanted", withdrawn: null };
        if (existing?.value !== undefined) return { kind: "made" };
        if (existing !== null) return { kind: "wanted", withdrawn: existing.id ?? null };
        const fewResult = await reservePlace(client, organization, keyRoom.max, keyRoom.guaranteed);
        if (fewResult.size === 0) return { kind: "wanted", withdrawn: null };
        if (fewResult.has(0)) return tryAgain;
        if (fewResult.has(1)) return { kind: "full" };
        const manyResult = await reservePlace(client, organization, keyRoom.openToAll, keyRoom.perOrganization);
        if (manyResult.size === 0) return { kind: "wanted", withdrawn: null };
        return manyResult.has(0) ? tryAgain : { kind: "full" };
      });
    },

    activate: async (client, id, value) => {
      const item = await update(
        client,
        "SET id = :id, #value = :value, #plan = :plan, created_at = :now",
        "attribute_exists(holders)",
        {
          ":id": id,
          ":value": value,
          ":plan": plan,
          ":now": instantAt(now()),
        },
      );
      return item !== null;
    },

    release: async (client, organization) => {
      const remaining = await update(client, "DELETE holders :holders", "attribute_exists(pk)", {
        ":holders": new Set([organization]),
      });
      if (remaining === null) return true;
      if (remaining.holders === undefined) return false;
      if (remaining.charged === organization) await moveCharge(client, organization);
      return true;
    },

    discard: async (client, id) => {
      await update(client, "REMOVE id, #value, #plan, created_at", "id = :id", { ":id": id });
    },

    namePlan: async (client, id) => {
      const condition = "id = :id AND attribute_not_exists(#plan)";
      await update(client, "SET #plan = :plan", condition, { ":id": id, ":plan": plan });
    },

    withdraw: async (client) => {
      const condition = "attribute_exists(pk) AND attribute_not_exists(holders)";
      const item = await update(client, "REMOVE #value, created_at", condition);
      if (item === null) return false;
      return isInPlan(item, plan) ? (item.id ?? null) : null;
    },

    forget: async (client) => {
      const chargedOrganization = (await readItem(client, true))?.charged;
      const chargeRemovals: readonly (readonly Write[])[] =
        chargedOrganization === undefined ? [[]] : shareDecrements(chargedOrganization).map((write) => [write]);
      const clientDeletion = {
        remove: gatewayKeyKey(client),
        when: `attribute_exists(pk) AND attribute_not_exists(holders) AND ${
          chargedOrganization === undefined ? "attribute_not_exists(charged)" : "charged = :charged"
        }`,
        values: { ":charged": chargedOrganization },
      };
      const countDecrement = { update: gatewayKeyCountKey, change: "ADD n :less", values: decrement };
      return withRetries<boolean>(immediateRetryPolicy, shareContention, async () => {
        for (const chargeRemoval of chargeRemovals) {
          const refusals = await transact([clientDeletion, countDecrement, ...chargeRemoval]);
          if (refusals.size === 0) return true;
          if (refusals.has(0)) return (await readItem(client, true)) === null;
        }
        return tryAgain;
      });
    },
  };
};
