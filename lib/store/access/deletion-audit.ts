import type { AuditAction } from "../../domain/access/audit.ts";
import type { IngestProject, Principal } from "../../domain/access/principal.ts";
import { faultFields, logLine } from "../../log.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { auditItem } from "./audit-writes.ts";

/** A user's or API key's deletion of data in a project. */
interface AuditedDeletion {
  readonly action: Extract<AuditAction, "trace.deleted" | "session.deleted" | "run.deleted" | "monitor.deleted">;
  /** Id of the deleted object; the project's id when several objects were deleted at once. */
  readonly target: string;
  /** Number of deleted objects; for a session the number of its traces. */
  readonly deleted: number;
  /** Requested ids, when several were requested. */
  readonly ids?: readonly string[];
}

interface DeletionCaller {
  readonly principal: Principal;
  readonly project: IngestProject;
}

/** Records a completed deletion in the audit trail of the project's organization. */
export type RecordDeletion = (caller: DeletionCaller, deletion: AuditedDeletion) => Promise<void>;

/**
 * Records deletions in the audit trail after they completed. A failure to record is only logged, without the deleted
 * ids, because session names can contain personal data.
 */
export const deletionAudit =
  (database: Database, now: () => number = Date.now): RecordDeletion =>
  async ({ principal, project }, { action, target, deleted, ids }) => {
    const details: Record<string, string> = {
      project_id: project.id,
      deleted: String(deleted),
      ...(ids !== undefined && { ids: ids.join(",") }),
    };
    const { organizationId } = project;
    const item = auditItem({ organizationId, actor: principal, action, target, details }, now());
    try {
      await itemsOf(database, "access").put(item);
    } catch (error) {
      logLine("deletion_not_noted", { action, project: project.id, ...faultFields(error) });
    }
  };
