import type { Database } from "../store/database.ts";
import { deletionNotes, type NoteDeletion } from "../store/access/deletion-notes.ts";
import { variables } from "./environment.ts";

/** Deletions in the audit, unless this deployment's volume is too large for it. */
export const environmentDeletionNotes = (database: Database): NoteDeletion =>
  process.env[variables.auditDeletions] === "true" ? deletionNotes(database) : () => Promise.resolve();
