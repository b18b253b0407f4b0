import { pseudonymOf } from "../../domain/access/pseudonym.ts";
import type { Deletion } from "../../domain/access/deletion.ts";
import type { Principal, Project } from "../../domain/access/principal.ts";
import { forbidden } from "../../domain/access/role.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import { auditWrite } from "../access/audit-writes.ts";
import { dataAccessChecks } from "./data-access-check.ts";
import { accessItems } from "../access/items.ts";
import { deletionStore } from "./deletions.ts";
import { deletionWrites } from "./writes.ts";

const busy = throwUnavailable("The erasure of the user is being requested by many. Try again.");

/**
 * Returns a function that requests the erasure of a user of a project's traces, which background workers carry out. While one is open
 * another request changes nothing.
 *
 * @returns the open erasure.
 * @throws Refusal `forbidden` when the caller may not change the project's data any more at the moment of the request.
 */
export const userErasures = (database: Database, now: () => number = Date.now) => {
  const [{ write }, deletions] = [accessItems(database), deletionStore(database, now)];

  return (principal: Principal, project: Project, userId: string): Promise<Deletion> =>
    withRetries(requestRetryPolicy, busy, async () => {
      const { id: projectId, organizationId } = project;
      const [id, at] = [pseudonymOf(projectId, userId), now()];
      const checks = await dataAccessChecks(database, principal, project, at);
      if (checks === null) throw forbidden("This API key was deleted.");
      const requestedBy = principal.kind === "user" ? principal.userId : principal.keyId;
      const erasure = { id, kind: "USER", name: id, projectId, organizationId, requestedBy } as const;
      const audited = { organizationId, actor: principal, action: "user.erased", target: id } as const;
      const failedWrites = await write([
        ...checks,
        ...deletionWrites({ ...erasure, requestedAt: instantAt(at) }),
        auditWrite({ ...audited, details: { project_id: projectId } }, at),
      ]);
      if (checks.some((_, index) => failedWrites.has(index)))
        throw forbidden("You may not change the data of this project any more.");
      return (await deletions.get(id)) ?? tryAgain;
    });
};
