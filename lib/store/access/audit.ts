import * as v from "valibot";
import { actorTypes, auditActions, type AuditEvent } from "../../domain/access/audit.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import { accessItems } from "./items.ts";
import { auditPartition, prefixes } from "./keys.ts";
import type { Database } from "../../dynamo/database.ts";

/** Reader of the audit events of organizations. */
export interface AuditTrail {
  /** Lists the audit events of an organization, newest first. */
  page(organizationId: string, at: PageRequest): Promise<Page<AuditEvent>>;
}

const auditEventItem = v.object({
  id: v.string(),
  action: v.picklist(auditActions),
  actor_type: v.picklist(actorTypes),
  actor_id: v.string(),
  target: v.string(),
  details: v.record(v.string(), v.string()),
  created_at: v.string(),
  ttl: v.number(),
});

export const auditTrail = (database: Database, now: () => number = Date.now): AuditTrail => {
  const { query } = accessItems(database);

  const events = async function* (organizationId: string): AsyncGenerator<AuditEvent> {
    for await (const item of query({
      pk: auditPartition(organizationId),
      prefix: prefixes.auditEvents,
      descending: true,
    })) {
      const {
        actor_type: actorType,
        actor_id: actorId,
        created_at: createdAt,
        ttl,
        ...rest
      } = v.parse(auditEventItem, item);
      if (ttl * 1000 > now()) yield { ...rest, actorType, actorId, createdAt };
    }
  };

  return {
    page: (organizationId, at) => pageOf(events(organizationId), at, ({ createdAt, id }) => ({ key: createdAt, id })),
  };
};
