// oxlint-disable-next-line eslint/no-restricted-imports -- one short process
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { attacksOn, attackText, type Attack } from "../../support/patterns/attack-texts.ts";
import { filesIn } from "./imports.ts";

const root = resolve(import.meta.dirname, "../../..");

/** A regular expression with its place in the sources. */
interface Pattern {
  readonly at: string;
  readonly source: string;
  readonly flags: string;
}

/** Regular expressions of some files: literals, and the places of `new RegExp`. */
const patternsIn = (files: readonly string[]) => {
  const literals: Pattern[] = [];
  const places: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    const placeOf = (start: number): string => `${file}:${text.slice(0, start).split("\n").length}`;
    new Visitor({
      Literal: (node) => {
        if (!("regex" in node)) return;
        literals.push({ at: placeOf(node.start), source: node.regex.pattern, flags: node.regex.flags });
      },
      NewExpression: ({ callee, start }) => {
        if (callee.type === "Identifier" && callee.name === "RegExp") places.push(placeOf(start));
      },
    }).visit(parseSync(file, text).program);
  }
  return { literals, places };
};

const recorder = join(root, "test/support/patterns/record-patterns.ts");

const constructedIn = (files: readonly string[]): readonly Pattern[] => {
  const options = ["--disable-warning=ExperimentalWarning", recorder, ...files];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the program above.
  return JSON.parse(execFileSync(process.execPath, options, { encoding: "utf8" })) as readonly Pattern[];
};

/** CPU time in milliseconds that a pattern takes for all its matches in a text: the least of some runs. */
const searchTime = (pattern: RegExp, text: string, runs: number): number =>
  Math.min(
    ...Array.from({ length: runs }, () => {
      const start = process.cpuUsage();
      text.replaceAll(pattern, "");
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    }),
  );

/** Characters of the attacks, with the CPU time in milliseconds above which a pattern's growth is measured. */
const searches = [
  { length: 24, minTime: 1 },
  { length: 500, minTime: 1 },
  { length: 8000, minTime: 4 },
] as const;

/** Maximum growth of time when a text grows fourfold: 4 if it is linear, 16 if it is quadratic. */
const maxGrowth = 8;

/** Milliseconds after which the attacks on one pattern are ended; all of them take less than 200. */
const deadline = 30_000;

/** Returns the attack for which a pattern takes more than linear time; undefined if there is none. */
const successfulAttack = ({ source, flags }: Pick<Pattern, "source" | "flags">): Attack | undefined => {
  const pattern = new RegExp(source, `${flags.replaceAll(/[gy]/gu, "")}g`);
  let current: Attack | undefined;
  const attack = (): Attack | undefined =>
    attacksOn(source, flags).find((each) => {
      current = each;
      return searches.some(({ length, minTime }) => {
        const text = attackText(each, length);
        if (searchTime(pattern, text, 1) < minTime) return false;
        // Again and again: on a busy machine one measurement may be of other work.
        return Array.from({ length: 3 }).every(() => {
          const time = searchTime(pattern, text, 3);
          return time > minTime && time > maxGrowth * searchTime(pattern, attackText(each, length / 4), 3);
        });
      });
    });
  try {
    // A context's time limit also ends a search that backtracks for years.
    runInContext("attack()", createContext({ attack: () => void (current = attack()) }), { timeout: deadline });
  } catch (error) {
    if (!String(error).includes("timed out")) throw error;
  }
  return current;
};

const files = filesIn("lib", "functions");
const { literals, places } = patternsIn(files);

test("every regular expression searches growing blanks, brackets and repeats in linear time", () => {
  const constructed = constructedIn([...new Set(places.map((place) => place.replace(/:\d+$/u, "")))]);
  const patterns = new Map([...literals, ...constructed].map((each) => [`/${each.source}/${each.flags}`, each]));

  const slow = [...patterns].flatMap(([text, pattern]) => {
    const attack = successfulAttack(pattern);
    return attack === undefined ? [] : [{ at: pattern.at, text, ...attack }];
  });

  expect(slow).toEqual([]);
  expect(patterns.size).toBeGreaterThan(300);
  expect(new Set(constructed.map(({ at }) => at))).toEqual(new Set(places));
});

test.each([
  ["an end behind blanks", String.raw`\s+$`],
  ["words around anything", String.raw`\bboth\b.+\band\b`],
  ["a bracket that nothing closes", String.raw`\[([^\]]*)\]\(`],
  ["two runs that overlap", String.raw`^\d+\.?\d*$`],
  ["a repeated repetition", String.raw`^(?:\s*,?\s*#?\d+)+$`],
  ["a beginning that has to match", String.raw`^id:\s*\d*\s*$`],
])("a pattern that searches again and again is detected: %s", (_, source) => {
  expect(successfulAttack({ source, flags: "su" })).toBeDefined();
});
