import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { json, numberBetween, singleValue, text, uuid } from "../../../lib/contract/schema/fields.ts";
import { screenJson } from "../../../lib/http/request-body.ts";
import { jsonText } from "../../fuzz/sendable.ts";
import { slotOf } from "../../fuzz/shape.ts";
import { simplest, valid, wrong, wrongTexts } from "../../fuzz/values.ts";
import { seeded } from "../../support/random.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const everyKind = v.pipe(
  v.object({
    id: v.pipe(uuid, v.description("An id.")),
    ids: v.pipe(v.array(uuid), v.minLength(2), v.maxLength(4)),
    kind: v.nullable(v.picklist(["A", "B"])),
    type: v.literal("x"),
    label: v.optional(text(8, 2)),
    share: v.exactOptional(numberBetween(0, 1)),
    count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9)),
    flag: v.boolean(),
    any: v.optional(json),
    weights: v.optional(v.record(v.string(), v.pipe(v.number(), v.minValue(0)))),
    either: v.optional(v.union([v.strictObject({ a: v.boolean() }), v.boolean()])),
  }),
  v.title("EveryKind"),
);
const slot = slotOf(everyKind, "test");
const seed = freshSeed();

const placesOf = (value: unknown): readonly string[] =>
  (v.safeParse(everyKind, value).issues ?? []).map(({ path }) => (path ?? []).map(({ key }) => String(key)).join("."));

const isJson = (text: string): boolean => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};

describe("values generated from a schema", () => {
  test("are accepted by the schema when they are valid or minimal", () => {
    const values = Array.from({ length: 300 }, (_, index) => valid(slot, seeded(seed + index)));

    for (const value of [simplest(slot), ...values]) expect(placesOf(JSON.parse(jsonText(value)))).toEqual([]);
  });

  test("are refused by the schema at the place of the flaw", () => {
    const readable = wrong(slot).filter(
      ({ at, description: what }) => at !== null && !what.includes("half") && !what.includes("keys") && at.length > 0,
    );
    const missed = readable.filter(
      ({ value, at }) => !placesOf(JSON.parse(jsonText(value))).some((place) => place.startsWith((at ?? []).join("."))),
    );

    expect(readable.length).toBeGreaterThan(120);
    // Valibot accepts a list as a record: a route with a record in its body has to refuse lists itself.
    expect(missed.map(({ description: what, at }) => `${at?.join(".")} ${what}`)).toEqual([
      "weights of another type: []",
    ]);
  });

  test("are JSON that cannot be stored where a literal is wrong", () => {
    const literals = wrong(slot).filter(({ at }) => at === null);
    const storableLiterals = literals
      .map(({ value }) => jsonText(value))
      .filter((text) => screenJson(text).flaw === null && isJson(text));

    expect(storableLiterals).toEqual([]);
  });

  test("cover every kind of flaw of a field", () => {
    const flaws = (name: string) =>
      wrong(slot).flatMap(({ description: what, at }) => (at?.join(".") === name ? [what] : []));

    expect(flaws("label")).toEqual(expect.arrayContaining(["null", "too short", "too long", "half a character"]));
    expect(flaws("kind")).not.toContain("null");
    expect(flaws("count")).toEqual(expect.arrayContaining(["missing", "not whole", "too small: 0", "too large: 10"]));
    expect(flaws("ids")).toEqual(expect.arrayContaining(["too short", "too long"]));
    expect(flaws("ids.0")).toContain('the text "x"');
    expect(flaws("weights.key")).toContain("too small: -1");
  });
});

test("can be put at any place, with all required values around them", () => {
  expect(simplest(slot, ["ids", 0], "here")).toMatchObject({ ids: ["here", expect.any(String)], flag: true });
  expect(simplest(slot, ["label"], "here")).toMatchObject({ label: "here", type: "x" });
});

test("are text where they are query parameters", () => {
  const number = v.pipe(v.string(), v.regex(/^\d+$/u), v.transform(Number));
  const query = slotOf(v.optional(singleValue(v.pipe(number, v.minValue(3), v.maxValue(7)))), "test");

  expect(query).toMatchObject({ once: true, mayBeAbsent: true, shape: { kind: "numeral", min: 3, max: 7 } });
  expect(wrongTexts(query).map(({ value }) => value)).toEqual(expect.arrayContaining(["", "2", "8", "0x10"]));
});

test("need an explicit example where a schema cannot describe them", () => {
  const even = v.pipe(
    v.number(),
    v.check((value) => value % 2 === 0),
  );

  expect(() => slotOf(v.object({ even }), "body")).toThrow(
    'body.even: nobody can tell from a "check" what it takes. Add a line to test/fuzz/known-schemas.ts',
  );
});
