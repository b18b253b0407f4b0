import {
  APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from "@aws-sdk/client-api-gateway";
import { setTimeout as wait } from "node:timers/promises";
import { awsClient } from "../aws/aws-client.ts";
import { controlPlaneBounds, type CallBounds } from "../aws/call-bounds.ts";

/** Calls of API Gateway's control plane for gateway keys. Every call is idempotent. */
export interface ControlPlane {
  /** Creates a key, or finds the existing one with this name and value. @returns the id of the key. */
  createKey(name: string, value: string): Promise<string>;
  addToPlan(keyId: string): Promise<void>;
  /** Returns the ids of all keys in the clients' usage plan. */
  planKeys(): Promise<ReadonlySet<string>>;
  /** Returns the id of the key with a name; null if there is none. */
  findKey(name: string): Promise<string | null>;
  /** Deletes the key of an id and a name; a key that is deleted already, or that is not this stage's, is left. */
  deleteKey(id: string, name: string): Promise<void>;
}

/** Creates a client of API Gateway's control plane. */
export const controlPlaneClient = (bounds: CallBounds = controlPlaneBounds): APIGatewayClient =>
  awsClient(APIGatewayClient, bounds);

/** Calls per second of this client. API Gateway's quota for the whole account is 5 for CreateApiKey and 10 for all operations. */
const callsPerSecond = 4;

/**
 * Returns a function that starts calls at even intervals, first come, first served.
 *
 * @param pause sleeps for a number of milliseconds.
 */
export const rateLimiter = (
  perSecond: number,
  now: () => number,
  pause: (milliseconds: number) => Promise<unknown>,
) => {
  let next = 0;
  return async <T>(call: () => Promise<T>): Promise<T> => {
    const at = Math.max(now(), next);
    next = at + 1000 / perSecond;
    if (at > now()) await pause(at - now());
    return call();
  };
};

/**
 * Creates the access to gateway keys through the AWS SDK. Calls throw TooManyRequestsException if they are throttled even after
 * the SDK's retries; the stream then delivers its record again.
 *
 * @param planId reads the id of the clients' usage plan.
 * @param tags tags of new keys.
 */
export const controlPlane = (
  client: APIGatewayClient,
  planId: () => Promise<string>,
  rateLimit = rateLimiter(callsPerSecond, Date.now, wait),
  tags: Readonly<Record<string, string>> = {},
): ControlPlane => {
  const findKey = async (name: string): Promise<string | null> => {
    // `nameQuery` matches prefixes.
    const pages = paginateGetApiKeys({ client, pageSize: 500 }, { nameQuery: name });
    for (;;) {
      const page = await rateLimit(() => pages.next());
      if (page.done) return null;
      const id = page.value.items?.find((key) => key.name === name)?.id;
      if (id !== undefined) return id;
    }
  };

  return {
    findKey,

    planKeys: async () => {
      const pages = paginateGetUsagePlanKeys({ client, pageSize: 500 }, { usagePlanId: await planId() });
      const ids = new Set<string>();
      for (;;) {
        const page = await rateLimit(() => pages.next());
        if (page.done) return ids;
        for (const { id } of page.value.items ?? []) if (id !== undefined) ids.add(id);
      }
    },

    createKey: async (name, value) => {
      try {
        const { id } = await rateLimit(() =>
          client.send(
            new CreateApiKeyCommand({ name, value, enabled: true, ...(Object.keys(tags).length > 0 && { tags }) }),
          ),
        );
        if (id === undefined) throw new Error("API Gateway created a key without an id.");
        return id;
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error;
        const id = await findKey(name);
        if (id === null) throw error;
        return id;
      }
    },

    addToPlan: async (keyId) => {
      const usagePlanId = await planId();
      try {
        await rateLimit(() => client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" })));
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error;
      }
    },

    deleteKey: async (apiKey, name) => {
      try {
        await rateLimit(() => client.send(new DeleteApiKeyCommand({ apiKey })));
      } catch (error) {
        if (error instanceof NotFoundException) return;
        // The role may delete keys with the stack's tags, which a key that is deleted does not have any more.
        if (!(error instanceof Error && error.name === "AccessDeniedException")) throw error;
        if ((await findKey(name)) === apiKey) throw error;
      }
    },
  };
};
