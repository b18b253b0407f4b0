import * as v from "valibot";
import { actorTypes, auditActions, type AuditEvent } from "../../domain/access/audit.ts";
import { type Page, type PageAt, pageOf } from "../../domain/page.ts";
import { accessItems } from "./items.ts";
import { auditPartition, prefixes } from "./keys.ts";
import type { Database } from "../database.ts";

export interface AuditTrail {
  /** What was done to an organization and what it has, newest first. */
  page(organizationId: string, at: PageAt): Promise<Page<AuditEvent>>;
}

const stored = v.object({
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
  const { each } = accessItems(database);

  const events = async function* (organizationId: string): AsyncGenerator<AuditEvent> {
    for await (const item of each(auditPartition(organizationId), prefixes.auditEvents, true)) {
      const { actor_type: actorType, actor_id: actorId, created_at: createdAt, ttl, ...rest } = v.parse(stored, item);
      if (ttl * 1000 > now()) yield { ...rest, actorType, actorId, createdAt };
    }
  };

  return {
    page: (organizationId, at) => pageOf(events(organizationId), at, ({ createdAt, id }) => ({ key: createdAt, id })),
  };
};
