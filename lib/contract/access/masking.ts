import * as v from "valibot";
import { closedObject } from "../schema/closed-object.ts";
import { jsonObject, uuid } from "../schema/fields.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { route } from "../route.ts";
import { maskedTexts } from "../traces/trace.ts";
import { traceInput } from "../traces/trace-input.ts";
import { maskingRules } from "./masking-rules.ts";
import { listReachableProjects } from "./projects.ts";

export const previewMasking = route({
  id: "previewMasking",
  method: "POST",
  idempotency: "none",
  path: "/projects/{project_id}/masking/preview",
  handler: "api/access/organizations/list-reachable-projects",
  answeredBy: listReachableProjects.id,
  summary: "Preview masking",
  description: "Masks a trace by rules to try, or else by those of the project, and stores nothing.",
  access: "organization",
  permission: "read",
  hasContent: true,
  params: v.object({ project_id: uuid }),
  body: v.pipe(
    closedObject({ trace: traceInput, masking: v.optional(maskingRules) }),
    v.title("MaskingPreviewInput"),
    v.examples([
      {
        trace: { name: "support-agent", started_at: "2026-11-21T09:00:00Z", input: "I am ann@example.com" },
        masking: { keys: [], paths: [], presets: ["email" as const] },
      },
    ]),
  ),
  success: 200,
  reply: v.pipe(
    v.object({ trace: v.pipe(v.unknown(), documentedBySchema(jsonObject)), masked: maskedTexts }),
    v.title("MaskingPreview"),
    v.examples([
      {
        trace: { name: "support-agent", started_at: "2026-11-21T09:00:00.000000+00:00", input: "I am [masked:email]" },
        masked: { email: 1 },
      },
    ]),
  ),
  grants: listReachableProjects.grants,
});
