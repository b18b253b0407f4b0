import * as v from "valibot";
import { isFullScope, keyAccesses, type KeyScope, fullScope } from "../../domain/access/key-scope.ts";
import type { Principal } from "../../domain/access/principal.ts";
import type { SignedInUser } from "../../store/access/users.ts";

/** A verified API key with its scope and the user id of its creator (`maker`); null if no user created it or the creator is unknown. */
export type VerifiedKey = Extract<Principal, { kind: "key" }> & {
  readonly scope: KeyScope;
  readonly maker: string | null;
};

/** The verified sender of a request: an API key or a signed-in user. */
export type VerifiedCaller = VerifiedKey | ({ readonly kind: "user" } & SignedInUser);

const keyEntries = { key_id: v.string(), organization_id: v.string(), maker_id: v.optional(v.string()) };

/** Schema that reads the verified caller from the Lambda authorizer's context. API Gateway passes every value as a string. */
export const callerContext = v.pipe(
  v.variant("principal", [
    v.object({ principal: v.literal("key"), ...keyEntries }),
    // Scoped keys have another `principal`, so that a handler of an older version does not treat them as unscoped.
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
      /** Present only for users who may not create organizations. */
      may_organize: v.optional(v.literal("false")),
    }),
  ]),
  v.transform((context): VerifiedCaller => {
    if (context.principal === "user") {
      const user: SignedInUser = {
        userId: context.user_id,
        email: context.email ?? null,
        displayName: context.display_name ?? null,
        ...(context.may_organize === "false" && { canCreateOrganizations: false }),
      };
      return { kind: "user", ...user };
    }
    return {
      kind: "key",
      keyId: context.key_id,
      organizationId: context.organization_id,
      maker: context.maker_id ?? null,
      scope:
        context.principal === "key" ? fullScope : { access: context.access, projectId: context.project_id ?? null },
    };
  }),
);

const scopeContext = (scope: KeyScope): Record<string, string> =>
  isFullScope(scope)
    ? { principal: "key" }
    : {
        principal: "scoped_key",
        access: scope.access,
        ...(scope.projectId !== null && { project_id: scope.projectId }),
      };

/** Returns the authorizer context of a verified caller, with every value as a string. */
export const contextOfCaller = (verified: VerifiedCaller): Record<string, string> =>
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
        ...(verified.canCreateOrganizations === false && { may_organize: "false" }),
      };
