import { operator } from "../../lib/domain/access/principal.ts";
import { checkRotation, keyLifetime } from "../../lib/domain/access/api-key.ts";
import { instantAt } from "../../lib/domain/instant.ts";
import { offsetPage } from "../../lib/domain/page.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { apiKeyNotFound, apiKeyReply } from "../../lib/http/access/reply.ts";
import { apiKeyStore, type ApiKey } from "../../lib/store/access/api-keys.ts";
import { confirm, type Ask } from "./confirm.ts";
import { allOrganizations, findOrganization } from "./find-organization.ts";

/** Options of the commands about API keys. */
export interface KeyOptions {
  /** Id of the organization; absent for all. */
  readonly organization?: string | undefined;
  /** Lifetime of a new key; absent for that of its predecessor. */
  readonly expiresDays?: number | undefined;
  readonly yes: boolean;
}

const day = 86_400_000;

/** Converts a lifetime in days to milliseconds. */
export const lifetimeOf = (days: number): number => days * day;

const organizationsOf = async (database: Database, id: string | undefined) =>
  id === undefined ? allOrganizations(database) : [await findOrganization(database, id)];

/** Describes an API key in one line: id, first characters, name, scope, state and times. */
const keyLine = (key: ApiKey): string => {
  const { id, key_prefix: prefix, name, access, project_id: project, ...rest } = apiKeyReply(key, Date.now());
  const state = rest.is_active ? "active" : key.revoked ? "revoked" : "expired";
  const dayOf = (instant: string): string => instant.slice(0, 10);
  const scope = project === null ? access : `${access} of project ${project}`;
  const end = rest.expires_at === null ? "no end" : `ends ${dayOf(rest.expires_at)}`;
  const use = key.lastUsedAt === null ? "never used" : `used ${dayOf(instantAt(key.lastUsedAt))}`;
  return `  ${id}  ${prefix}...  ${name}: ${scope}, ${state}, made ${dayOf(rest.created_at)}, ${end}, ${use}`;
};

/** Prints the API keys of an organization, or of all. */
export const listKeys = async (
  database: Database,
  { organization }: KeyOptions,
  print: (line: string) => void,
): Promise<void> => {
  for (const { id, name } of await organizationsOf(database, organization)) {
    print(`${name}  ${id}`);
    const { items } = await apiKeyStore(database).page(id, offsetPage(Infinity, 0));
    for (const key of items) print(keyLine(key));
  }
};

/** Finds an API key by its id. @throws Refusal `not-found`. */
const findKey = async (database: Database, keyId: string, organization: string | undefined): Promise<ApiKey> => {
  for (const { id } of await organizationsOf(database, organization)) {
    const key = await apiKeyStore(database).get(id, keyId);
    if (key !== null) return key;
  }
  throw apiKeyNotFound(keyId);
};

/** Revokes an API key after a confirmation. */
export const revokeKey = async (
  database: Database,
  keyId: string,
  { organization, yes }: KeyOptions,
  { print, ask }: { print: (line: string) => void; ask: Ask },
): Promise<void> => {
  const { id, name, organizationId } = await findKey(database, keyId, organization);
  await confirm(`API key ${id} will be refused within 5 seconds, for good`, name, { yes, ask });
  await apiKeyStore(database).revoke(organizationId, id, operator);
  print(`Revoked: ${name}  ${id}`);
};

/**
 * Creates a key with the name and the restrictions of another one and prints it. Other than the endpoint it also rotates keys
 * without an end: the new key has none either, unless a lifetime is given.
 */
export const rotateKey = async (
  database: Database,
  keyId: string,
  { organization, expiresDays }: KeyOptions,
  print: (line: string) => void,
): Promise<void> => {
  const previousKey = await findKey(database, keyId, organization);
  const { id, name, organizationId, scope, expiresAt } = previousKey;
  checkRotation({ ...previousKey, expiresAt: expiresAt ?? Infinity });
  const sameLifetime = expiresAt === null ? null : keyLifetime;
  const lifetime = expiresDays === undefined ? sameLifetime : lifetimeOf(expiresDays);
  const { key, ...successor } = await apiKeyStore(database).create(organizationId, name, lifetime, scope);
  print(keyLine(successor).trim());
  print(`API key       ${key}`);
  print(`\nThe key is not stored and cannot be shown again. The old one stays valid until`);
  print(`npm run operate -- keys revoke ${id}`);
};
