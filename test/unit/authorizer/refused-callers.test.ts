import { expect, test } from "vitest";
import { authorizer } from "../../../lib/authorizer/authorize.ts";
import { withRefusalMetric } from "../../../lib/authorizer/refusal-metrics.ts";
import type { ApiKeys } from "../../../lib/store/access/api-keys.ts";
import { fullScope } from "../../../lib/domain/access/key-scope.ts";
import { hashApiKey, newApiKey } from "../../../lib/domain/access/identity.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { authorizerEvent, noSignIn, sharedKey } from "./request.ts";

const good = newApiKey();

const keys: ApiKeys = {
  find: async (hash) =>
    hash === hashApiKey(good)
      ? {
          id: "k",
          organizationId: "o",
          revoked: false,
          expiresAt: null,
          lastUsedAt: Date.now(),
          scope: fullScope,
          maker: null,
        }
      : null,
  recordUse: async () => undefined,
} as Partial<ApiKeys> as ApiKeys;

const authorize = withRefusalMetric(authorizer(keys, null, sharedKey, noSignIn));

test.each([
  ["a key that nobody has", { "X-API-Key": newApiKey() }],
  ["a token where none are taken", { Authorization: "Bearer secret-token" }],
  ["nothing", {}],
])("a caller who sends %s is refused and counted, without the credential in the log", async (_, headers) => {
  const { lines, result } = await publishedLines(() => authorize(authorizerEvent(headers)));

  expect((await result).policyDocument.Statement).toMatchObject([{ Effect: "Deny" }]);
  expect(lines).toMatchObject([{ event: "caller_refused", RefusedCallers: 1 }]);
  for (const value of Object.values(headers)) expect(JSON.stringify(lines)).not.toContain(value);
});

test("a caller who is admitted is not counted", async () => {
  const { lines, result } = await publishedLines(() => authorize(authorizerEvent({ "X-API-Key": good })));

  expect((await result).policyDocument.Statement).toMatchObject([{ Effect: "Allow" }]);
  expect(lines).toEqual([]);
});
