import * as v from "valibot";
import { replyInstant, oneOf, page, pagingIfAsked, uuid } from "../fields.ts";
import { closedObject } from "../closed-object.ts";
import { keyAccesses } from "../../domain/access/key-scope.ts";
import { flag } from "../list-query.ts";
import { organizationParams } from "./fields.ts";
import { displayName } from "../plain-text.ts";
import { route } from "../route.ts";
import { secretHeaders } from "../security-headers.ts";

const params = v.object({ ...organizationParams.entries, key_id: uuid });

const apiKey = v.pipe(
  v.object({
    id: uuid,
    org_id: uuid,
    key_prefix: v.string(),
    name: v.string(),
    is_active: v.boolean(),
    created_at: replyInstant,
    expires_at: v.nullable(replyInstant),
    raw_key: v.nullable(v.string()),
    access: oneOf(keyAccesses),
    project_id: v.nullable(uuid),
    created_by: v.nullable(uuid),
    sign_in: v.boolean(),
  }),
  v.title("ApiKey"),
  v.description(
    "`raw_key` is the key itself: it is there in the reply that makes the key and null ever after. `is_active` is false " +
      "once the key is revoked or has expired. `created_by` is the user who made it; null for the operator's, and for keys from " +
      "before makers were kept. `sign_in` says that a command line was signed in by it: such keys end with their maker's membership.",
  ),
  v.examples([
    {
      id: "c1f4a8d2-93b6-4d0e-a2c7-6e5f4d3c2b1a",
      org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
      key_prefix: "sk_as_1f2e",
      name: "production",
      is_active: true,
      created_at: "2026-11-21T09:00:00.000000+00:00",
      expires_at: null,
      raw_key: null,
      access: "full",
      project_id: null,
      created_by: "7a1d4a52-8c0f-8b1e-a6c3-2f4b8d9e0c11",
      sign_in: false,
    },
  ]),
);

const made = "A repeated request has made its key before: a key is shown once.";

export const createApiKey = route({
  id: "createApiKey",
  method: "POST",
  repeats: "made",
  path: "/organizations/{org_id}/api-keys",
  handler: "api/access/organizations/create-api-key",
  summary: "Make an API key",
  description:
    "For members, unless the organization's `key_makers` says otherwise. A key for one project, or whose `access` is not `full`, makes " +
    "no project by naming it. What the body does not know is refused: a misspelt restriction would be none.",
  access: "user",
  params: organizationParams,
  body: v.pipe(
    closedObject({
      name: displayName,
      expiration: v.optional(oneOf(["never", "90d"]), "never"),
      access: v.optional(
        v.pipe(
          oneOf(keyAccesses),
          v.description(
            "`full`: all that the data plane has. `read`: what changes nothing and costs nothing. `ingest`: sends traces and spans, and reads nothing.",
          ),
        ),
        "full",
      ),
      project_id: v.nullish(
        v.pipe(uuid, v.description("The one project that the key reaches; every project when null or absent.")),
      ),
    }),
    v.title("ApiKeyInput"),
    v.examples([
      { name: "production", expiration: "never", access: "full" },
      {
        name: "exporter",
        expiration: "never",
        access: "ingest",
        project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      },
    ]),
  ),
  success: 201,
  reply: apiKey,
  headers: secretHeaders,
  conflict: made,
  grants: { access: ["GetItem", "PutItem", "ConditionCheckItem"] },
});

export const listApiKeys = route({
  id: "listApiKeys",
  method: "GET",
  path: "/organizations/{org_id}/api-keys",
  handler: "api/access/organizations/list-api-keys",
  summary: "List an organization's API keys, revoked ones too, newest first",
  access: "user",
  params: organizationParams,
  query: v.object(pagingIfAsked),
  success: 200,
  reply: v.union([v.array(apiKey), page(apiKey)]),
  grants: { access: ["GetItem", "BatchGetItem", "Query"] },
});

export const getApiKey = route({
  id: "getApiKey",
  method: "GET",
  path: "/organizations/{org_id}/api-keys/{key_id}",
  handler: "api/access/organizations/get-api-key",
  summary: "Read what is known of an API key",
  access: "user",
  params,
  success: 200,
  reply: apiKey,
  grants: { access: ["GetItem"] },
});

export const rotateApiKey = route({
  id: "rotateApiKey",
  method: "POST",
  repeats: "made",
  path: "/organizations/{org_id}/api-keys/{key_id}/rotate",
  handler: "api/access/organizations/rotate-api-key",
  summary: "Make a new key of the same name for 90 days; the old one stays valid",
  description:
    "For admins and owners who may make keys; of keys that expire and were not revoked. The new one is held to what the old one is.",
  access: "user",
  params,
  success: 201,
  reply: apiKey,
  headers: secretHeaders,
  conflict: made,
  grants: { access: ["GetItem", "PutItem", "ConditionCheckItem"] },
});

export const deleteApiKey = route({
  id: "deleteApiKey",
  method: "DELETE",
  path: "/organizations/{org_id}/api-keys/{key_id}",
  handler: "api/access/organizations/delete-api-key",
  summary: "Revoke an API key; with permanent=true the record of it goes too",
  description:
    "For admins and owners, and for who made the key; the record of it goes by admins and owners alone. It takes effect everywhere within 5 seconds.",
  access: "user",
  params,
  query: v.object({ permanent: v.optional(flag, ["false"]) }),
  success: 204,
  reply: v.void(),
  grants: { access: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] },
});
