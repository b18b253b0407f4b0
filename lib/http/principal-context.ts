import * as v from "valibot";
import type { Principal } from "../domain/access/principal.ts";
import type { SignedIn } from "../store/access/users.ts";

/** Who sent a request, as the authorizer tells it. */
export type Verified = Extract<Principal, { kind: "key" }> | ({ readonly kind: "user" } & SignedIn);

/** The authorizer's context as handlers read it: API Gateway hands every value over as text. */
export const verifiedOf = v.pipe(
  v.variant("principal", [
    v.object({ principal: v.literal("key"), key_id: v.string(), organization_id: v.string() }),
    v.object({
      principal: v.literal("user"),
      user_id: v.string(),
      email: v.optional(v.string()),
      display_name: v.optional(v.string()),
    }),
  ]),
  v.transform((context): Verified =>
    context.principal === "key"
      ? { kind: "key", keyId: context.key_id, organizationId: context.organization_id }
      : {
          kind: "user",
          userId: context.user_id,
          email: context.email ?? null,
          displayName: context.display_name ?? null,
        },
  ),
);

/** A caller as the authorizer's context carries it. */
export const contextOf = (verified: Verified): Record<string, string> =>
  verified.kind === "key"
    ? { principal: "key", key_id: verified.keyId, organization_id: verified.organizationId }
    : {
        principal: "user",
        user_id: verified.userId,
        ...(verified.email !== null && { email: verified.email }),
        ...(verified.displayName !== null && { display_name: verified.displayName }),
      };
