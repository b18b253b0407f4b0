import {
  APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
} from "@aws-sdk/client-api-gateway";
import { setTimeout as wait } from "node:timers/promises";
import { awsClient } from "../aws/aws-client.ts";
import { controlPlaneBounds, type CallBounds } from "../aws/call-bounds.ts";

/** As much of API Gateway's control plane as gateway keys need. Every call may be repeated. */
export interface ControlPlane {
  /** Makes a key, or finds the one of that name and value. @returns its id. */
  createKey(name: string, value: string): Promise<string>;
  addToPlan(keyId: string): Promise<void>;
  /** The id of the key of that name, null when there is none. */
  findKey(name: string): Promise<string | null>;
  deleteKey(id: string): Promise<void>;
}

/** A client of API Gateway's control plane. */
export const controlPlaneClient = (bounds: CallBounds = controlPlaneBounds): APIGatewayClient =>
  awsClient(APIGatewayClient, bounds);

/** CreateApiKey is limited to 5 calls a second, everything together to 10, in the whole account. */
const callsPerSecond = 4;

/**
 * Lets calls begin at even distances; what begins first goes first.
 *
 * @param pause waits so many milliseconds.
 */
export const paced = (perSecond: number, now: () => number, pause: (milliseconds: number) => Promise<unknown>) => {
  let next = 0;
  return async <T>(call: () => Promise<T>): Promise<T> => {
    const at = Math.max(now(), next);
    next = at + 1000 / perSecond;
    if (at > now()) await pause(at - now());
    return call();
  };
};

/**
 * Keys through the SDK. A call that the account's limits refuse even after the SDK's repetitions is thrown
 * (TooManyRequestsException): the stream delivers its record again later.
 *
 * @param planId reads the id of the clients' plan.
 * @param tags of every key that is made.
 */
export const controlPlane = (
  client: APIGatewayClient,
  planId: () => Promise<string>,
  pace = paced(callsPerSecond, Date.now, wait),
  tags: Readonly<Record<string, string>> = {},
): ControlPlane => {
  const findKey = async (name: string): Promise<string | null> => {
    // The query means names that begin like this.
    const pages = paginateGetApiKeys({ client, pageSize: 500 }, { nameQuery: name });
    for (;;) {
      const page = await pace(() => pages.next());
      if (page.done) return null;
      const id = page.value.items?.find((key) => key.name === name)?.id;
      if (id !== undefined) return id;
    }
  };

  return {
    findKey,

    createKey: async (name, value) => {
      try {
        const { id } = await pace(() =>
          client.send(
            new CreateApiKeyCommand({ name, value, enabled: true, ...(Object.keys(tags).length > 0 && { tags }) }),
          ),
        );
        if (id === undefined) throw new Error("API Gateway made a key without an id.");
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
        await pace(() => client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" })));
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error;
      }
    },

    deleteKey: async (apiKey) => {
      try {
        await pace(() => client.send(new DeleteApiKeyCommand({ apiKey })));
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error;
      }
    },
  };
};
