import { afterAll, beforeAll, expect, test } from "vitest";
import { developerEmail } from "../../../infra/local/bearer-token.ts";
import { listOrganizations } from "../../../lib/contract/access/organizations.ts";
import { getMe } from "../../../lib/contract/access/me.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { clientWith, type Headers, send } from "../../support/service/client.ts";
import { type RunningService, startService } from "../../support/service/service.ts";

let service: RunningService;

beforeAll(async () => {
  service = await startService({ noSignIn: true, warmFunctions: 4 });
});

afterAll(() => service.close());

const me = (headers: Headers = {}) => clientWith(service, headers).call(getMe);

test("without sign-in, a local call without a credential is the developer's", async () => {
  const nobody = clientWith(service, { "X-Project-ID": service.tenant.projectId });
  const { trace_id } = await nobody.answer(createTrace, {
    body: { name: "a", started_at: new Date().toISOString() },
  });

  expect(await nobody.answer(getMe)).toMatchObject({ email: developerEmail, display_name: "Local Developer" });
  expect((await nobody.page(listOrganizations)).total).toBe(1);
  expect((await nobody.answer(listTraces)).items.map((trace) => trace.trace_id)).toEqual([trace_id]);
  expect((await me({ Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-site" })).status).toBe(200);
});

test.each<[string, Headers]>([
  ["a page of another origin", { Origin: "https://evil.example" }],
  ["a page with an opaque origin", { Origin: "null" }],
  ["a link of another page", { "Sec-Fetch-Site": "cross-site" }],
  ["a foreign host name that resolves to this machine", { Host: "evil.example:4000" }],
  ["a wrong token", { Authorization: "Bearer wrong" }],
  ["a wrong key", { "X-API-Key": "sk_as_wrong" }],
])("%s is refused all the same", async (_, headers) => {
  expect((await me(headers)).status).toBe(401);
});

test("a credential takes precedence over the developer's identity", async () => {
  const { stranger } = service;
  const developer = await me();
  const strangerReply = await me({ Authorization: `Bearer ${stranger.bearerToken}` });

  expect(strangerReply.status).toBe(200);
  expect(Object(strangerReply.body).id).not.toBe(Object(developer.body).id);
  const path = "/nowhere";
  expect((await send(service, { method: "GET", path })).status).toBe(404);
});
