import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const files = globSync("lib/console/**/*.css")
  .filter((path) => !path.endsWith("tokens.css"))
  .map((path) => [path, readFileSync(path, "utf8")] as const);

/** Properties whose lengths are tokens. */
const spaced = /^(?:padding|margin|gap|row-gap|column-gap|font|font-size|border(?:-[a-z-]+)?|border-radius)\b/u;

/** Declarations with a length or a weight that is no token, or with a color that is none. */
const rawValues = (text: string): readonly string[] =>
  Array.from(text.matchAll(/([a-z-]+):\s*([^;{}]+);/gu)).flatMap(([declaration, property = "", value = ""]) => {
    const isRaw =
      (spaced.test(property) && /(?<![\w-])(?:[1-9]\d*|0?\.\d+)(?:px|rem|em)/u.test(value)) ||
      (property === "font-weight" && !value.startsWith("var(")) ||
      /#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(|light-dark\(/u.test(value);
    return isRaw ? [declaration] : [];
  });

test("no rule has a space, a size or weight of type, a border, a corner or a color beside the design tokens", () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(([path, text]) => rawValues(text).map((each) => `${path}: ${each}`))).toEqual([]);
});

test("a raw space and a raw color are found", () => {
  expect(rawValues("a { margin: 0 5px; color: var(--text); background: #fff; font-weight: 700; }")).toEqual([
    "margin: 0 5px;",
    "background: #fff;",
    "font-weight: 700;",
  ]);
});
