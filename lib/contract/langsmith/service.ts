import * as v from "valibot";
import { singleValue, uuid } from "../schema/fields.ts";
import { route } from "../route.ts";
import { getHealth } from "../service.ts";
import { ingestLangsmithRuns, sharedProperties } from "./runs.ts";

const integer = v.pipe(v.number(), v.integer());

/** How LangSmith's SDKs may send runs. */
export const langsmithInfo = {
  batch_ingest_config: {
    use_multipart_endpoint: true,
    size_limit: 100,
    // A body has at most 4 MiB.
    size_limit_bytes: 3 * 1024 * 1024,
    scale_up_qsize_trigger: 1_000,
    scale_up_nthreads_limit: 16,
    scale_down_nempty_trigger: 4,
  },
  // API Gateway decodes gzip, and refuses zstd.
  instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: false },
};

/** Public, as it is at LangSmith: the SDKs ask for it with or without a key. */
export const getLangsmithInfo = route({
  ...getHealth,
  id: "getLangsmithInfo",
  answeredBy: getHealth.id,
  protocol: "langsmith",
  method: "GET",
  path: "/langsmith/info",
  summary: "Get limits for LangSmith's SDKs",
  description: "Returns how the SDKs may send runs: batch sizes and encodings.",
  success: 200,
  reply: v.pipe(
    v.object({
      batch_ingest_config: v.object({
        use_multipart_endpoint: v.boolean(),
        size_limit: integer,
        size_limit_bytes: integer,
        scale_up_qsize_trigger: integer,
        scale_up_nthreads_limit: integer,
        scale_down_nempty_trigger: integer,
      }),
      instance_flags: v.object({ gzip_body_enabled: v.boolean(), zstd_compression_enabled: v.boolean() }),
    }),
    v.title("LangsmithInfo"),
  ),
});

const tracerSession = v.pipe(
  v.object({
    id: uuid,
    name: v.string(),
    tenant_id: uuid,
    reference_dataset_id: v.nullable(uuid),
  }),
  v.title("LangsmithSession"),
);

export const listLangsmithSessions = route({
  ...sharedProperties(),
  id: "listLangsmithSessions",
  answeredBy: ingestLangsmithRuns.id,
  method: "GET",
  path: "/langsmith/sessions",
  summary: "Find a project for LangSmith's SDKs",
  description:
    "Returns the project to which runs of the session `name` go, or an empty list if there is none yet; LangSmith calls a project a session.",
  warns: true,
  query: v.object({ name: v.optional(singleValue(v.string())) }),
  success: 200,
  reply: v.array(tracerSession),
});
