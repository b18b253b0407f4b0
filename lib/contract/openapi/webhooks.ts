import { eventSchemas } from "../events/registry.ts";
import type { OpenApiDocument } from "./openapi.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import { jsonSchemaOf } from "./schema-of.ts";

/** Fields that EventBridge adds to each event. */
const envelope = {
  version: { const: "0", description: "Version of EventBridge's envelope." },
  id: {
    type: "string",
    description: "Id that EventBridge gave; an event that is repeated has another one, and the same `detail.id`.",
  },
  source: { const: "assay" },
  account: { type: "string", description: "AWS account of the service." },
  time: { type: "string", format: "date-time" },
  region: { type: "string", description: "AWS region of the service." },
  resources: { type: "array", items: { type: "string" }, description: "Always empty." },
} as const;

/** Describes the events that the service puts on its event bus, as bodies that a rule of the bus passes to a target. */
export const webhooksOf = (registry: SchemaRegistry): OpenApiDocument["webhooks"] =>
  Object.fromEntries(
    Object.entries(eventSchemas).map(([kind, schema]) => [
      kind,
      {
        post: {
          // The bus authenticates itself to a target as the target's rule says.
          security: [],
          summary: `Receive \`${kind}\``,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    ...envelope,
                    "detail-type": { const: kind },
                    detail: jsonSchemaOf(schema, "output", registry, `${kind} event`),
                  },
                  required: [...Object.keys(envelope), "detail-type", "detail"],
                },
              },
            },
          },
          responses: { 200: { description: "Received" } },
        },
      },
    ]),
  );
