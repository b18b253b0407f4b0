import { randomUUID } from "node:crypto";
import { safeParse, type GenericSchema } from "valibot";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { Route } from "../../lib/contract/route.ts";
import { routes } from "../../lib/contract/routes.ts";
import { createMonitor } from "../../lib/contract/monitors.ts";
import { createTraceRun } from "../../lib/contract/trace-runs.ts";
import { createTrace } from "../../lib/contract/traces.ts";
import { bearerClient, type Client, clientWith, type Headers, newProject, pathOf, send } from "../support/client.ts";
import { endedRun } from "../support/ended-run.ts";
import { expectStatus, problems, type Reply } from "../support/reply-shape.ts";

const service = inject("service");
const { tenant } = service;

const project = newProject(service);
const unknownKey = `sk_as_${"0".repeat(64)}`;
const json = { "Content-Type": "application/json" };

type Named = readonly [name: string, route: Route];

const named = (chosen: readonly Route[]): Named[] => chosen.map((route) => [`${route.method} ${route.path}`, route]);
const guarded = named(routes.filter(({ access }) => access !== "public"));
const ours = routes.filter(({ protocol }) => protocol === undefined);
const ofProjects = named(ours.filter(({ access }) => access === "project"));
const withBody = named(ours.filter(({ body }) => body !== undefined));

/** A call that gets as far as its body; an empty object is sent where one is expected. */
const minimal = (client: Client, route: Route, params: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  client.call(route, { params, ...(route.body === undefined ? {} : { bytes: "{}" }) });

/** A caller whom a route lets in. */
const callerOf = ({ access }: Route): Client =>
  access === "user" ? clientWith(service, { Authorization: `Bearer ${tenant.bearerToken}` }) : project;

/** What the body of a route with one is sent as, by a caller whom the route lets in. */
const sendBytes = (route: Route, bytes: string, headers: Headers = json): Promise<Reply> =>
  callerOf(route).call(route, { bytes, headers });

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

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['401 {"detail":"Invalid or revoked API key."}']),
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

/** A third of some cases: each route tries its own, so that three routes try all. */
const thirdFor = <Case>(route: Route, cases: readonly Case[]): readonly Case[] =>
  cases.filter((_, index) => index % 3 === routes.indexOf(route) % 3);

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
    const names = thirdFor(route, [" ", "-a", "a/b", "é1", "a".repeat(256), "a\tb"]);
    const replies = await Promise.all(
      names.map((name) => minimal(clientWith(service, { ...project.headers, "X-Project-Name": name }), route)),
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

describe.each(withBody)("the body of %s", (_name, route) => {
  test("that is no JSON is refused with the offset", async () => {
    const broken = thirdFor<readonly [string, number]>(route, [
      ["{", 1],
      ['{"a":1,}', 7],
      ["{'a':1}", 1],
      ['{"a":1} {}', 8],
      ['{"a":1}// x', 7],
      ['{"a":NaN}', 5],
      ['{"a":Infinity}', 5],
      ['{"a":-Infinity}', 6],
      ['{"a":01}', 6],
      ['{"a":"\n"}', 6],
      ['{"a":"\\x"}', 7],
    ]);
    const replies = await Promise.all(broken.map(([text]) => sendBytes(route, text)));

    expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(
      broken.map(([, offset]) => ({
        status: 422,
        body: {
          detail: [expect.objectContaining({ loc: ["body", offset], type: "json_invalid" })],
          errors: [{ field: String(offset), message: expect.any(String) as string }],
        },
      })),
    );
  });

  test("is required", async () => {
    const replies = await Promise.all([
      callerOf(route).call(route, { headers: json }),
      sendBytes(route, ""),
      sendBytes(route, " \n"),
    ]);

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(replies.map(() => [422, ["body"]]));
  });

  test("of another shape is refused", async () => {
    const shapes = ["null", "true", "3", '"x"', '"{}"', ...(route.body?.type === "object" ? ["[]", "[{}]"] : [])];
    const replies = await Promise.all(shapes.map((text) => sendBytes(route, text)));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(replies.map(() => [422, ["body"]]));
  });

  test("of another type is refused", async () => {
    const types = [
      undefined,
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonX",
      "application/json; charset=utf-16",
      "application/json, text/html",
    ];
    const replies = await Promise.all(types.map((type) => sendBytes(route, "{}", { "Content-Type": type })));

    expect(replies.map(({ status }) => status)).toEqual(types.map(() => 415));
  });

  test("may be of any JSON type in UTF-8", async () => {
    const types = [
      "application/json; charset=utf-8",
      "APPLICATION/JSON",
      "application/vnd.x+json",
      'application/json;charset="UTF-8"',
    ];
    const replies = await Promise.all(types.map((type) => sendBytes(route, "7", { "Content-Type": type })));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(types.map(() => [422, ["body"]]));
  });
});

// One limit for all, kept by the wrapper and the gateway: three routes show it, megabytes to each would take a minute.
describe.each(named([createTrace, createTraceRun, createMonitor]))("the body of %s", (_name, route) => {
  test("may be 4 MiB long and no longer", async () => {
    const limit = 4 * 1024 * 1024;
    const within = await sendBytes(route, `"${"a".repeat(limit - 2)}"`);
    const above = await sendBytes(route, `"${"a".repeat(limit - 1)}"`);
    const wide = await sendBytes(route, `"${"é".repeat(limit / 2)}"`);
    // Escaped into an event as text it would be larger than Lambda takes.
    const escaped = await sendBytes(route, `[${'"",'.repeat(1_398_000)}0]`);
    const huge = await sendBytes(route, `"${"a".repeat(5_000_000)}"`);

    expect([within, above, wide, escaped, huge].map(({ status }) => status)).toEqual([422, 413, 413, 422, 413]);
  });
});

describe.each(named(routes))("the address of %s", (_name, route) => {
  const allowed = routes.filter(({ path }) => path === route.path).map(({ method }) => method);
  const headers = { ...project.headers, ...json };

  test("ends without a slash and in nothing else", async () => {
    const path = pathOf(route);
    const wrong = [
      `${path}/`,
      `${path}/nothing/here/at/all`,
      `/${path}`,
      `/v1${path}`,
      path.toUpperCase(),
      `${path};x=1`,
    ];
    const missing = wrong.filter((each) => !routes.some((other) => matches(other, each)));
    const replies = await Promise.all(
      missing.map((each) => send(service, { method: route.method, path: each, headers })),
    );

    expect(replies.map(({ status, text }) => `${status} ${text}`)).toEqual(
      missing.map(() => '404 {"detail":"Not Found"}'),
    );
  });

  test("takes no other method, whatever a header says", async () => {
    const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].filter(
      (method) => !(allowed as readonly string[]).includes(method),
    );
    const replies = await Promise.all(
      others.map((method) =>
        send(service, { method, path: pathOf(route), headers: { ...headers, "X-HTTP-Method-Override": route.method } }),
      ),
    );

    expect(replies.map(({ status, headers }) => [status, headers["allow"]])).toEqual(
      others.map(() => [405, allowed.toSorted().join(", ")]),
    );
  });
});

/** Whether an address is, by chance, one of a route with parameters. */
const matches = ({ path }: Route, address: string): boolean =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(address);

interface Parameter {
  readonly route: Route;
  readonly name: string;
  readonly schema: GenericSchema;
}

const parameters = routes.flatMap((route): (readonly [string, Parameter])[] => {
  const entries =
    (route.params as { readonly entries?: Readonly<Record<string, GenericSchema>> } | undefined)?.entries ?? {};
  return Object.entries(entries).map(([name, schema]) => [
    `${name} of ${route.method} ${route.path}`,
    { route, name, schema },
  ]);
});

const isUuid = ({ schema }: Parameter): boolean =>
  safeParse(schema, randomUUID()).success && !safeParse(schema, "no uuid").success;

/** What exists in a project and does not change by itself, by the name of the parameter it is addressed with. */
const furnished = async (client: Client): Promise<Readonly<Record<string, string>>> => {
  const [session_id, span_id] = [randomUUID(), randomUUID()];
  const started_at = "2026-10-01";
  const body = { name: "x", started_at, session_id, spans: [{ span_id, name: "y", started_at }] };
  const { trace_id } = await client.answer(createTrace, { body });
  const { id: run_id } = await client.answer(createTraceRun, { body: { metrics: ["task_completion"] } });
  await endedRun(client, { id: run_id });
  const monitor = { name: "z", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };
  const { id: monitor_id } = await client.answer(createMonitor, { body: monitor });
  return { trace_id, session_id, span_id, run_id, monitor_id };
};

let mine: Readonly<Record<string, string>>;
let foreign: readonly Readonly<Record<string, string>>[];

beforeAll(async () => {
  const others = [newProject(service), newProject(service, service.stranger)];
  [mine = {}, ...foreign] = await Promise.all([project, ...others].map(furnished));
});

describe.each(parameters)("the id in %s", (_name, parameter) => {
  const ofProject = parameter.route.access === "project";
  const { route, name } = parameter;
  const idIn = (things: Readonly<Record<string, string>>): string => things[name] ?? things["trace_id"] ?? "";

  test.runIf(ofProject)("answers like an unknown one when it is another project's", async () => {
    const told = async (id: string): Promise<string> => {
      const { status, text } = await minimal(project, route, { ...mine, [name]: id });
      return `${status} ${text.replaceAll(id, "<id>")}`;
    };
    const unknown = await told(randomUUID());

    expect(await Promise.all(foreign.map((things) => told(idIn(things))))).toEqual(foreign.map(() => unknown));
    expect(unknown).toMatch(route.body === undefined ? /^404 |^200 (?:\[\]|.*"total":0)/ : /^4/);
  });

  test.runIf(ofProject && isUuid(parameter) && route.method === "GET")("means the same in any case", async () => {
    const lower = await minimal(project, route, { ...mine, [name]: idIn(mine) });
    const upper = await minimal(project, route, { ...mine, [name]: idIn(mine).toUpperCase() });

    expect(lower.status).toBe(200);
    expect(upper.text).toBe(lower.text);
  });

  test.runIf(isUuid(parameter))("has to be a UUID", async () => {
    const id = randomUUID();
    const wrong = [
      "x",
      id.slice(1),
      `${id}0`,
      `{${id}}`,
      `urn:uuid:${id}`,
      id.replaceAll("-", ""),
      `${id}\n`,
      `${id}\0`,
      `１${id.slice(1)}`,
      "../x",
      "%2e%2e",
      "a".repeat(4000),
    ];
    const replies = await Promise.all(
      thirdFor(route, wrong).map((each) => minimal(callerOf(route), route, { ...mine, [name]: each })),
    );

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(
      replies.map(() => [422, expect.arrayContaining([`path.${name}`])]),
    );
  });
});
