import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLossless, fitsDouble } from "../../../lib/domain/json.ts";
import { reviverOf, screenJson } from "../../../lib/http/request-body.ts";

const number = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.nat(999),
      fc.bigInt({ min: 0n, max: 10n ** 25n }),
      fc.integer({ min: -330, max: 250 }),
    )
    .map(([sign, whole, fraction, exponent]) => `${sign}${whole}.${fraction}e${exponent}`),
  fc.constantFrom("0.1", "1.0", "1E2", "100000000000000000000", "1e-400", "0.30000000000000004", "123456789012345678"),
);

const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "1e400", "-"));
const quoted = fc.oneof(fc.string(), key).map((text) => JSON.stringify(text));
const gap = fc.constantFrom("", " ", "\n\t");

/** JSON texts with numbers in any notation. */
const { text: jsonText } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(number, quoted, fc.constantFrom("true", "false", "null")),
    fc
      .tuple(gap, fc.array(tie("text"), { maxLength: 4 }))
      .map(([space, items]) => `[${space}${items.join(`${space},`)}]`),
    fc
      .tuple(gap, fc.uniqueArray(fc.tuple(key, tie("text")), { maxLength: 4, selector: ([name]) => name }))
      .map(
        ([space, fields]) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}${space}:${value}`).join(",")}}`,
      ),
  ),
}));

const parseGuarded = (text: string): unknown => {
  const { text: guarded, flaw } = screenJson(text);
  if (flaw !== null) throw new SyntaxError(flaw.msg);
  return JSON.parse(guarded, reviverOf("strict"));
};

/**
 * Text of a value with one notation per number, so that `1.50` and `15e-1` are equal.
 *
 * @param written returns how a number is written.
 */
const exact = (text: string, written: (number: string) => string = (number) => number): string => {
  const canonicalNumber = (digits: string): string => {
    const [, sign = "", whole = "", fraction = "", exponent = "0"] =
      /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits) ?? [];
    const trimmed = `${whole}${fraction}`.replace(/^0+(?=.)/, "");
    const significant = trimmed.replace(/0+$/, "");
    if (significant === "") return "0";
    return `${sign}${significant}e${Number(exponent) - fraction.length + trimmed.length - significant.length}`;
  };
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\t\n ]/g, (token) =>
    token.startsWith('"')
      ? JSON.stringify(JSON.parse(token))
      : token.trim() === ""
        ? ""
        : written(canonicalNumber(token)),
  );
};

/** A parsed value with sorted keys: integer-like keys come first in any JavaScript object, so order means nothing. */
const sorted = (text: string): unknown => JSON.parse(exact(text, (number) => `"#${number}"`));

test("any JSON is returned with its numbers as they were written", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      expect(sorted(JSON.stringify(parseGuarded(text)))).toEqual(sorted(text));
    }),
    { numRuns: 500 },
  );
});

test("a text that is read, stored and read again is the same text", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const storedText = JSON.stringify(parseGuarded(text));
      expect(JSON.stringify(parseLossless(storedText))).toBe(storedText);
    }),
    { numRuns: 500 },
  );
});

const noise = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom(...'0123456789.eE+-[]{}:,"\\ tru'.split("")) }),
  fc.tuple(jsonText, fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, insertion]) => {
    const cut = at % (text.length + 1);
    return `${text.slice(0, cut)}${insertion}${text.slice(cut + 1)}`;
  }),
);

test("a text is accepted exactly when it is JSON, and the scan never throws", () => {
  fc.assert(
    fc.property(noise, (text) => {
      const { flaw } = screenJson(text);
      const outcome = (parse: () => unknown): string => {
        try {
          parse();
          return "read";
        } catch (error) {
          return error instanceof SyntaxError ? "refused" : String(error);
        }
      };
      const expected = flaw === null ? outcome(() => JSON.parse(text)) : "refused";
      expect(outcome(() => parseGuarded(text))).toBe(expected);
      expect([undefined, "json_not_finite", "json_too_deep"]).toContain(flaw?.type);
    }),
    { numRuns: 2_000 },
  );
});

test.each(["{12345678901234567890:1}", "[012345678901234567890]", "12345678901234567890 1", "-", "1e", "{1e400x:1}"])(
  "%s stays malformed",
  (text) => {
    expect(() => parseGuarded(text)).toThrow(SyntaxError);
  },
);

test.each(["1e400", "-1e400", '{"a":[1e309]}'])("%s is not finite", (text) => {
  expect(screenJson(text).flaw).toMatchObject({ type: "json_not_finite" });
});

test("a number within a string stays text", () => {
  expect(parseGuarded('["1e400", "12345678901234567890\\"", "-"]')).toEqual(["1e400", '12345678901234567890"', "-"]);
});

test.each([
  [105, null],
  [106, "json_too_deep"],
  [1_000_000, "json_too_deep"],
])("%i levels of nesting: %s", (depth, type) => {
  for (const text of ["[".repeat(depth) + "]".repeat(depth), '{"a":'.repeat(depth) + "1" + "}".repeat(depth)]) {
    expect(screenJson(text).flaw?.type ?? null).toBe(type);
  }
});

test("keys that would reach a prototype become plain keys", () => {
  const value = parseGuarded(
    '{"__proto__":{"polluted":1},"a":{"constructor":{"prototype":{"polluted":1}},"\\u005f_proto__":2}}',
  );

  expect(JSON.stringify(value)).toBe(
    '{"__proto__":{"polluted":1},"a":{"constructor":{"prototype":{"polluted":1}},"__proto__":2}}',
  );
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("minus zero is zero", () => {
  expect(Object.is(parseGuarded("[-0]"), -0)).toBe(false);
  expect((parseGuarded("[-0, -0.0, -0e5]") as number[]).some((value) => Object.is(value, -0))).toBe(false);
});

test.each([
  ["9007199254740992", true],
  ["9007199254740993", false],
  ["0.1", true],
  ["0.1000000000000000055511151231257827", false],
  ["1.50", true],
  ["15e-1", true],
  ["100e-2", true],
  ["1e22", true],
  ["1e400", false],
  ["1e-400", false],
  ["0.000", true],
  ["-12.0", true],
])("%s survives a round trip through a double: %s", (text, survives) => {
  expect(fitsDouble(text)).toBe(survives);
});
