import type { AuditAction } from "../../domain/access/audit.ts";
import { randomId } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Principal } from "../../domain/access/principal.ts";
import type { AccessWrite } from "./items.ts";
import { auditKey } from "./keys.ts";

/** Days an audit event is kept. */
const auditDays = 400;

/** What happened to what. */
export interface Audited {
  readonly organizationId: string;
  readonly by: Principal;
  readonly action: AuditAction;
  /** Id of what the action is about: its kind is the action's first word. */
  readonly target: string;
  /** What an auditor wants to know beyond that: names and roles, nothing secret. */
  readonly details?: Readonly<Record<string, string>>;
}

/** An audit event as it is stored. @param now epoch milliseconds. */
export const auditItem = ({ organizationId, by, action, target, details = {} }: Audited, now: number) => {
  const id = randomId();
  const created_at = instantAt(now);
  return {
    ...auditKey(organizationId, created_at, id),
    id,
    action,
    actor_type: by.kind === "user" ? "USER" : "API_KEY",
    actor_id: by.kind === "user" ? by.userId : by.keyId,
    target,
    details,
    created_at,
    ttl: Math.ceil(now / 1000) + auditDays * 86_400,
  };
};

/** The audit event of a change, for the change's own transaction. @param now epoch milliseconds. */
export const auditWrite = (audited: Audited, now: number): AccessWrite => ({ put: auditItem(audited, now) });
