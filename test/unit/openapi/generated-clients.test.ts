import { expect, test } from "vitest";
import { documentedRoutes, openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { resolve } from "../../../lib/contract/openapi/openapi.ts";
import { routes as allRoutes } from "../../../lib/contract/routes.ts";

/** The document is checked for constructs that generators of clients (openapi-generator, openapi-python-client, datamodel-code-generator, openapi-typescript) fail on. */
const routes = documentedRoutes(allRoutes);
const document = openApiDocument(routes);

type PlacedSchema = readonly [place: string, schema: Readonly<Record<string, unknown>>];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every object of the document, without examples and defaults, with its JSON path. */
const objectsIn = (value: unknown, place = ""): readonly PlacedSchema[] => {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsIn(each, `${place}/${index}`));
  if (!isObject(value)) return [];
  const inner = Object.entries(value).filter(([key]) => !["example", "examples", "default"].includes(key));
  return [[place, value], ...inner.flatMap(([key, each]) => objectsIn(each, `${place}/${key}`))];
};

const allObjects = objectsIn({ paths: document.paths, components: document.components });
const placesOf = (isWrong: (entry: PlacedSchema[1], place: string) => boolean): readonly string[] =>
  allObjects.filter(([place, entry]) => isWrong(entry, place)).map(([place]) => place);

test("the document is traversed completely", () => {
  expect(allObjects.length).toBeGreaterThan(2000);
});

test("no schema uses allOf: generators turn its lists into lists of anything", () => {
  expect(placesOf(({ allOf }) => allOf !== undefined)).toEqual([]);
});

test("no referenced schema and no union has a default: generators emit code that does not compile", () => {
  const isNamedOrUnion = ({ $ref, anyOf }: PlacedSchema[1]): boolean => $ref !== undefined || anyOf !== undefined;
  const withDefault = allObjects.filter(([, entry]) => isNamedOrUnion(entry) && entry["default"] !== undefined);

  expect(withDefault.map(([place]) => place)).toEqual([]);
});

test("no union has two lists of one kind of items: generated Java declares a variable twice", () => {
  const itemsOf = (options: unknown): readonly string[] =>
    [options]
      .flat()
      .flatMap((option) => (isObject(option) && "items" in option ? JSON.stringify(option["items"]) : []));

  expect(placesOf(({ anyOf }) => new Set(itemsOf(anyOf)).size < itemsOf(anyOf).length)).toEqual([]);
});

test("creating a run has one reply, a run, so that no client has to tell it from a dry run's", () => {
  const creations = routes.filter(({ dryRun }) => dryRun !== undefined);
  const replies = creations.map(({ path, method, id }) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    const statuses = Object.keys(operation?.responses ?? {}).filter((status) => status.startsWith("2"));
    return [id, statuses.length, operation?.["x-dry-run"]?.content !== undefined];
  });

  expect(replies).toEqual(creations.map(({ id }) => [id, 1, true]));
  expect(replies.length).toBeGreaterThan(5);
});

test("every webhook says that it is called without a credential of this service, as Redocly requires", () => {
  const webhooks = Object.values(document.webhooks);

  expect(webhooks.map(({ post }) => post.security)).toEqual(webhooks.map(() => []));
});

test("no field is always null: most languages have no such type", () => {
  const inUnion = /\/anyOf\/\d+$/u;
  expect(placesOf(({ type }, place) => type === "null" && !inUnion.test(place))).toEqual([]);
});

test("the members of a named union have names where it holds lists of objects: otherwise their models are generated twice", () => {
  const unions = Object.entries(document.components.schemas).filter(([, { anyOf }]) => anyOf !== undefined);
  const nameless = unions.filter(([, { anyOf = [] }]) =>
    anyOf.some(({ properties = {} }) => Object.values(properties).some(({ items }) => items?.properties !== undefined)),
  );

  expect(unions.map(([name]) => name)).toContain("LangfuseScoresReply");
  expect(nameless.map(([name]) => name)).toEqual([]);
});

test("the reply of the lowest status is the most common one", () => {
  const lowest = routes.map(({ id, path, method, report, success }) => {
    const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
    const lowestStatus = Object.keys(responses)
      .filter((status) => status.startsWith("2"))
      .toSorted((a, b) => (a < b ? -1 : 1))[0];
    return [id, Number(lowestStatus), report === undefined ? success : 200];
  });

  expect(lowest.filter(([, lowestStatus, expected]) => lowestStatus !== expected)).toEqual([]);
});

test("names of models differ in more than case, and so do operations", () => {
  for (const names of [Object.keys(document.components.schemas), routes.map(({ id }) => id)]) {
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  }
});

test("no operation has two parameters of one name: structs of parameters in Rust would have the field twice", () => {
  const repeated = routes.flatMap(({ id, path, method }) => {
    const parameters = document.paths[path]?.[method.toLowerCase()]?.parameters ?? [];
    const names = parameters.map((each) => resolve(document.components.parameters, each).name.toLowerCase());
    return new Set(names).size === names.length ? [] : [id];
  });

  expect(repeated).toEqual([]);
});

test("no value of an enum is called in code like a member of every enum in Kotlin", () => {
  const enums = allObjects.flatMap(([place, { enum: values, "x-enum-varnames": names }]) =>
    Array.isArray(values) ? [{ place, values: values.map(String), names: Array.isArray(names) ? names : values }] : [],
  );
  const members = new Set(["name", "value", "ordinal", "entries"]);

  expect(enums.filter(({ values }) => values.some((value) => members.has(value)))).not.toEqual([]);
  expect(enums.filter(({ names }) => names.some((name) => members.has(String(name))))).toEqual([]);
  expect(enums.filter(({ names, values }) => names.length !== values.length)).toEqual([]);
  expect(document.paths["/evaluations/trace-scores"]?.["get"]?.parameters).toContainEqual(
    expect.objectContaining({
      name: "sort_by",
      schema: {
        type: "string",
        enum: ["created_at", "value"],
        "x-enum-varnames": ["CreatedAt", "Value"],
        description: "Default `created_at`.",
      },
    }),
  );
});

test("every list says what its items are, as Spectral requires", () => {
  expect(placesOf(({ type, items }) => [type].flat().includes("array") && items === undefined)).toEqual([]);
});

test("patterns use no Unicode properties, which Python lacks", () => {
  expect(placesOf(({ pattern }) => typeof pattern === "string" && /\\p/iu.test(pattern))).toEqual([]);
});

test("every tag and every operation has a description", () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

  expect(document.tags.filter(({ description = "" }) => description === "")).toEqual([]);
  expect(operations.filter(({ description = "" }) => description === "")).toEqual([]);
});
