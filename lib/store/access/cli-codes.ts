import * as v from "valibot";
import { ifAbsent } from "../../dynamo/items.ts";
import { accessItems, ifNotDeleted } from "./items.ts";
import { cliCodeKey, memberKey, projectKey } from "./keys.ts";
import { fullScope } from "../../domain/access/key-scope.ts";
import { roles } from "../../domain/access/role.ts";
import { prepareApiKey } from "./api-key-writes.ts";
import type { Database } from "../../dynamo/database.ts";

/** The permissions that a CLI sign-in code can be exchanged for. */
interface CliGrant {
  readonly userId: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** PKCE challenge: base64url of the SHA-256 of the verifier, as sent by the client. */
  readonly challenge: string;
  readonly label: string | null;
  /** True for a key that is limited to the project. */
  readonly isForProject: boolean;
  /** Expiry of the code, epoch milliseconds. */
  readonly expiresAt: number;
}

/** The API key that a code was exchanged for. The key cannot be read again. */
interface ExchangedKey {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
}

/** Store of one-time codes with which the CLI signs in and gets an API key. */
export interface CliCodes {
  create(hash: string, grant: CliGrant): Promise<void>;
  /** Reads the grant of a code that is neither used nor expired; otherwise null. */
  find(hash: string): Promise<CliGrant | null>;
  /**
   * Uses a code and creates its key, in one transaction.
   *
   * @param key id, name and expiry (epoch milliseconds) of the key.
   * @returns the key, or `used` when the code was used before. The code is also used up by `left` (the user is not a
   *   member any more), `no-maker` (the user may not create keys) and `gone` (the project is deleted).
   */
  exchange(
    hash: string,
    grant: CliGrant,
    key: { readonly id: string; readonly name: string; readonly expiresAt: number },
  ): Promise<ExchangedKey | "used" | "left" | "no-maker" | "gone">;
}

const codeItem = v.object({
  user: v.string(),
  organization: v.string(),
  project: v.string(),
  challenge: v.string(),
  label: v.nullable(v.string()),
  for_project: v.optional(v.boolean(), false),
  expires_at: v.number(),
});

const memberItem = v.object({ role: v.picklist(roles) });

const exists = "attribute_exists(pk)";

/** Stores CLI sign-in codes by their hash, so that a reader of the table cannot use them. */
export const cliCodeStore = (database: Database, now: () => number = Date.now): CliCodes => {
  const { get, write } = accessItems(database);

  return {
    create: async (hash, { userId, organizationId, projectId, challenge, label, isForProject, expiresAt }) => {
      const place = { user: userId, organization: organizationId, project: projectId };
      const item: v.InferInput<typeof codeItem> = {
        ...place,
        challenge,
        label,
        ...(isForProject && { for_project: true }),
        expires_at: expiresAt,
      };
      const ttl = Math.ceil(expiresAt / 1000);
      await write([{ put: { ...cliCodeKey(hash), ...item, ttl }, when: ifAbsent }]);
    },

    find: async (hash) => {
      const item = await get(cliCodeKey(hash));
      if (item === undefined) return null;
      const { user, organization, project, expires_at: expiresAt, ...rest } = v.parse(codeItem, item);
      if (expiresAt <= now()) return null;
      const { challenge, label, for_project: isForProject } = rest;
      return {
        userId: user,
        organizationId: organization,
        projectId: project,
        challenge,
        label,
        isForProject,
        expiresAt,
      };
    },

    exchange: async (hash, { userId, organizationId, projectId, isForProject }, { id, name, expiresAt }) => {
      const useUp = [{ remove: cliCodeKey(hash), when: exists }] as const;
      const member = await get(memberKey(organizationId, userId));
      if (member === undefined) return (await write(useUp)).size === 0 ? "left" : "used";
      const { role } = v.parse(memberItem, member);
      if (role === "LABELLER") return (await write(useUp)).size === 0 ? "no-maker" : "used";
      const scope = isForProject ? ({ access: "full", projectId } as const) : fullScope;
      const origin = { userId, role, action: "api_key.created", signIn: true } as const;
      const { key, prefix, writes, obstacle } = prepareApiKey(
        { id, organizationId, name, expiresAt, scope, origin },
        now(),
      );
      const checks = [
        ...useUp,
        // A key that is limited to the project already checks the project.
        ...(isForProject ? [] : [{ check: projectKey(projectId), when: ifNotDeleted }]),
      ];
      const failedWrites = await write([...checks, ...writes]);
      if (failedWrites.size === 0) return { id, key, prefix };
      if (failedWrites.has(0)) return "used";
      await write([{ remove: cliCodeKey(hash) }]);
      return obstacle(new Set([...failedWrites].map((at) => at - checks.length))) === "no-maker" ? "no-maker" : "gone";
    },
  };
};
