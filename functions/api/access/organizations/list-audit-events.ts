import { listAuditEvents } from "../../../../lib/contract/access/audit.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { auditTrail } from "../../../../lib/store/access/audit.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [trail, members] = [auditTrail(database), memberStore(database)];

export const handler = endpoint(listAuditEvents, environmentUserGuard(database), async ({ params, paging, user }) => {
  requireRole(await members.role(params.org_id, user.userId), "ADMIN");
  const { items, ...page } = await trail.page(params.org_id, paging);
  return paging.page(
    items.map(({ id, action, actorType, actorId, target, details, createdAt }) => ({
      id,
      action,
      actor_type: actorType,
      actor_id: actorId,
      target_id: target,
      details: { ...details },
      created_at: createdAt,
    })),
    page.total,
    page.last,
  );
});
