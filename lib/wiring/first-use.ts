import * as v from "valibot";
import { invocationBounds } from "../aws/call-bounds.ts";
import { functionCaller } from "../aws/invoke-function.ts";
import type { Principal } from "../domain/access/principal.ts";
import { Refusal } from "../domain/refusal.ts";
import type { MakeNamedProject } from "../http/caller-projects.ts";
import type { Access } from "../store/access/projects-of-callers.ts";
import { required, variables } from "./environment.ts";

/** What the function that makes projects is called with: the key that names one first, and the name. */
const firstUse = v.object({
  key_id: v.string(),
  maker_id: v.nullable(v.string()),
  organization_id: v.string(),
  name: v.string(),
});

const outcome = v.variant("kind", [
  v.object({
    kind: v.literal("project"),
    id: v.string(),
    metadata_keys: v.array(v.string()),
  }),
  v.object({ kind: v.picklist(["unauthenticated", "forbidden", "unavailable"]), detail: v.string() }),
]);

/** Makes projects that a key names first, by the one function that may. */
export const firstUses = (): MakeNamedProject => {
  const invoke = functionCaller(invocationBounds);
  const maker = required(variables.projectMaker);
  return async ({ keyId, maker: makerId, organizationId }, name) => {
    const sent: v.InferOutput<typeof firstUse> = {
      key_id: keyId,
      maker_id: makerId,
      organization_id: organizationId,
      name,
    };
    const made = v.parse(outcome, await invoke(maker, sent));
    if (made.kind !== "project") throw new Refusal({ kind: made.kind, detail: made.detail });
    return { id: made.id, organizationId, name, metadataKeys: made.metadata_keys };
  };
};

/** The other side: what that function does. Called again, it finds what it has made. */
export const projectMaker =
  (access: Pick<Access, "projectNamed">) =>
  async (event: unknown): Promise<v.InferOutput<typeof outcome>> => {
    const { key_id: keyId, maker_id: makerId, organization_id: organizationId, name } = v.parse(firstUse, event);
    const by: Principal = { kind: "key", keyId, organizationId };
    try {
      const { id, metadataKeys } = await access.projectNamed(organizationId, name, by, makerId);
      return { kind: "project", id, metadata_keys: [...metadataKeys] };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { reason } = error;
      const isTold = reason.kind === "unauthenticated" || reason.kind === "forbidden" || reason.kind === "unavailable";
      if (!isTold) throw error;
      return { kind: reason.kind, detail: reason.detail };
    }
  };
