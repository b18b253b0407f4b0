import type { RepricingReply } from "../../contract/access/repricings.ts";
import type { Repricing } from "../../store/traces/repricing/jobs.ts";

/** Returns the API representation of a repricing job. */
export const repricingReply = (project: string, repricing: Repricing): RepricingReply => ({
  id: repricing.id,
  project_id: project,
  date_from: repricing.from,
  date_to: repricing.to,
  status: repricing.status,
  requested_by: repricing.requestedBy,
  requested_at: repricing.requestedAt,
  completed_at: repricing.completedAt,
  looked_at: repricing.looked,
  repriced: repricing.repriced,
  failed: repricing.failed,
});
