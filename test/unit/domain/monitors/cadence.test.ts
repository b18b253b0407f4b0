import { Cron } from "croner";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anchorAt,
  nextInstant,
  normalCadence,
  parseCadence,
  scheduleExpressions,
} from "../../../../lib/domain/monitors/cadence.ts";
import { runsAllCases } from "../../../support/sample.ts";
import { awsInstants } from "./aws-schedule.ts";

const day = 86_400_000;
const at = Date.parse;

const good = (text: string) => {
  const cadence = parseCadence(text);
  if (cadence.kind === "flaw") throw new Error(cadence.message);
  return cadence;
};

const flawOf = (text: string): string | null => {
  const cadence = parseCadence(text);
  return cadence.kind === "flaw" ? cadence.message : null;
};

/** Part of a cron expression: stars, values, ranges and steps of both, and lists of these. */
const part = (first: number, last: number, words: readonly string[] = []): fc.Arbitrary<string> => {
  const value = fc.integer({ min: first, max: last });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: last });
  const item = fc.oneof(
    { weight: 4, arbitrary: value.map(String) },
    { weight: 2, arbitrary: range },
    { weight: 1, arbitrary: fc.tuple(range, step).map(([text, stepSize]) => `${text}/${stepSize}`) },
    { weight: words.length === 0 ? 0 : 1, arbitrary: fc.constantFrom(...(words.length === 0 ? ["*"] : words)) },
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant("*") },
    { weight: 1, arbitrary: step.map((stepSize) => `*/${stepSize}`) },
    { weight: 4, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(",")) },
  );
};

const expressions = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 59 }).map(String) }, part(0, 59)),
    fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 23 }).map(String) }, part(0, 23)),
    part(1, 31),
    part(1, 12, ["jan", "FEB", "Jun", "dec"]),
    part(0, 7, ["sun", "MON", "Wed", "sat"]),
  )
  .map((parts) => parts.join(" "));

/** Random expressions: the library takes 30 ms for the instants of one. */
const runs = runsAllCases ? 300 : 75;

/** Maximum number of instants compared per expression: two years of most expressions, the first of the dense ones. */
const maxInstants = 800;

describe("the schedules of a cron cadence", () => {
  test("fire at the instants that a cron library computes, over two years", () => {
    let compared = 0;
    fc.assert(
      fc.property(expressions, fc.integer({ min: 0, max: 1460 }), (expression, offset) => {
        const cadence = parseCadence(`cron:${expression}`);
        // A star with a step of 1 restricts nothing here; in the library it restricts.
        const library = new Cron(expression.replaceAll(/\*\/1(?= |$)/g, "*"), { timezone: "UTC", paused: true });
        const from = at("2026-01-01T00:00:00Z") + offset * day;
        const until = from + 731 * day;
        if (cadence.kind === "flaw") return library.nextRun(new Date(0)) === null;
        const values = new Set<number>();
        for (const schedule of scheduleExpressions(cadence)) {
          let count = 0;
          for (const instant of awsInstants(schedule, from, until)) {
            if (count++ > maxInstants) break;
            values.add(instant);
          }
        }
        const ours = [...values].toSorted((a, b) => a - b).slice(0, maxInstants);
        let last = from - 60_000;
        for (const instant of ours) {
          const next = library.nextRun(new Date(last))?.getTime();
          if (next !== instant) return false;
          compared += 1;
          last = instant;
        }
        return ours.length === maxInstants || (library.nextRun(new Date(last))?.getTime() ?? until) >= until;
      }),
      { numRuns: runs },
    );

    expect(compared).toBeGreaterThan(runs * 50);
  });

  test.each([
    ["0 9 * * 1-5", ["cron(0 9 ? * 2-6 *)"]],
    ["0 0 1,15 * mon", ["cron(0 0 1,15 * ? *)", "cron(0 0 ? * 2 *)"]],
    ["0 0 */1 * mon", ["cron(0 0 ? * 2 *)"]],
    ["0 0 1-31 * mon", ["cron(0 0 * * ? *)"]],
    ["0 0 31 4 mon", ["cron(0 0 ? 4 2 *)"]],
    ["0 0 29 2 *", ["cron(0 0 29 2 ? *)"]],
    ["5/20 * * * *", ["cron(5,25,45 * * * ? *)"]],
    ["0 0 * * fri-sun", ["cron(0 0 ? * 1,6,7 *)"]],
    ["* * * * *", ["cron(* * * * ? *)"]],
  ])("of %s are %j", (expression, schedules) => {
    expect(scheduleExpressions(good(`cron:${expression}`))).toEqual(schedules);
  });
});

test.each([
  ["hourly", "Invalid cadence 'hourly'. Must be one of every_6h, daily, weekly or 'cron:<expression>'."],
  ["Daily", "Invalid cadence 'Daily'. Must be one of every_6h, daily, weekly or 'cron:<expression>'."],
  ["cron:  ", "Cron expression must not be empty after 'cron:' prefix."],
  ["cron:* * * *", "Invalid cron expression: '* * * *'"],
  ["cron:* * * * * *", "Invalid cron expression: '* * * * * *'"],
  ["cron:@daily", "Invalid cron expression: '@daily'"],
  ["cron:60 * * * *", "Invalid cron expression: '60 * * * *'"],
  ["cron:*/0 * * * *", "Invalid cron expression: '*/0 * * * *'"],
  ["cron:5-3 * * * *", "Invalid cron expression: '5-3 * * * *'"],
  ["cron:1-2-3 * * * *", "Invalid cron expression: '1-2-3 * * * *'"],
  ["cron:, * * * *", "Invalid cron expression: ', * * * *'"],
  ["cron:0 0 L * *", "Invalid cron expression: '0 0 L * *'"],
  ["cron:0 0 ? * 1", "Invalid cron expression: '0 0 ? * 1'"],
  ["cron:0 0 30 2 *", "Cron expression '0 0 30 2 *' never matches."],
])("%s is refused", (text, message) => {
  expect(flawOf(text)).toBe(message);
});

test("a cron expression is returned as it was written, without outer blanks", () => {
  expect(normalCadence("cron:   0  3 * * *  ")).toBe("cron:0  3 * * *");
  expect(normalCadence("cron:\t0\t3 * * *")).toBe("cron:0 3 * * *");
});

test("an interval counts from its anchor without drift and never returns the start instant itself", () => {
  const anchor = anchorAt(at("2026-11-21T09:00:00.001Z"));
  const sixHours = good("every_6h");

  expect(new Date(anchor).toISOString()).toBe("2026-11-21T09:01:00.000Z");
  expect(nextInstant(sixHours, anchor, anchor)).toBe(at("2026-11-21T15:01:00Z"));
  expect(nextInstant(sixHours, anchor, at("2026-11-21T15:01:00Z"))).toBe(at("2026-11-21T21:01:00Z"));
  expect(nextInstant(sixHours, anchor, at("2026-11-23T00:00:00Z"))).toBe(at("2026-11-23T03:01:00Z"));
  expect(nextInstant(good("weekly"), anchor, anchor - day)).toBe(at("2026-11-28T09:01:00Z"));
});
