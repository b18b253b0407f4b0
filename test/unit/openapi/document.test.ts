import { Validator } from "@seriousme/openapi-schema-validator";
import * as v from "valibot";
import { expect, test } from "vitest";
import { documentedRoutes, openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { resolve } from "../../../lib/contract/openapi/openapi.ts";
import { route, type Route } from "../../../lib/contract/route.ts";
import { routes as allRoutes } from "../../../lib/contract/routes.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { createTraceRun, listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { uuid } from "../../../lib/contract/schema/fields.ts";
import { reasons } from "../../../lib/domain/scores/reason-codes.ts";

const routes = documentedRoutes(allRoutes);
const document = openApiDocument(routes);
const operationOf = (described: Route, among = document) => {
  const operation = among.paths[described.path]?.[described.method.toLowerCase()];
  if (operation === undefined) throw new Error(`${described.id} is not in the document.`);
  return operation;
};
const responseOf = (described: Route, status: string) => {
  const response = operationOf(described).responses[status];
  if (response === undefined) throw new Error(`${described.id} has no ${status}.`);
  return resolve(document.components.responses, response);
};

/** A route that exists in this file only. */
const renameWidget = route({
  id: "renameWidget",
  method: "PATCH",
  path: "/widgets/{widget_id}/name",
  handler: "api/widgets/rename-widget",
  summary: "Rename a widget",
  access: "project",
  permission: "write",
  params: v.object({ widget_id: uuid }),
  body: v.pipe(v.object({ name: v.pipe(v.string(), v.minLength(1)) }), v.title("WidgetName")),
  success: 200,
  reply: v.pipe(v.object({ id: uuid }), v.title("Widget")),
  conflict: "Another widget has this name.",
  grants: {},
});

test("the document is valid by the schema of OpenAPI 3.1", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone({ ...document }));

  expect(result).toMatchObject({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("the run schema describes every reason code, its cause and whether it is retried", () => {
  const about = document.tags.find(({ name }) => name === "runs")?.description?.split("\n") ?? [];

  for (const [code, { message }] of Object.entries(reasons)) {
    expect(about.filter((row) => row.startsWith(`| \`${code}\` | ${message}. |`))).toHaveLength(1);
  }
  expect(about).toContainEqual(expect.stringMatching(/^\| `judge_unavailable` .* \| once, then for a day /u));
  expect(about).toContainEqual(expect.stringMatching(/^\| `judge_refused` .* \| no \|$/u));
});

test("every reference resolves", () => {
  const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^/"]+)\/([^"]+)"/gu)];
  const sections: Readonly<Record<string, object>> = { ...document.components };

  expect(pointers.length).toBeGreaterThan(0);
  expect(pointers.filter(([, section = "", name = ""]) => !Object.hasOwn(sections[section] ?? {}, name))).toEqual([]);
});

test("every component is referenced or is a security scheme", () => {
  const { securitySchemes: _, ...components } = document.components;
  const text = JSON.stringify(document);
  const names = Object.entries(components).flatMap(([section, sectionComponents]) =>
    Object.keys(sectionComponents).map((name) => `${section}/${name}`),
  );

  // The contract names a generic page; every page here is a page of a certain resource.
  expect(names.filter((name) => !text.includes(`"#/components/${name}"`))).toEqual(["schemas/PaginatedResponse"]);
});

test("every route is one operation with its own id, with its path parameters declared", () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

  expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
  for (const each of routes) {
    const declared = operationOf(each)
      .parameters.map((parameter) => resolve(document.components.parameters, parameter))
      .filter((parameter) => parameter.in === "path");
    expect(declared.map(({ name }) => name)).toEqual([...each.path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name));
    expect(declared.every(({ required }) => required === true)).toBe(true);
  }
});

test("a new route appears with no other edit", () => {
  const extended = openApiDocument([...routes, renameWidget]);
  const operation = operationOf(renameWidget, extended);

  expect(operation).toMatchObject({
    operationId: "renameWidget",
    tags: ["widgets"],
    requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/WidgetName" } } } },
    responses: {
      200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Widget" } } } },
      409: { description: "Another widget has this name." },
    },
  });
  expect(operation.parameters).toContainEqual(expect.objectContaining({ name: "widget_id", in: "path" }));
  expect(extended.components.schemas["WidgetName"]).toEqual({
    type: "object",
    properties: { name: { type: "string", minLength: 1 } },
    required: ["name"],
  });
});

test("a route whose body schema is undescribed code is refused by name", () => {
  const body = v.object({ when: v.custom<string>((value) => typeof value === "string") });

  expect(() => openApiDocument([{ ...renameWidget, body }])).toThrow(
    "renameWidget body.when: the JSON Schema cannot be derived from this code. Declare it with describedAs(...) at the end of its pipe.",
  );
});

test("two schemas of one name are refused", () => {
  const reply = v.pipe(v.object({ other: v.string() }), v.title("WidgetName"));

  expect(() => openApiDocument([{ ...renameWidget, reply }])).toThrow("WidgetName");
});

test("the security schemes are those of the contract, in the combinations it allows", () => {
  expect(document.components.securitySchemes).toMatchObject({
    bearer: { type: "http", scheme: "bearer" },
    apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
    projectId: { type: "apiKey", in: "header", name: "X-Project-ID" },
    projectName: { type: "apiKey", in: "header", name: "X-Project-Name" },
  });
  for (const each of routes) {
    const securitySchemes = {
      public: [],
      verified: [{ apiKey: [] }, { bearer: [] }],
      project: [
        { apiKey: [], projectName: [] },
        { bearer: [], projectId: [] },
      ],
      organization: [{ apiKey: [] }, { bearer: [] }],
      user: [{ bearer: [] }],
    };
    expect(operationOf(each).security).toEqual(securitySchemes[each.access]);
  }
});

test("request headers are declared where they are read", () => {
  const headersOf = (described: Route) =>
    operationOf(described)
      .parameters.map((parameter) => resolve(document.components.parameters, parameter))
      .filter((parameter) => parameter.in === "header")
      .map(({ name }) => name);

  expect(headersOf(getHealth)).toEqual(["X-Request-ID", "If-None-Match"]);
  expect(headersOf(listTraceRuns)).toEqual(["X-Project-Name", "X-Project-ID", "X-Request-ID", "If-None-Match"]);
  expect(headersOf(createTraceRun)).toEqual(["X-Project-Name", "X-Project-ID", "X-Request-ID", "Idempotency-Key"]);
});

test("a parameter of a list has its range, default and description", () => {
  const query = operationOf(listTraceRuns).parameters.filter(
    (parameter) => "in" in parameter && parameter.in === "query",
  );

  expect(query).toEqual([
    { name: "limit", in: "query", required: false, schema: { type: "integer", minimum: 1, maximum: 200, default: 50 } },
    { name: "offset", in: "query", required: false, schema: { type: "integer", minimum: 0, default: 0 } },
    {
      name: "cursor",
      in: "query",
      required: false,
      schema: {
        type: "string",
        minLength: 1,
        maxLength: 10_000,
        description: expect.stringContaining("`next_cursor`"),
      },
    },
    {
      name: "status",
      in: "query",
      required: false,
      schema: { type: "string", enum: ["PENDING", "RUNNING", "COMPLETED", "FAILED"] },
    },
    expect.objectContaining({ name: "date_from", required: false }),
    expect.objectContaining({ name: "date_to", required: false }),
  ]);
});

test("a parameter that may be sent once is no array, whichever route has it", () => {
  const parameters = routes.flatMap((route) => operationOf(route).parameters);
  const lists = parameters.flatMap((parameter) =>
    "schema" in parameter && parameter.schema.type === "array" ? [parameter.name] : [],
  );

  expect(new Set(lists)).toEqual(new Set(["tags", "score", "no_score", "group_by", "include"]));
});

test("an operation lists every status it may answer", () => {
  expect(Object.keys(operationOf(createTraceRun).responses)).toEqual([
    "202",
    "401",
    "403",
    "404",
    "413",
    "415",
    "422",
    "429",
    "500",
    "503",
    "default",
  ]);
  expect(Object.keys(operationOf(getHealth).responses)).toEqual(["200", "304", "413", "415", "429", "500", "default"]);
});

test("every reply has the request's id, and replies that demand a wait say how long", () => {
  for (const each of routes) {
    for (const status of Object.keys(operationOf(each).responses)) {
      const { headers } = responseOf(each, status);
      expect(Object.keys(headers)).toContain("X-Request-ID");
      expect("Retry-After" in headers).toBe(status === "429" || status === "503");
    }
  }
});

test("schemas have the names of the contract", () => {
  const { schemas } = document.components;

  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining(["EvalRun", "TraceScore", "PaginatedResponse", "ValidationError", "HTTPValidationError"]),
  );
  expect(schemas["PaginatedResponse"]?.required).toEqual(["items", "total", "limit", "offset", "next_cursor"]);
  expect(schemas["EvalRunPage"]).toEqual({
    ...schemas["PaginatedResponse"],
    properties: {
      ...schemas["PaginatedResponse"]?.properties,
      items: { type: "array", items: { $ref: "#/components/schemas/EvalRun" } },
    },
  });
  expect(responseOf(createTraceRun, "422").content).toEqual({
    "application/json": { schema: { $ref: "#/components/schemas/HTTPValidationError" } },
  });
});

test("the version is the contract's and the server is where the document was read", () => {
  expect(document.info.version).toBe("0.1.0");
  expect(document.servers.map(({ url }) => String(new URL(url, "https://host/prod/openapi.json")))).toEqual([
    "https://host/prod/",
  ]);
});

test("an alias of a route is marked as such, and names the route to call", () => {
  const { paths } = openApiDocument(routes);
  const double = paths["/trace-runs/template"]?.["get"];

  expect(double?.deprecated).toBe(true);
  expect(double?.description).toContain("Deprecated: use `/evaluations/trace-runs/template`");
  expect(paths["/evaluations/trace-runs/template"]?.["get"]?.deprecated).toBeUndefined();
});

test("replies in a project may report that it was created, and no others", () => {
  const { paths } = openApiDocument(routes);
  const documentedProjectRoutes = routes.filter(({ path, method, success }) =>
    Object.hasOwn(Object(paths[path]?.[method.toLowerCase()]?.responses[success]).headers, "X-Project-Created"),
  );

  expect(documentedProjectRoutes).toEqual(routes.filter(({ access }) => access === "project"));
});

test("every list states its default and maximum number of items", () => {
  const { paths } = openApiDocument(routes);
  const silent = Object.values(paths).flatMap((item) =>
    Object.values(item).filter(
      ({ parameters, description = "" }) =>
        parameters.some((each) => "name" in each && each.name === "limit") && !/`limit` is 1 to \d+/u.test(description),
    ),
  );

  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
});

test("a webhook describes the whole event that a target of the bus receives", () => {
  const schema = document.webhooks["alert.raised"]?.post.requestBody.content["application/json"]?.schema;
  const fields = ["version", "id", "source", "account", "time", "region", "resources", "detail-type", "detail"];
  expect([Object.keys(schema?.properties ?? {}), schema?.required]).toEqual([fields, fields]);
});

test("each score of a reply has whether it applies beside its value", () => {
  const scores: string[] = [];
  const lacking: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { properties = {} } = schema as { readonly properties?: object };
    // Values of scores, or points of the history of one; signals are of scores that apply.
    const isScore = "created_at" in properties && ("data_type" in properties || "metric_name" in properties);
    if (isScore && ("value" in properties || "score" in properties)) {
      scores.push(path);
      if (!("applicable" in properties)) lacking.push(path);
    }
    for (const [name, part] of Object.entries(schema)) visit(part, `${path}.${name}`);
  };
  visit(document.components.schemas, "schemas");

  expect(scores.length).toBeGreaterThan(4);
  expect(lacking).toEqual([]);
});
