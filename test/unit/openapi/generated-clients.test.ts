import { expect, test } from "vitest";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { routes } from "../../../lib/contract/routes.ts";

/** What generators of clients (openapi-generator, openapi-python-client, datamodel-code-generator, openapi-typescript) stumble over. */
const document = openApiDocument(routes);

type Found = readonly [place: string, schema: Readonly<Record<string, unknown>>];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every object of the document, examples and defaults aside, by its place. */
const objectsIn = (value: unknown, place = ""): readonly Found[] => {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsIn(each, `${place}/${index}`));
  if (!isObject(value)) return [];
  const inner = Object.entries(value).filter(([key]) => !["example", "examples", "default"].includes(key));
  return [[place, value], ...inner.flatMap(([key, each]) => objectsIn(each, `${place}/${key}`))];
};

const all = objectsIn({ paths: document.paths, components: document.components });
const placesOf = (isWrong: (found: Found[1], place: string) => boolean): readonly string[] =>
  all.filter(([place, found]) => isWrong(found, place)).map(([place]) => place);

test("the document is walked whole", () => {
  expect(all.length).toBeGreaterThan(2000);
});

test("nothing is said by an allOf: its lists become lists of anything", () => {
  expect(placesOf(({ allOf }) => allOf !== undefined)).toEqual([]);
});

test("nothing that is pointed to has a default: it becomes code that does not compile", () => {
  expect(placesOf(({ $ref, default: given }) => $ref !== undefined && given !== undefined)).toEqual([]);
});

test("no field is only ever null: it has no type in most languages", () => {
  const inUnion = /\/anyOf\/\d+$/u;
  expect(placesOf(({ type }, place) => type === "null" && !inUnion.test(place))).toEqual([]);
});

test("what a named union may be has names where it holds lists of objects: their models come twice otherwise", () => {
  const unions = Object.entries(document.components.schemas).filter(([, { anyOf }]) => anyOf !== undefined);
  const nameless = unions.filter(([, { anyOf = [] }]) =>
    anyOf.some(({ properties = {} }) => Object.values(properties).some(({ items }) => items?.properties !== undefined)),
  );

  expect(unions.map(([name]) => name)).toContain("LangfuseScoresReply");
  expect(nameless.map(([name]) => name)).toEqual([]);
});

test("the reply of the lowest status is the one that most callers get", () => {
  const lowest = routes.map(({ id, path, method, report, success }) => {
    const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
    const least = Object.keys(responses)
      .filter((status) => status.startsWith("2"))
      .toSorted((a, b) => (a < b ? -1 : 1))[0];
    return [id, Number(least), report === undefined ? success : 200];
  });

  expect(lowest.filter(([, least, expected]) => least !== expected)).toEqual([]);
});

test("models differ in more than case, and so do operations", () => {
  for (const names of [Object.keys(document.components.schemas), routes.map(({ id }) => id)]) {
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  }
});
