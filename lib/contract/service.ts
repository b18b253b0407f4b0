import * as v from "valibot";
import { instant } from "./fields.ts";
import { route } from "./route.ts";

const health = v.pipe(
  v.object({
    status: v.literal("healthy"),
    version: v.string(),
    environment: v.string(),
    timestamp: instant,
  }),
  v.title("Health"),
  v.examples([
    { status: "healthy", version: "0.1.0", environment: "prod", timestamp: "2026-11-21T09:00:00.125000+00:00" },
  ]),
);

export const getHealth = route({
  id: "getHealth",
  method: "GET",
  path: "/health",
  handler: "api/service/get-health",
  summary: "Whether the service answers",
  access: "public",
  success: 200,
  reply: health,
  grants: {},
  memory: 256,
});

/** Both pages change only with a deployment. */
const fiveMinutes = { "Cache-Control": "public, max-age=300" };

const openApi = v.pipe(
  v.looseObject({ openapi: v.string(), info: v.looseObject({ title: v.string(), version: v.string() }) }),
  v.description("An OpenAPI 3.1 document."),
  v.examples([{ openapi: "3.1.1", info: { title: "Assay", version: "0.1.0" } }]),
);

export const getOpenApi = route({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  handler: "api/service/get-open-api",
  summary: "This interface as an OpenAPI document",
  access: "public",
  success: 200,
  reply: openApi,
  headers: fiveMinutes,
  grants: {},
  memory: 256,
});

export const getDocs = route({
  id: "getDocs",
  method: "GET",
  path: "/docs",
  handler: "api/service/get-docs",
  summary: "This interface as a page to read",
  access: "public",
  success: 200,
  reply: v.string(),
  media: "text/html; charset=utf-8",
  headers: { ...fiveMinutes, "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'" },
  grants: {},
  memory: 256,
});
