import { safeParse, type GenericSchema } from "valibot";
import { describe, expect, test } from "vitest";
import { routes } from "../../../../lib/contract/routes.ts";
import { screenJson } from "../../../../lib/http/request-body.ts";
import { listInsteadOfObject, unstorableValue } from "../../../../lib/http/parse-request.ts";
import { type Parts, simplestParts, validParts, violationsOf } from "../../../fuzz/requests.ts";
import { type Sendable, jsonText } from "../../../fuzz/sendable.ts";
import { surfaceOf } from "../../../fuzz/surface.ts";
import { seeded } from "../../../support/random.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";

const seed = freshSeed();

/** The body as the service parses it; undefined if it is not JSON or does not survive a round trip. */
const parsed = (body: Sendable): unknown => {
  const text = jsonText(body);
  try {
    return screenJson(text).flaw === null ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
};

/** Flaws of a value that are checked before its schema: text that cannot be stored, a list instead of an object. */
const flawOf = (schema: GenericSchema, value: unknown) => unstorableValue(value) ?? listInsteadOfObject(schema, value);

/** Parts of a request that its route's own schemas refuse. */
const refusedParts = (route: (typeof routes)[number], { params, query, body }: Parts): readonly string[] => {
  const cases: readonly (readonly [string, GenericSchema | undefined, unknown])[] = [
    ["path", route.params, params],
    ["query", route.query, Object.fromEntries(Object.entries(query).filter(([, values]) => values.length > 0))],
    ["body", route.body, body === undefined ? undefined : parsed(body)],
  ];
  return cases.flatMap(([part, schema, value]) =>
    schema === undefined || (safeParse(schema, value).success && flawOf(schema, value) === null) ? [] : [part],
  );
};

const idsOf = (route: (typeof routes)[number]): Parts["params"] =>
  Object.fromEntries(
    Object.entries(surfaceOf(route).params).map(([name, { shape }]) => [
      name,
      shape.kind === "known" && typeof shape.knownValues.simplest === "string" ? shape.knownValues.simplest : "x",
    ]),
  );

describe.each(routes.filter(({ protocol }) => protocol === undefined))(
  "generated requests for $method $path",
  (route) => {
    test("are accepted by its schemas when they are minimal", () => {
      expect(refusedParts(route, simplestParts(route, idsOf(route)))).toEqual([]);
    });

    test(`are accepted by its schemas when they are valid (seed ${seed})`, () => {
      const random = seeded(seed).fork(route.id);
      const refusals = Array.from({ length: 200 }, (_, index) =>
        validParts(route, idsOf(route), random.fork(index)),
      ).filter((parts) => refusedParts(route, parts).length > 0);

      expect(refusals).toEqual([]);
    });

    test("are refused by its schemas, in the expected part, when one thing is wrong", () => {
      const wrong = violationsOf(route)
        .filter(({ refusal: { at }, byHandler }) => at !== undefined && !at.startsWith("header") && !byHandler)
        .map(({ description: what, change, refusal }) => ({
          what,
          part: String(refusal.at).split(".")[0],
          refused: refusedParts(route, change(simplestParts(route, idsOf(route)))),
        }))
        .filter(({ part, refused }) => refused.join(" ") !== part);

      expect(wrong.map(({ what, refused }) => `${what}: ${refused.join(" ")}`)).toEqual([]);
    });
  },
);
