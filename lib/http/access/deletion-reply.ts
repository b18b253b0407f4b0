import type { DeletionReply } from "../../contract/access/deletions.ts";
import type { Deletion } from "../../domain/access/deletion.ts";

/** Returns the receipt of a deletion with its counts of removed items. */
export const deletionReply = ({ removed, strays, ...deletion }: Deletion): DeletionReply => ({
  id: deletion.id,
  kind: deletion.kind,
  name: deletion.name,
  project_id: deletion.projectId,
  org_id: deletion.organizationId,
  requested_by: deletion.requestedBy,
  requested_at: deletion.requestedAt,
  status: deletion.provedAt === null ? "RUNNING" : "PROVED",
  // The database has the keys of a map in no order, on which the reply's ETag depends.
  removed: Object.fromEntries(
    Object.entries(strays > 0 ? { ...removed, strays } : removed).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ),
  proved_empty_at: deletion.provedAt,
});
