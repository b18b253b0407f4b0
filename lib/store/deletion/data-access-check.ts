import * as v from "valibot";
import type { Principal, Project } from "../../domain/access/principal.ts";
import { fullRoles } from "../../domain/access/role.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Write } from "../../dynamo/items.ts";
import { accessItems, ifNotDeleted } from "../access/items.ts";
import { apiKeyEntryKey, apiKeyKey, memberKey, projectKey } from "../access/keys.ts";

const entryItem = v.object({ hash: v.string() });

/**
 * Returns the checks, for the transaction of a change, that a caller may still change a project's data: the project exists, and the member's
 * role or the API key allows it at that moment.
 *
 * @param now epoch milliseconds.
 * @returns null if the caller's key does not exist any more.
 */
export const dataAccessChecks = async (
  database: Database,
  principal: Principal,
  { id, organizationId }: Pick<Project, "id" | "organizationId">,
  now: number,
): Promise<readonly Write[] | null> => {
  const ofProject = { check: projectKey(id), when: ifNotDeleted };
  if (principal.kind === "user") {
    const values = Object.fromEntries(fullRoles.map((role, at) => [`:role${at}`, role]));
    const when = `#role IN (${Object.keys(values).join(", ")})`;
    return [ofProject, { check: memberKey(organizationId, principal.userId), when, values }];
  }
  const entry = await accessItems(database).get(apiKeyEntryKey(organizationId, principal.keyId));
  if (entry === undefined) return null;
  const isValid = "revoked_at = :null AND (expires_at = :null OR expires_at > :now)";
  const mayWrite = "(attribute_not_exists(#access) OR #access = :full)";
  const isOfProject = "(attribute_not_exists(#project) OR #project = :project)";
  return [
    ofProject,
    {
      check: apiKeyKey(v.parse(entryItem, entry).hash),
      when: [isValid, mayWrite, isOfProject].join(" AND "),
      values: { ":null": null, ":now": now, ":full": "full", ":project": id },
    },
  ];
};
