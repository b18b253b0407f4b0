import { eventSchemas } from "../events/registry.ts";
import type { OpenApiDocument } from "./openapi.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import { jsonSchemaOf } from "./schema-of.ts";

/** Describes the events that the service puts on its event bus, as bodies that a rule of the bus passes to a target. */
export const webhooksOf = (registry: SchemaRegistry): OpenApiDocument["webhooks"] =>
  Object.fromEntries(
    Object.entries(eventSchemas).map(([kind, schema]) => [
      kind,
      {
        post: {
          summary: `Receive \`${kind}\``,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    "detail-type": { const: kind },
                    detail: jsonSchemaOf(schema, "output", registry, `${kind} event`),
                  },
                  required: ["detail-type", "detail"],
                },
              },
            },
          },
          responses: { 200: { description: "Received" } },
        },
      },
    ]),
  );
