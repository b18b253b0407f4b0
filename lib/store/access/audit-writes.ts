import type { AuditAction } from "../../domain/access/audit.ts";
import { randomId } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Principal } from "../../domain/access/principal.ts";
import type { Write } from "../../dynamo/items.ts";
import { auditKey } from "./keys.ts";

/** Days that an audit event is stored. */
const retentionDays = 400;

/** An action in an organization that is recorded in its audit trail. */
export interface AuditedAction {
  readonly organizationId: string;
  readonly actor: Principal;
  readonly action: AuditAction;
  /** Id of the object of the action; the first word of `action` is its kind. */
  readonly target: string;
  /** Further facts for auditors, such as names and roles; no secrets. */
  readonly details?: Readonly<Record<string, string>>;
}

/** The stored item of an audit event. @param now epoch milliseconds. */
export const auditItem = ({ organizationId, actor, action, target, details = {} }: AuditedAction, now: number) => {
  const id = randomId();
  const created_at = instantAt(now);
  return {
    ...auditKey(organizationId, created_at, id),
    id,
    action,
    actor_type: actor.kind === "user" ? "USER" : "API_KEY",
    actor_id: actor.kind === "user" ? actor.userId : actor.keyId,
    target,
    details,
    created_at,
    ttl: Math.ceil(now / 1000) + retentionDays * 86_400,
  };
};

/** The write of a change's audit event, for the same transaction as the change. @param now epoch milliseconds. */
export const auditWrite = (action: AuditedAction, now: number): Write => ({ put: auditItem(action, now) });
