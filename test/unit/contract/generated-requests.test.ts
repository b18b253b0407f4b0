import { safeParse, type GenericSchema } from "valibot";
import { describe, expect, test } from "vitest";
import { routes } from "../../../lib/contract/routes.ts";
import { screenJson } from "../../../lib/http/json-text.ts";
import { listForObject } from "../../../lib/http/parse-request.ts";
import { unstorable } from "../../../lib/http/parsed-values.ts";
import { type Parts, simplestParts, validParts, violationsOf } from "../../fuzz/requests.ts";
import { type Sendable, written } from "../../fuzz/sendable.ts";
import { surfaceOf } from "../../fuzz/surface.ts";
import { seeded } from "../../support/random.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const seed = freshSeed();

/** The body as it is read; undefined where it is no JSON or cannot be read back. */
const parsed = (body: Sendable): unknown => {
  const text = written(body);
  try {
    return screenJson(text).flaw === null ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
};

/** What is looked at before a schema is. */
const flawOf = (schema: GenericSchema, value: unknown) => unstorable(value) ?? listForObject(schema, value);

/** The parts of a request that its route's own schemas refuse. */
const refusedParts = (route: (typeof routes)[number], { params, query, body }: Parts): readonly string[] => {
  const given: readonly (readonly [string, GenericSchema | undefined, unknown])[] = [
    ["path", route.params, params],
    ["query", route.query, Object.fromEntries(Object.entries(query).filter(([, values]) => values.length > 0))],
    ["body", route.body, body === undefined ? undefined : parsed(body)],
  ];
  return given.flatMap(([part, schema, value]) =>
    schema === undefined || (safeParse(schema, value).success && flawOf(schema, value) === null) ? [] : [part],
  );
};

const idsOf = (route: (typeof routes)[number]): Parts["params"] =>
  Object.fromEntries(
    Object.entries(surfaceOf(route).params).map(([name, { shape }]) => [
      name,
      shape.kind === "known" && typeof shape.known.simplest === "string" ? shape.known.simplest : "x",
    ]),
  );

describe.each(routes.filter(({ protocol }) => protocol === undefined))("requests made for $method $path", (route) => {
  test("are taken by its schemas when they are the simplest there are", () => {
    expect(refusedParts(route, simplestParts(route, idsOf(route)))).toEqual([]);
  });

  test(`are taken by its schemas when they are valid (seed ${seed})`, () => {
    const random = seeded(seed).fork(route.id);
    const refused = Array.from({ length: 200 }, (_, index) =>
      validParts(route, idsOf(route), random.fork(index)),
    ).filter((parts) => refusedParts(route, parts).length > 0);

    expect(refused).toEqual([]);
  });

  test("are refused by its schemas, in the part that is said, when one thing is wrong", () => {
    const wrong = violationsOf(route)
      .filter(({ refusal: { at }, byHandler }) => at !== undefined && !at.startsWith("header") && !byHandler)
      .map(({ what, change, refusal }) => ({
        what,
        part: String(refusal.at).split(".")[0],
        refused: refusedParts(route, change(simplestParts(route, idsOf(route)))),
      }))
      .filter(({ part, refused }) => refused.join(" ") !== part);

    expect(wrong.map(({ what, refused }) => `${what}: ${refused.join(" ")}`)).toEqual([]);
  });
});
