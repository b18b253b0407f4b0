// oxlint-disable-next-line eslint/no-restricted-imports -- short processes: a process has one time zone
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { epochOf, instantAt, millisecondsBetween, parseInstant } from "../../../lib/domain/instant.ts";

test.each([
  ["2026-03-01", "2026-03-01T00:00:00+00:00"],
  ["2026-03-01T10:00", "2026-03-01T10:00:00+00:00"],
  ["2026-03-01T10:00Z", "2026-03-01T10:00:00+00:00"],
  ["2026-03-01T10:00:07", "2026-03-01T10:00:07+00:00"],
  ["2026-03-01T10:00:07Z", "2026-03-01T10:00:07+00:00"],
  ["2026-03-01T10:00:07.5Z", "2026-03-01T10:00:07.500000+00:00"],
  ["2026-03-01T10:00:07.123456789Z", "2026-03-01T10:00:07.123456+00:00"],
  ["2026-03-01T10:00:07.0000001", "2026-03-01T10:00:07+00:00"],
  ["2026-03-01T10:00:07+02", "2026-03-01T08:00:07+00:00"],
  ["2026-03-01T10:00:07+0230", "2026-03-01T07:30:07+00:00"],
  ["2026-03-01T10:00:07+02:30", "2026-03-01T07:30:07+00:00"],
  ["2026-03-01T10:00:07-11:15", "2026-03-01T21:15:07+00:00"],
  ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00+00:00"],
  ["2024-02-29", "2024-02-29T00:00:00+00:00"],
  ["2000-02-29", "2000-02-29T00:00:00+00:00"],
  ["0001-01-01", "0001-01-01T00:00:00+00:00"],
  ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999+00:00"],
  ["0099-06-01T12:00Z", "0099-06-01T12:00:00+00:00"],
])("%s is %s", (text, instant) => {
  expect(parseInstant(text)).toBe(instant);
});

test.each([
  "",
  "2026",
  "2026-03",
  "20260301",
  "2026-3-1",
  "2026-W09-7",
  "2026-060",
  "2026-02-30",
  "2026-02-29",
  "1900-02-29",
  "2026-04-31",
  "2026-00-10",
  "2026-13-01",
  "2026-01-00",
  "2026-01-32",
  "0000-01-01",
  "10000-01-01",
  "-0001-01-01",
  "+2026-01-01",
  "2026-03-01T",
  "2026-03-01T10",
  "2026-03-01T10:00:",
  "2026-03-01T10:00:07.",
  "2026-03-01T10:00:07,5",
  "2026-03-01T10:00.5",
  "2026-03-01T24:00:00",
  "2026-03-01T10:60:00",
  "2026-03-01T23:59:60Z",
  "2026-03-01 10:00:00",
  "2026-03-01t10:00:00",
  "2026-03-01T10:00:00z",
  "2026-03-01Z",
  "2026-03-01+02:00",
  "2026-03-01T10:00:00+2",
  "2026-03-01T10:00:00+24:00",
  "2026-03-01T10:00:00+02:60",
  "2026-03-01T10:00:00+02:",
  "2026-03-01T10:00:00 +02:00",
  "2026-03-01T10:00:00+02:00:00",
  "0001-01-01T00:00:00+01:00",
  "9999-12-31T23:59:59-01:00",
  " 2026-03-01",
  "2026-03-01\n",
  "٢٠٢٦-03-01",
  "1772359200",
  "now",
])("%j is not an instant", (text) => {
  expect(parseInstant(text)).toBeNull();
});

const within = { min: new Date("0001-01-02T00:00:00Z"), max: new Date("9999-12-30T00:00:00Z"), noInvalidDate: true };

test("a formatted instant is formatted to itself", () => {
  fc.assert(
    fc.property(fc.date(within), (date) => {
      const instant = instantAt(date.getTime());
      expect(parseInstant(instant)).toBe(instant);
      expect(epochOf(instant)).toBe(date.getTime());
    }),
  );
});

test("the order of the texts is the order of the instants, whatever their zone and fraction", () => {
  const instantTexts = fc
    .tuple(fc.date(within), fc.integer({ min: -1439, max: 1439 }), fc.integer({ min: 0, max: 999_999 }))
    .map(([date, zone, micros]) => {
      const local = new Date(date.getTime() + zone * 60_000).toISOString().slice(-24, -5);
      const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60].map((n) =>
        String(n).padStart(2, "0"),
      );
      const fraction = String(micros).padStart(6, "0");
      const seconds = Math.floor(date.getTime() / 1000);
      return { text: `${local}.${fraction}${zone < 0 ? "-" : "+"}${hours}:${minutes}`, at: [seconds, micros] as const };
    });
  fc.assert(
    fc.property(instantTexts, instantTexts, (a, b) => {
      const [x, y] = [parseInstant(a.text) ?? "", parseInstant(b.text) ?? ""];
      const expected = Math.sign(a.at[0] - b.at[0] || a.at[1] - b.at[1]);
      expect(Math.sign(Number(x > y) - Number(x < y))).toBe(expected);
      expect(Math.sign(millisecondsBetween(y, x))).toBe(expected);
    }),
  );
});

test("no text makes the parser throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789-:.TZ+ ".split("")) })),
      (text) => {
        const instant = parseInstant(text);
        expect(instant === null || parseInstant(instant) === instant).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test.each(["America/St_Johns", "Pacific/Apia", "Asia/Kathmandu", "Europe/Berlin"])(
  "the process's time zone %s changes nothing",
  (zone) => {
    const module = fileURLToPath(new URL("../../../lib/domain/instant.ts", import.meta.url));
    const texts = ["2026-03-29T02:30", "2026-10-25", "0099-06-01T12:00+05:45", "2011-12-30T10:00:00.25Z"];
    const program = `import { epochOf, parseInstant } from ${JSON.stringify(module)};
      console.log(JSON.stringify(${JSON.stringify(texts)}.map((text) => [parseInstant(text), epochOf(parseInstant(text))])));`;

    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...process.env, TZ: zone },
      encoding: "utf8",
    });

    const here = texts.map((text) => [parseInstant(text), epochOf(parseInstant(text) ?? "")]);
    expect(JSON.parse(printed)).toEqual(here);
  },
);
