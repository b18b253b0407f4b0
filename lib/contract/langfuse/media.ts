import * as v from "valibot";
import { text } from "../schema/fields.ts";
import { route } from "../route.ts";

export const createLangfuseMedia = route({
  id: "createLangfuseMedia",
  method: "POST",
  path: "/api/public/media",
  handler: "api/langfuse/create-media",
  summary: "Answer media uploads of Langfuse's SDKs",
  description:
    "Media are not stored: the reply says that nothing has to be uploaded, so that the SDKs neither upload nor retry. The reference " +
    "(`@@@langfuseMedia:...@@@`) stays in the span's value; a judge reads it as `[image/png, not stored]`.",
  access: "project",
  permission: "ingest",
  body: v.pipe(
    v.object({
      sha256Hash: v.pipe(text(64, 1), v.description("SHA-256 hash of the content, in base64.")),
    }),
    v.title("LangfuseMedia"),
    v.examples([{ sha256Hash: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" }]),
  ),
  success: 200,
  idempotency: "replay-by-header",
  reply: v.pipe(
    v.object({
      mediaId: v.pipe(v.string(), v.description("Id of the media in references, as the SDKs derive it from the hash.")),
      uploadUrl: v.pipe(v.nullable(v.string()), v.description("Always null: nothing is to be uploaded.")),
    }),
    v.title("LangfuseMediaReply"),
    v.examples([{ mediaId: "47DEQpj8HBSa-_TImW-5JC", uploadUrl: null }]),
  ),
  grants: {},
});
