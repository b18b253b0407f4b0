import { sideBySide } from "../../async/side-by-side.ts";
import type { OrganizationUsage } from "../../domain/access/subscription.ts";
import { epochOf, instantAt, type Instant } from "../../domain/instant.ts";
import { invalid } from "../../domain/refusal.ts";
import type { Database } from "../database.ts";
import { projectStore } from "../access/projects.ts";
import { facetCounts } from "../facets.ts";
import { scoreCountsPartition, scoresOfDay } from "../scores/counts.ts";
import type { ScoreTarget } from "../scores/keys.ts";
import { analyticsFigures } from "./figures.ts";

const projectsAtOnce = 16;

/** As many as can be counted while a gateway waits. */
const mostProjects = 1_000;

/** Counts what the projects of organizations did, from what is counted already. */
export const organizationUsage = (database: Database, now: () => number = Date.now, most = mostProjects) => {
  const [projects, counts, figures] = [
    projectStore(database, now),
    facetCounts(database, now),
    analyticsFigures(database, now),
  ];

  const tracesOf = async (project: string, from: Instant, to: Instant): Promise<number> => {
    let traces = 0;
    for await (const hour of figures(project, from, to)) traces += hour.figures.traces;
    return traces;
  };

  const scoresOf = async (target: ScoreTarget, project: string, from: Instant, to: Instant): Promise<number> => {
    const last = instantAt(epochOf(to) - 1);
    const partition = scoreCountsPartition(target, project);
    return Math.max(0, await counts.ofScopes(partition, scoresOfDay(from), scoresOfDay(last)));
  };

  /**
   * Counts whole UTC days, from `from` on and before `to`. It may lag writes by seconds.
   *
   * @throws Refusal `invalid` when the organization has too many projects.
   */
  return async (organizationId: string, from: Instant, to: Instant): Promise<OrganizationUsage> => {
    const { items, total } = await projects.page(organizationId, { limit: most, offset: 0, after: null });
    if (total > most) {
      const words = `The organization has more than ${most} projects, too many to count here: ask for each project's analytics`;
      throw invalid(["path", "org_id"], words);
    }
    const each = await sideBySide(items, projectsAtOnce, async ({ id }) => ({
      traces: await tracesOf(id, from, to),
      traceScores: await scoresOf("trace", id, from, to),
      sessionScores: await scoresOf("session", id, from, to),
    }));
    const sum = (of: keyof OrganizationUsage): number => each.reduce((all, one) => all + one[of], 0);
    return { traces: sum("traces"), traceScores: sum("traceScores"), sessionScores: sum("sessionScores") };
  };
};
