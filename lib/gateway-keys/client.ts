import { createHash } from "node:crypto";
import type { Principal } from "../domain/access/principal.ts";

/**
 * Whom a usage plan meters, as text: an API key, or a user in all organizations. The authorizer does not know the project, so
 * a user has one gateway key; the exact limits count users within an organization.
 */
export const clientOf = (principal: Principal): string =>
  principal.kind === "key" ? `key#${principal.keyId}` : `user#${principal.userId}`;

/** Name of a client's gateway key: what an operator sees, and what it is found by. Each stage of an account has its own. */
export const gatewayKeyName = (stage: string, client: string): string => `assay-${stage}-${client.replace("#", "-")}`;

/**
 * Value of a client's gateway key: made twice, it is the same key. It is no secret: the gateway takes it from the authorizer
 * only. 20 to 128 letters and digits, unique in account and Region (API Gateway's rules).
 */
export const gatewayKeyValue = (stage: string, client: string): string =>
  `assay${createHash("sha256")
    .update(JSON.stringify(["gateway-key", stage, client]))
    .digest("hex")
    .slice(0, 40)}`;

/** Name of the SSM parameter that holds the id of the clients' usage plan. */
export const clientsPlanParameter = (stage: string): string => `/assay/${stage}/usage-plan/clients`;
