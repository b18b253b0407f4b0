import { publishMetrics } from "../../published-metrics.ts";
import type { CeilingUsed } from "../../store/spend/spend.ts";

/** Publishes how much of a monthly ceiling is used; of a project's, an organization's and the deployment's, an alarm looks at the highest. */
export const noteCeilingUsed: CeilingUsed = (ceiling, project, share) =>
  publishMetrics(
    "ceiling_looked_at",
    { CeilingUsed: share * 100 },
    { ceiling, ...(ceiling !== "deployment" && { project_id: project }) },
  );
