import type { DeletionReply } from "../../contract/access/deletions.ts";
import type { Deletion } from "../../domain/access/deletion.ts";

/** Returns the receipt of a deletion with its counts of removed items. */
export const deletionReply = (deletion: Deletion): DeletionReply => ({
  id: deletion.id,
  kind: deletion.kind,
  name: deletion.name,
  project_id: deletion.projectId,
  org_id: deletion.organizationId,
  requested_by: deletion.requestedBy,
  requested_at: deletion.requestedAt,
  status: deletion.provedAt === null ? "RUNNING" : "PROVED",
  removed: { ...deletion.removed, ...(deletion.strays > 0 && { strays: deletion.strays }) },
  proved_empty_at: deletion.provedAt,
});
