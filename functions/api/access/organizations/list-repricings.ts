import { listRepricings } from "../../../../lib/contract/access/repricings.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { projectNotFound } from "../../../../lib/http/access/reply.ts";
import { repricingReply } from "../../../../lib/http/access/repricing-reply.ts";
import { pagedReply } from "../../../../lib/http/paging.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { repricingJobs } from "../../../../lib/store/traces/repricing/jobs.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];
const jobs = repricingJobs(database);

export const handler = endpoint(listRepricings, environmentUserGuard(database), async ({ params, paging, user }) => {
  const { org_id: organizationId, project_id: project } = params;
  requireRole(await members.role(organizationId, user.userId));
  if ((await projects.find(organizationId, project)) === null) throw projectNotFound(project);
  const repricings = await jobs.list(project);
  const page = pagedReply(paging, repricings, ({ requestedAt, id }) => ({ key: requestedAt, id }));
  return { ...page, items: page.items.map((each) => repricingReply(project, each)) };
});
