import * as v from "valibot";
import { cliScopes } from "../../domain/access/key-scope.ts";
import { closedObject } from "../schema/closed-object.ts";
import { replyInstant, oneOf, text, uuid } from "../schema/fields.ts";
import { displayLabel } from "../schema/plain-text.ts";
import { route, secretHeaders } from "../route.ts";

/** Schema of a PKCE code challenge of method S256: 32 bytes in base64url. */
export const codeChallenge = v.pipe(
  text(43, 43),
  v.regex(/^[A-Za-z0-9_-]{43}$/u, "Input should be the unpadded base64url of a SHA-256"),
);

/** Schema of a PKCE code verifier (RFC 7636). */
export const codeVerifier = v.pipe(
  text(128, 43),
  v.regex(/^[A-Za-z0-9._~-]{43,128}$/u, "Input should be 43 to 128 letters, digits and `-._~`"),
);

export const createCliCode = route({
  id: "createCliCode",
  method: "POST",
  idempotency: "replay-by-header",
  path: "/cli/auth/codes",
  handler: "api/access/cli/create-cli-code",
  summary: "Create a command-line sign-in code",
  description:
    "The code is valid once, for 120 seconds, together with the verifier of its challenge (PKCE, RFC 7636, S256). Requires the right " +
    "to create API keys. The resulting key ends with the membership of the user.",
  access: "user",
  body: v.pipe(
    closedObject({
      org_id: uuid,
      project_id: uuid,
      scope: v.optional(
        v.pipe(
          oneOf(cliScopes),
          v.description("Scope of the key: all projects of the organization, or this project only."),
        ),
        "organization",
      ),
      code_challenge: codeChallenge,
      code_challenge_method: v.optional(text(255), "S256"),
      label: v.nullish(displayLabel),
      expires_days: v.optional(v.number("Input should be a valid number"), 90),
    }),
    v.title("CliCodeInput"),
    v.description(
      "A request for a sign-in code; `code_challenge` is the SHA-256 hash of the verifier in base64url without padding.",
    ),
    v.examples([
      {
        org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
        project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
        scope: "organization",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256",
        label: "laptop",
        expires_days: 90,
      },
    ]),
  ),
  success: 201,
  conflict: "The same request has already created a code, and a code is shown only once.",
  headers: secretHeaders,
  reply: v.pipe(
    v.object({ code: v.string(), expires_in: v.pipe(v.number(), v.integer()) }),
    v.title("CliCode"),
    v.examples([{ code: "y5QJ3o1m0cN8Yt2W4xk6Zb7Lr9PfVdGhSaEuIiOqTjM", expires_in: 120 }]),
  ),
  grants: { access: { GetItem: ["organization", "project"], PutItem: ["cliCode"] } },
});

export const exchangeCliCode = route({
  id: "exchangeCliCode",
  method: "POST",
  idempotency: "none",
  path: "/cli/auth/exchange",
  handler: "api/access/cli/exchange-cli-code",
  summary: "Exchange a sign-in code",
  description:
    "Returns an API key that is valid for 90 days. A wrong verifier does not invalidate the code. The rate limit applies per IP address.",
  access: "public",
  body: v.pipe(
    v.object({
      code: text(1024, 1),
      code_verifier: codeVerifier,
    }),
    v.title("CliExchangeInput"),
    v.examples([
      {
        code: "y5QJ3o1m0cN8Yt2W4xk6Zb7Lr9PfVdGhSaEuIiOqTjM",
        code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      },
    ]),
  ),
  success: 200,
  headers: secretHeaders,
  reply: v.pipe(
    v.object({
      api_key: v.string(),
      project_name: v.string(),
      org_id: uuid,
      key_id: uuid,
      key_prefix: v.string(),
      expires_at: replyInstant,
    }),
    v.title("CliKey"),
    v.examples([
      {
        api_key: `sk_as_${"0123456789abcdef".repeat(4)}`,
        project_name: "checkout",
        org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
        key_id: "c1f4a8d2-93b6-4d0e-a2c7-6e5f4d3c2b1a",
        key_prefix: "sk_as_0123",
        expires_at: "2027-02-19T09:00:00.000000+00:00",
      },
    ]),
  ),
  credentialInBody: true,
  limitPerMinute: 20,
  grants: {
    access: {
      GetItem: ["cliCode", "organization", "project"],
      PutItem: ["audit", "key", "keyExpiry", "organization"],
      DeleteItem: ["cliCode"],
      ConditionCheckItem: ["organization", "project"],
    },
  },
});
