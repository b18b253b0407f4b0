import { publishMetrics } from "../../published-metrics.ts";
import type { CeilingUsageListener } from "../../store/spend/spend.ts";

/** Publishes the used percentage of a monthly cost ceiling as a service metric. The alarm is on the maximum over all projects, organizations and the deployment. */
export const publishCeilingUsage: CeilingUsageListener = (ceiling, project, share) =>
  publishMetrics(
    "ceiling_looked_at",
    { CeilingUsed: share * 100 },
    { ceiling, ...(ceiling !== "deployment" && { project_id: project }) },
  );
