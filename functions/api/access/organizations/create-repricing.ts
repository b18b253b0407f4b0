import { createRepricing } from "../../../../lib/contract/access/repricings.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { invalid } from "../../../../lib/domain/refusal.ts";
import { traceFilter } from "../../../../lib/domain/traces/filter.ts";
import { unpricedTokensIn } from "../../../../lib/domain/traces/row.ts";
import { addCosts, sumTokens } from "../../../../lib/domain/traces/totals.ts";
import { projectNotFound } from "../../../../lib/http/access/reply.ts";
import { repricingReply } from "../../../../lib/http/access/repricing-reply.ts";
import { DryRun } from "../../../../lib/http/answers.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { traceList } from "../../../../lib/store/traces/lists/list.ts";
import { repricingJobs } from "../../../../lib/store/traces/repricing/jobs.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];
const [traces, jobs] = [traceList(database), repricingJobs(database)];

/** Returns the current counts, tokens and costs of the traces in a time range. */
const estimate = async (project: string, date_from: string, date_to: string) => {
  let [count, tokens, unpriced, cost] = [0, 0, 0, 0];
  await traces.matching(project, traceFilter({ date_from, date_to }), (trace) => {
    if (trace.totalTokens === 0) return;
    count += 1;
    tokens += trace.totalTokens;
    unpriced += unpricedTokensIn(trace);
    cost = addCosts([cost, trace.totalCost]);
  });
  return {
    traces: count,
    total_tokens: sumTokens([tokens]),
    unpriced_tokens: sumTokens([unpriced]),
    total_cost: cost,
  };
};

export const handler = endpoint(
  createRepricing,
  environmentUserGuard(database),
  async ({ body: { date_from: from, date_to: to }, idFor, params, query, user }) => {
    const { org_id: organizationId, project_id: project } = params;
    requireRole(await members.role(organizationId, user.userId), "ADMIN");
    if ((await projects.find(organizationId, project)) === null) throw projectNotFound(project);
    if (to <= from) throw invalid(["body", "date_to"], "date_to must be after date_from.");
    if (query.dry_run) return new DryRun(await estimate(project, from, to));
    const id = idFor(`repricing of ${project}`);
    const job = await jobs.create({ id, organizationId, project, from, to, requestedBy: user.userId });
    return repricingReply(project, job);
  },
);
