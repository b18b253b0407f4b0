import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditAction } from "../../domain/access/audit.ts";
import type { CallersProject, Principal } from "../../domain/access/principal.ts";
import { faultFields, logLine } from "../../log.ts";
import type { Database } from "../database.ts";
import { auditItem } from "./audit-writes.ts";

/** What somebody deleted of a project. */
interface Deletion {
  readonly action: Extract<AuditAction, "trace.deleted" | "session.deleted" | "run.deleted" | "monitor.deleted">;
  /** Its id; the project's where several were deleted at once. */
  readonly target: string;
  /** How many went: traces, of a session too. */
  readonly deleted: number;
  /** Which, where several were asked for. */
  readonly ids?: readonly string[];
}

interface Deleting {
  readonly principal: Principal;
  readonly project: CallersProject;
}

/** Notes a deletion that was made in the audit of its organization. */
export type NoteDeletion = (by: Deleting, deletion: Deletion) => Promise<void>;

/**
 * Deletions in the audit, each noted when it was made. One that cannot be noted is made all the same, and the log says so,
 * without what was deleted: names of sessions are their users'.
 */
export const deletionNotes =
  (database: Database, now: () => number = Date.now): NoteDeletion =>
  async ({ principal, project }, { action, target, deleted, ids }) => {
    const details = {
      project_id: project.id,
      deleted: String(deleted),
      ...(ids !== undefined && { ids: ids.join(",") }),
    };
    const { organizationId } = project;
    const Item = auditItem({ organizationId, by: principal, action, target, details }, now());
    try {
      await database.client.send(new PutCommand({ TableName: database.table("access"), Item }));
    } catch (error) {
      logLine("deletion_not_noted", { action, project: project.id, ...faultFields(error) });
    }
  };
