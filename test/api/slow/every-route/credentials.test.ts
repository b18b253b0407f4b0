import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { routes } from "../../../../lib/contract/routes.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { bearerClient, clientWith } from "../../../support/service/client.ts";
import { minimalRequest, routesByName, jsonRoutes, project } from "../../../support/service/every-route.ts";
import { expectStatus, problems } from "../../../support/reply-shape.ts";
import { sample } from "../../../support/sample.ts";

const service = inject("service");
const { tenant } = service;

const unknownKey = `sk_as_${"0".repeat(64)}`;

const guarded = routesByName(routes.filter(({ access }) => access !== "public"));
const ofProjects = routesByName(jsonRoutes.filter(({ access }) => access === "project"));

describe.each(sample("credentials", guarded))("%s without a valid credential", (_name, route) => {
  const withHeaders = (headers: Readonly<Record<string, string>>) =>
    minimalRequest(clientWith(service, headers), route);

  test("is refused without any credential", async () => {
    const replies = await Promise.all([
      withHeaders({}),
      withHeaders({ "X-API-Key": "" }),
      withHeaders({ Authorization: "Bearer" }),
      withHeaders({ Authorization: `Basic ${tenant.bearerToken}` }),
    ]);

    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test("is refused with the same error for a malformed and for an unknown key", async () => {
    const wrong = [
      "x",
      `${tenant.apiKey}0`,
      tenant.apiKey.toUpperCase(),
      `${tenant.apiKey}, ${tenant.apiKey}`,
      unknownKey,
    ];
    const replies = await Promise.all(wrong.map((key) => withHeaders({ ...project.headers, "X-API-Key": key })));

    const words =
      route.access === "user"
        ? "Bearer token required. Provide Authorization: Bearer <token>."
        : "Invalid or revoked API key.";
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`401 {"detail":"${words}"}`]),
    );
  });

  test("is refused with a token of another issuer", async () => {
    const [head, claims] = tenant.bearerToken.split(".");
    const forged = [`${head}.${claims}.`, `${head}.${claims}.${"A".repeat(342)}`, "a.b.c", "x".repeat(10_000)];
    const replies = await Promise.all(forged.map((token) => withHeaders({ Authorization: `Bearer ${token}` })));

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['401 {"detail":"Invalid token."}']),
    );
  });

  test("is refused before its body is validated", async () => {
    const reply = await clientWith(service, {}).call(route, { bytes: "{", headers: { "Content-Type": "text/plain" } });

    expect(reply.status).toBe(401);
  });
});

describe.each(sample("projects", ofProjects))("%s and its project", (_name, route) => {
  test("uses the key when a bearer token is sent too", async () => {
    const keyWins = await minimalRequest(
      clientWith(service, { ...project.headers, Authorization: "Bearer nonsense" }),
      route,
    );
    const keyLoses = await minimalRequest(
      clientWith(service, {
        "X-API-Key": unknownKey,
        Authorization: `Bearer ${tenant.bearerToken}`,
        "X-Project-ID": tenant.projectId,
      }),
      route,
    );

    expect(keyWins.status).not.toBe(401);
    expectStatus(keyLoses, 401);
  });

  test("requires the header that names the project, unless telemetry does", async () => {
    const byKey = await minimalRequest(clientWith(service, { "X-API-Key": tenant.apiKey }), route);
    const byToken = await minimalRequest(clientWith(service, { Authorization: `Bearer ${tenant.bearerToken}` }), route);

    expect(byKey).toMatchObject(
      route.namesProjects === true
        ? { status: 200 }
        : { status: 422, body: { detail: [{ loc: ["header", "X-Project-Name"] }] } },
    );
    expect(byToken).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["header", "X-Project-ID"] }] },
    });
  });

  test("refuses an invalid project name", async () => {
    const names = [" ", "-a", "a/b", "é1", "a".repeat(256), "a\tb"];
    const replies = await inTurn(names, (name) =>
      minimalRequest(clientWith(service, { ...project.headers, "X-Project-Name": name }), route),
    );

    expect(replies.map((reply) => `${reply.status} ${problems(reply).join(" ")}`)).toEqual(
      names.map(() => "422 header.X-Project-Name"),
    );
  });

  test("refuses an invalid project id", async () => {
    const reply = await minimalRequest(bearerClient(service, "1"), route);

    expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: ["header", "X-Project-ID"] }] } });
  });

  test("answers for another organization's project as for one that does not exist", async () => {
    const foreign = await minimalRequest(bearerClient(service, service.stranger.projectId), route);
    const unknown = await minimalRequest(bearerClient(service, randomUUID()), route);

    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe('{"detail":"Project not found or does not belong to your organization."}');
    expect(unknown.text).toBe(foreign.text);
    expect(unknown.status).toBe(foreign.status);
  });
});
