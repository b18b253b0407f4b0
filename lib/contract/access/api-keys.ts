import * as v from "valibot";
import { replyInstant, oneOf, page, optionalPaging, uuid } from "../schema/fields.ts";
import { closedObject } from "../schema/closed-object.ts";
import { keyAccesses } from "../../domain/access/key-scope.ts";
import { booleanParameter } from "../list-query.ts";
import { organizationParams } from "./fields.ts";
import { displayName } from "../schema/plain-text.ts";
import { route, secretHeaders } from "../route.ts";

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
    "An API key. `raw_key` is the secret, present only in the reply that creates the key, and null later. `is_active` is false for " +
      "revoked and expired keys. `created_by` is the user who created the key; null for keys of the operator and older keys without " +
      "this information. `sign_in` is true for keys of command-line sign-ins, which end with the membership of their user.",
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

const replayConflict = "The same request has already created a key, and a key is shown only once.";

export const createApiKey = route({
  id: "createApiKey",
  method: "POST",
  idempotency: "derived-id",
  path: "/organizations/{org_id}/api-keys",
  handler: "api/access/organizations/create-api-key",
  summary: "Create an API key",
  description:
    "Requires membership, or the role in the organization's `key_makers`. A key with full access and without a project restriction " +
    "creates projects by naming them. Unknown fields are refused, so that a misspelt restriction cannot be ignored.",
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
            "`full`: all data-plane operations; `read`: operations that change nothing and cost nothing; `ingest`: storing traces and spans only, without scores; `label`: labelling the traces of label sets only, without their scores.",
          ),
        ),
        "full",
      ),
      project_id: v.nullish(
        v.pipe(
          uuid,
          v.description("Only project that the key can access; all projects of the organization if null or absent."),
        ),
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
  conflict: replayConflict,
  grants: {
    access: {
      GetItem: ["organization", "project"],
      PutItem: ["audit", "key", "keyExpiry", "organization"],
      ConditionCheckItem: ["organization", "project"],
    },
  },
});

export const listApiKeys = route({
  id: "listApiKeys",
  method: "GET",
  path: "/organizations/{org_id}/api-keys",
  handler: "api/access/organizations/list-api-keys",
  summary: "List API keys",
  description: "Returns all API keys of an organization, revoked keys included, newest first.",
  access: "user",
  params: organizationParams,
  query: v.object(optionalPaging),
  success: 200,
  reply: v.union([v.array(apiKey), page(apiKey)]),
  grants: { access: { BatchGetItem: ["key"], Query: ["organization"] } },
});

export const getApiKey = route({
  id: "getApiKey",
  method: "GET",
  path: "/organizations/{org_id}/api-keys/{key_id}",
  handler: "api/access/organizations/get-api-key",
  summary: "Get an API key",
  access: "user",
  params,
  success: 200,
  reply: apiKey,
  grants: { access: { GetItem: ["key", "organization"] } },
});

export const rotateApiKey = route({
  id: "rotateApiKey",
  method: "POST",
  idempotency: "derived-id",
  path: "/organizations/{org_id}/api-keys/{key_id}/rotate",
  handler: "api/access/organizations/rotate-api-key",
  summary: "Rotate an API key",
  description:
    "Creates a key with the same name and restrictions that is valid for 90 days; the old key stays valid. Requires the admin or " +
    "owner role and the right to create keys. Only keys that expire and are not revoked can be rotated.",
  access: "user",
  params,
  success: 201,
  reply: apiKey,
  headers: secretHeaders,
  conflict: replayConflict,
  grants: {
    access: {
      GetItem: ["key", "organization"],
      PutItem: ["audit", "key", "keyExpiry", "organization"],
      ConditionCheckItem: ["organization", "project"],
    },
  },
});

export const deleteApiKey = route({
  id: "deleteApiKey",
  method: "DELETE",
  path: "/organizations/{org_id}/api-keys/{key_id}",
  handler: "api/access/organizations/delete-api-key",
  summary: "Revoke an API key",
  description:
    "Takes effect within 5 seconds. Requires the admin or owner role, or to be the creator of the key. `permanent=true` also deletes " +
    "the key's record and always requires the admin or owner role.",
  access: "user",
  params,
  query: v.object({ permanent: v.optional(booleanParameter, ["false"]) }),
  success: 204,
  reply: v.void(),
  grants: {
    access: {
      GetItem: ["key", "organization"],
      PutItem: ["audit"],
      UpdateItem: ["key"],
      DeleteItem: ["key", "keyExpiry", "organization"],
    },
  },
});
