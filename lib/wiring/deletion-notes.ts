import type { Database } from "../dynamo/database.ts";
import { deletionAudit, type RecordDeletion } from "../store/access/deletion-audit.ts";
import { variables } from "./environment.ts";

/** Returns the function that writes deletions to the audit log; it does nothing unless the deployment enables audited deletions. */
export const environmentDeletionNotes = (database: Database): RecordDeletion =>
  process.env[variables.auditDeletions] === "true" ? deletionAudit(database) : () => Promise.resolve();
