import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { routes } from "../../../lib/contract/routes.ts";
import { inTurn } from "../../support/in-turn.ts";
import { bearerClient, clientWith } from "../../support/service/client.ts";
import { minimal, named, ours, project } from "../../support/service/every-route.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";

const service = inject("service");
const { tenant } = service;

const unknownKey = `sk_as_${"0".repeat(64)}`;

const guarded = named(routes.filter(({ access }) => access !== "public"));
const ofProjects = named(ours.filter(({ access }) => access === "project"));

describe.each(guarded)("%s without a good credential", (_name, route) => {
  const withHeaders = (headers: Readonly<Record<string, string>>) => minimal(clientWith(service, headers), route);

  test("is refused when there is none", async () => {
    const replies = await Promise.all([
      withHeaders({}),
      withHeaders({ "X-API-Key": "" }),
      withHeaders({ Authorization: "Bearer" }),
      withHeaders({ Authorization: `Basic ${tenant.bearerToken}` }),
    ]);

    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test("is refused in the same words when the key is malformed and when it is unknown", async () => {
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

  test("is refused when the token is not one of the issuer's", async () => {
    const [head, claims] = tenant.bearerToken.split(".");
    const forged = [`${head}.${claims}.`, `${head}.${claims}.${"A".repeat(342)}`, "a.b.c", "x".repeat(10_000)];
    const replies = await Promise.all(forged.map((token) => withHeaders({ Authorization: `Bearer ${token}` })));

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['401 {"detail":"Invalid token."}']),
    );
  });

  test("is refused before its body is looked at", async () => {
    const reply = await clientWith(service, {}).call(route, { bytes: "{", headers: { "Content-Type": "text/plain" } });

    expect(reply.status).toBe(401);
  });
});

describe.each(ofProjects)("%s and its project", (_name, route) => {
  test("a key decides when a bearer token is sent too", async () => {
    const keyWins = await minimal(clientWith(service, { ...project.headers, Authorization: "Bearer nonsense" }), route);
    const keyLoses = await minimal(
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

  test("the header that names the project is required", async () => {
    const byKey = await minimal(clientWith(service, { "X-API-Key": tenant.apiKey }), route);
    const byToken = await minimal(clientWith(service, { Authorization: `Bearer ${tenant.bearerToken}` }), route);

    expect(byKey).toMatchObject({ status: 422, body: { detail: [{ loc: ["header", "X-Project-Name"] }] } });
    expect(byToken).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["header", "X-Project-ID"] }] },
    });
  });

  test("a project name that is no name is refused", async () => {
    const names = [" ", "-a", "a/b", "é1", "a".repeat(256), "a\tb"];
    const replies = await inTurn(names, (name) =>
      minimal(clientWith(service, { ...project.headers, "X-Project-Name": name }), route),
    );

    expect(replies.map((reply) => `${reply.status} ${problems(reply).join(" ")}`)).toEqual(
      names.map(() => "422 header.X-Project-Name"),
    );
  });

  test("a project id that is no id is refused", async () => {
    const reply = await minimal(bearerClient(service, "1"), route);

    expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: ["header", "X-Project-ID"] }] } });
  });

  test("another organization's project answers like one that does not exist", async () => {
    const foreign = await minimal(bearerClient(service, service.stranger.projectId), route);
    const unknown = await minimal(bearerClient(service, randomUUID()), route);

    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe('{"detail":"Project not found or does not belong to your organization."}');
    expect(unknown.text).toBe(foreign.text);
    expect(unknown.status).toBe(foreign.status);
  });
});
