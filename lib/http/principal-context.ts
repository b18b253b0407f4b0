import * as v from "valibot";
import { isUnscoped, keyAccesses, type KeyScope, unscoped } from "../domain/access/key-scope.ts";
import type { Principal } from "../domain/access/principal.ts";
import type { SignedIn } from "../store/access/users.ts";

/** A verified key: what it is held to, and who made it, null where nobody did or nobody knows. */
export type VerifiedKey = Extract<Principal, { kind: "key" }> & {
  readonly scope: KeyScope;
  readonly maker: string | null;
};

/** Who sent a request, as the authorizer tells it. */
export type Verified = VerifiedKey | ({ readonly kind: "user" } & SignedIn);

const keyEntries = { key_id: v.string(), organization_id: v.string(), maker_id: v.optional(v.string()) };

/** The authorizer's context as handlers read it: API Gateway hands every value over as text. */
export const verifiedOf = v.pipe(
  v.variant("principal", [
    v.object({ principal: v.literal("key"), ...keyEntries }),
    // Under a name of its own: a handler that knows no scopes must not take such a key for one that may do all.
    v.object({
      principal: v.literal("scoped_key"),
      ...keyEntries,
      access: v.picklist(keyAccesses),
      project_id: v.optional(v.string()),
    }),
    v.object({
      principal: v.literal("user"),
      user_id: v.string(),
      email: v.optional(v.string()),
      display_name: v.optional(v.string()),
      /** Only of those who may not. */
      may_organize: v.optional(v.literal("false")),
    }),
  ]),
  v.transform((context): Verified => {
    if (context.principal === "user") {
      return {
        kind: "user",
        userId: context.user_id,
        email: context.email ?? null,
        displayName: context.display_name ?? null,
        ...(context.may_organize === "false" && { mayOrganize: false as const }),
      };
    }
    return {
      kind: "key",
      keyId: context.key_id,
      organizationId: context.organization_id,
      maker: context.maker_id ?? null,
      scope: context.principal === "key" ? unscoped : { access: context.access, projectId: context.project_id ?? null },
    };
  }),
);

const scopeContext = (scope: KeyScope): Record<string, string> =>
  isUnscoped(scope)
    ? { principal: "key" }
    : {
        principal: "scoped_key",
        access: scope.access,
        ...(scope.projectId !== null && { project_id: scope.projectId }),
      };

/** A caller as the authorizer's context carries it. */
export const contextOf = (verified: Verified): Record<string, string> =>
  verified.kind === "key"
    ? {
        ...scopeContext(verified.scope),
        key_id: verified.keyId,
        organization_id: verified.organizationId,
        ...(verified.maker !== null && { maker_id: verified.maker }),
      }
    : {
        principal: "user",
        user_id: verified.userId,
        ...(verified.email !== null && { email: verified.email }),
        ...(verified.displayName !== null && { display_name: verified.displayName }),
        ...(verified.mayOrganize === false && { may_organize: "false" }),
      };
