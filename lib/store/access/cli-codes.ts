import * as v from "valibot";
import { absent, accessItems, alive } from "./items.ts";
import { cliCodeKey, memberKey, projectKey } from "./keys.ts";
import { makingKey } from "./api-key-writes.ts";
import type { Database } from "../database.ts";

/** What a code of the CLI's sign-in stands for. */
interface CliGrant {
  readonly userId: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** Base64url of the SHA-256 of the verifier, as the client sent it. */
  readonly challenge: string;
  readonly label: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The key a code was exchanged for, which cannot be read again. */
interface Exchanged {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
}

export interface CliCodes {
  create(hash: string, grant: CliGrant): Promise<void>;
  /** What a code stands for that was neither used nor too old. */
  find(hash: string): Promise<CliGrant | null>;
  /**
   * Uses a code up and makes its key, in one transaction.
   *
   * @param keyName and `expiresAt` (epoch milliseconds) of the key.
   * @returns `used` when it was used before; `left` when its user is no member any more, `gone` when its project is: then
   *   the code is used up.
   */
  exchange(
    hash: string,
    grant: CliGrant,
    key: { readonly id: string; readonly name: string; readonly expiresAt: number },
  ): Promise<Exchanged | "used" | "left" | "gone">;
}

const stored = v.object({
  user: v.string(),
  organization: v.string(),
  project: v.string(),
  challenge: v.string(),
  label: v.nullable(v.string()),
  expires_at: v.number(),
});

const exists = "attribute_exists(pk)";

/** Codes are stored by their hash, so that who reads the table cannot use them. */
export const cliCodeStore = (database: Database, now: () => number = Date.now): CliCodes => {
  const { get, write } = accessItems(database);

  return {
    create: async (hash, { userId, organizationId, projectId, challenge, label, expiresAt }) => {
      const item = { user: userId, organization: organizationId, project: projectId, challenge, label };
      const times = { expires_at: expiresAt, ttl: Math.ceil(expiresAt / 1000) };
      await write([{ put: { ...cliCodeKey(hash), ...item, ...times }, when: absent }]);
    },

    find: async (hash) => {
      const item = await get(cliCodeKey(hash));
      if (item === undefined) return null;
      const { user, organization, project, expires_at: expiresAt, challenge, label } = v.parse(stored, item);
      if (expiresAt <= now()) return null;
      return { userId: user, organizationId: organization, projectId: project, challenge, label, expiresAt };
    },

    exchange: async (hash, { userId, organizationId, projectId }, { id, name, expiresAt }) => {
      const origin = { id, by: { kind: "user", userId }, action: "api_key.created" } as const;
      const { key, prefix, writes } = makingKey({ id, organizationId, name, expiresAt, origin }, now());
      const failed = await write([
        { remove: cliCodeKey(hash), when: exists },
        { check: memberKey(organizationId, userId), when: exists },
        { check: projectKey(projectId), when: alive },
        ...writes,
      ]);
      if (failed.size === 0) return { id, key, prefix };
      if (failed.has(0)) return "used";
      await write([{ remove: cliCodeKey(hash) }]);
      return failed.has(1) ? "left" : "gone";
    },
  };
};
