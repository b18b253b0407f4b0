import { mapConcurrently } from "../../async/concurrency.ts";
import type { OrganizationUsage } from "../../domain/access/subscription.ts";
import { epochOf, instantAt, type Instant } from "../../domain/instant.ts";
import { invalid } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { projectStore } from "../access/projects.ts";
import { facetCounts } from "../totals/facets.ts";
import { scoreCountsPartition, scoresOfDay } from "../scores/counts.ts";
import type { ScoreTarget } from "../scores/keys.ts";
import { analyticsFigures } from "./figures.ts";

const projectsAtOnce = 16;

/** Max projects that can be counted within the timeout of a gateway. */
const projectLimit = 1_000;

/** Counts traces and scores of an organization's projects, from stored counters and sums. */
export const organizationUsage = (database: Database, now: () => number = Date.now, maxProjects = projectLimit) => {
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
   * Counts whole UTC days, from `from` (inclusive) to `to` (exclusive). May lag writes by seconds.
   *
   * @throws Refusal `invalid` when the organization has too many projects.
   */
  return async (organizationId: string, from: Instant, to: Instant): Promise<OrganizationUsage> => {
    const { items, total } = await projects.page(organizationId, { limit: maxProjects, offset: 0, after: null });
    if (total > maxProjects) {
      const message = `The organization has more than ${maxProjects} projects, too many to count: request the analytics of each project instead`;
      throw invalid(["path", "org_id"], message);
    }
    const usages = await mapConcurrently(items, projectsAtOnce, async ({ id }) => ({
      traces: await tracesOf(id, from, to),
      traceScores: await scoresOf("trace", id, from, to),
      sessionScores: await scoresOf("session", id, from, to),
    }));
    const sum = (of: keyof OrganizationUsage): number => usages.reduce((total, usage) => total + usage[of], 0);
    return { traces: sum("traces"), traceScores: sum("traceScores"), sessionScores: sum("sessionScores") };
  };
};
