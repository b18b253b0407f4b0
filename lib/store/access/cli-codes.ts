import * as v from "valibot";
import { absent, accessItems, alive } from "./items.ts";
import { cliCodeKey, memberKey, projectKey } from "./keys.ts";
import { unscoped } from "../../domain/access/key-scope.ts";
import { roles } from "../../domain/access/role.ts";
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
  /** Whether the key is for the project alone. */
  readonly isForProject: boolean;
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
   * @returns `used` when it was used before; `left` when its user is no member any more, `no-maker` when the user may not make keys,
   *   `gone` when its project is: then the code is used up.
   */
  exchange(
    hash: string,
    grant: CliGrant,
    key: { readonly id: string; readonly name: string; readonly expiresAt: number },
  ): Promise<Exchanged | "used" | "left" | "no-maker" | "gone">;
}

const stored = v.object({
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

/** Codes are stored by their hash, so that who reads the table cannot use them. */
export const cliCodeStore = (database: Database, now: () => number = Date.now): CliCodes => {
  const { get, write } = accessItems(database);

  return {
    create: async (hash, { userId, organizationId, projectId, challenge, label, isForProject, expiresAt }) => {
      const place = { user: userId, organization: organizationId, project: projectId };
      const item = { ...place, challenge, label, ...(isForProject && { for_project: true }) };
      const times = { expires_at: expiresAt, ttl: Math.ceil(expiresAt / 1000) };
      await write([{ put: { ...cliCodeKey(hash), ...item, ...times }, when: absent }]);
    },

    find: async (hash) => {
      const item = await get(cliCodeKey(hash));
      if (item === undefined) return null;
      const { user, organization, project, expires_at: expiresAt, ...rest } = v.parse(stored, item);
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
      const scope = isForProject ? ({ access: "full", projectId } as const) : unscoped;
      const origin = { userId, role, action: "api_key.created", signIn: true } as const;
      const { key, prefix, writes, obstacle } = makingKey(
        { id, organizationId, name, expiresAt, scope, origin },
        now(),
      );
      const others = [
        ...useUp,
        // A key of the project itself checks it already.
        ...(isForProject ? [] : [{ check: projectKey(projectId), when: alive }]),
      ];
      const failed = await write([...others, ...writes]);
      if (failed.size === 0) return { id, key, prefix };
      if (failed.has(0)) return "used";
      await write([{ remove: cliCodeKey(hash) }]);
      return obstacle(new Set([...failed].map((at) => at - others.length))) === "no-maker" ? "no-maker" : "gone";
    },
  };
};
