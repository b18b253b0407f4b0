import { previewMasking } from "../../../../lib/contract/access/masking.ts";
import { listReachableProjects } from "../../../../lib/contract/access/projects.ts";
import { withMicroseconds } from "../../../../lib/domain/instant.ts";
import { maskedCounts } from "../../../../lib/domain/masking/count.ts";
import { maskerOf } from "../../../../lib/domain/masking/masker.ts";
import { maskTrace } from "../../../../lib/domain/traces/masking/mask.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../../lib/http/shared-endpoint.ts";
import { environmentOrganizationGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectNotFound, projectReply } from "../../../../lib/http/access/reply.ts";
import { pagedReply } from "../../../../lib/http/paging.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const projects = projectStore(database);
const guard = environmentOrganizationGuard(database);

const instants = new Set(["started_at", "ended_at", "completion_start_time"]);

/** Writes the instants of a trace or a span as replies have them. */
const inReplyForm = (record: object) =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]: [string, unknown]) => [
      name,
      instants.has(name) && typeof value === "string" ? withMicroseconds(value) : value,
    ]),
  );

/** Answers the routes that read the projects which a caller reaches. */
export const handler = sharedEndpoint(
  endpoint(listReachableProjects, guard, async ({ onlyProject, keyAccess, organizationId, paging }) => {
    const key_access = keyAccess;
    if (onlyProject === null) {
      const page = await projects.page(organizationId, paging);
      return { ...paging.page(page.items.map(projectReply), page.total, page.last), key_access };
    }
    const project = await projects.find(organizationId, onlyProject);
    const projectReplies = project === null ? [] : [projectReply(project)];
    const page = pagedReply(paging, projectReplies, ({ created_at, id }) => ({ key: created_at, id }));
    return { ...page, key_access };
  }),
  endpoint(previewMasking, guard, async ({ onlyProject, organizationId, params: { project_id: id }, body }) => {
    const isReached = onlyProject === null || onlyProject === id;
    const project = isReached ? await projects.find(organizationId, id) : null;
    if (project === null) throw projectNotFound(id);
    const masker = maskerOf(body.masking ?? project.masking);
    const trace = masker === null ? body.trace : maskTrace(masker, body.trace);
    const spans = trace.spans?.map(inReplyForm);
    return { trace: { ...inReplyForm(trace), spans }, masked: maskedCounts(trace) ?? {} };
  }),
);
