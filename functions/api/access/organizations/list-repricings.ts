import { listRepricings } from "../../../../lib/contract/access/repricings.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { projectNotFound } from "../../../../lib/http/access/reply.ts";
import { repricingReply } from "../../../../lib/http/access/repricing-reply.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";
import { connect } from "../../../../lib/store/database.ts";
import { repricingJobs } from "../../../../lib/store/traces/repricing/jobs.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];
const jobs = repricingJobs(database);

export const handler = endpoint(listRepricings, environmentUserGate(database), async ({ params, query, user }) => {
  const { org_id: organizationId, project_id: project } = params;
  const { limit, offset } = query;
  requireRole(await members.role(organizationId, user.userId));
  if ((await projects.find(organizationId, project)) === null) throw projectNotFound(project);
  const all = await jobs.list(project);
  const items = all.slice(offset, offset + limit).map((each) => repricingReply(project, each));
  return { items, total: all.length, limit, offset };
});
