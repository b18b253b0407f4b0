import * as v from "valibot";
import { invocationBounds } from "../aws/call-bounds.ts";
import { functionInvoker } from "../aws/invoke-function.ts";
import type { Principal } from "../domain/access/principal.ts";
import { noMasking } from "../domain/masking/rules.ts";
import { Refusal } from "../domain/refusal.ts";
import type { CreateNamedProject } from "../http/guards/caller-projects.ts";
import type { ProjectDirectory } from "../store/access/project-lookup.ts";
import { required, variables } from "./environment.ts";

/** Event of the project maker function: the API key that first named a project, and the name. */
const firstUseRequest = v.object({
  key_id: v.string(),
  maker_id: v.nullable(v.string()),
  organization_id: v.string(),
  name: v.string(),
});

const rules = v.array(v.string());
const masked = v.object({ keys: rules, paths: rules, presets: rules });

const firstUseResult = v.variant("kind", [
  v.object({
    kind: v.literal("project"),
    id: v.string(),
    metadata_keys: v.array(v.string()),
    masking: v.optional(masked, noMasking),
  }),
  v.object({ kind: v.picklist(["unauthenticated", "forbidden", "unavailable"]), detail: v.string() }),
]);

/** Returns a function that creates a project through the project maker, the one Lambda function with the permission. */
export const firstUses = (): CreateNamedProject => {
  const invoke = functionInvoker(invocationBounds);
  const maker = required(variables.projectMaker);
  return async ({ keyId, maker: makerId, organizationId }, name) => {
    const request: v.InferOutput<typeof firstUseRequest> = {
      key_id: keyId,
      maker_id: makerId,
      organization_id: organizationId,
      name,
    };
    const result = v.parse(firstUseResult, await invoke(maker, request));
    if (result.kind !== "project") throw new Refusal({ kind: result.kind, detail: result.detail });
    return { id: result.id, organizationId, name, metadata_keys: result.metadata_keys, masking: result.masking };
  };
};

/** Creates the handler of the project maker function. Idempotent: a repeated call returns the existing project. */
export const projectMaker =
  (access: Pick<ProjectDirectory, "findOrCreateProject">) =>
  async (event: unknown): Promise<v.InferOutput<typeof firstUseResult>> => {
    const { key_id: keyId, maker_id: makerId, organization_id: organizationId, name } = v.parse(firstUseRequest, event);
    const principal: Principal = { kind: "key", keyId, organizationId };
    try {
      const { id, metadata_keys, masking } = await access.findOrCreateProject(organizationId, name, principal, makerId);
      return { kind: "project", id, metadata_keys: [...metadata_keys], masking: v.parse(masked, masking) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { reason } = error;
      const isReported =
        reason.kind === "unauthenticated" || reason.kind === "forbidden" || reason.kind === "unavailable";
      if (!isReported) throw error;
      return { kind: reason.kind, detail: reason.detail };
    }
  };
