import { hash } from "node:crypto";
import type { Principal } from "../domain/access/principal.ts";

/**
 * Returns the id of the client that an API Gateway usage plan throttles: an API key, or a user over all organizations. A user
 * has one gateway key, because the authorizer does not know the project; the exact rate limits count users per organization.
 */
export const clientOf = (principal: Principal): string =>
  principal.kind === "key" ? `key#${principal.keyId}` : `user#${principal.userId}`;

/** Returns the name of a client's gateway key, by which it is found. Each stage of an account has its own keys. */
export const gatewayKeyName = (stage: string, client: string): string => `assay-${stage}-${client.replace("#", "-")}`;

/**
 * Returns the value of a client's gateway key, derived from stage and client so that a retry creates the same key. It is not a
 * secret: the gateway accepts it from the authorizer only. API Gateway requires 20 to 128 letters and digits, unique in account
 * and Region.
 */
export const gatewayKeyValue = (stage: string, client: string): string =>
  `assay${hash("sha256", JSON.stringify(["gateway-key", stage, client])).slice(0, 40)}`;

/** Returns the name of the SSM parameter with the id of the clients' usage plan. */
export const clientsPlanParameter = (stage: string): string => `/assay/${stage}/usage-plan/clients`;

/** Time in milliseconds until a new gateway key is known everywhere in API Gateway; before that a request with it may get 403. */
export const propagationMilliseconds = 60_000;
