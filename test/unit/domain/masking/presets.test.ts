import { expect, test } from "vitest";
import { maskPresets, maskingPresets } from "../../../../lib/domain/masking/presets.ts";

const masked = (text: string): string => maskPresets(text, maskingPresets, (preset) => `<${preset}>`);

/** Digits of a script, such as `deva`. */
const digitsOf = (system: string, text: string): string => {
  const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
  return text.replaceAll(/\d/gu, (digit) => format.format(Number(digit)));
};

const base64 = Buffer.from("card 4111111111111111 of ann@example.com").toString("base64");

test.each([
  // Addresses.
  ["Write to ann.b+c@mail.example.com.", "Write to <email>."],
  ["<ann@example.com>,bob@example.org;", "<<email>>,<email>;"],
  ["https://x.de/?to=ann%40example.com&n=1", "https://x.de/?to=<email>&n=1"],
  ["连系我的邮箱ann@example.com谢谢", "连系我的邮箱<email>谢谢"],
  ["жду на иван@пример.рф сегодня", "жду на <email> сегодня"],
  ["bob@bücher.example, amy@xn--bcher-kva.example", "<email>, <email>"],
  ["ann＠example.com", "<email>"],
  ["an jürgen.müller@example.com, ａnn＠example.com", "an <email>, <email>"],
  ["josé.garci\u0301a@example.com", "<email>"],
  ["'o'neil@example.com'", "'<email>'"],
  ["a@b, @decorator, x @ y.z, logo@2x.png, react@18.2.0, A@B.T", null],
  ["a@".repeat(5), null],
  // Cards: Visa, Mastercard of both ranges, American Express, Diners, JCB, UnionPay.
  ["4111111111111111", "<card>"],
  ["4111 1111 1111 1111 12/27 123", "<card> 12/27 123"],
  ["5555-5555-5555-4444 and 2223003122003222", "<card> and <card>"],
  ["3782 822463 10005|378282246310005|30569309025904|3530111333300000", "<card>|<card>|<card>|<card>"],
  ["4111 1111 1111 1111", "<card>"],
  ["卡号4111111111111111。", "卡号<card>。"],
  [digitsOf("arab", "4111111111111111"), "<card>"],
  [digitsOf("fullwide", "4111 1111 1111 1111"), "<card>"],
  [digitsOf("deva", "4111-1111-1111-1111"), "<card>"],
  [digitsOf("mathsans", "4111111111111111"), "<card>"],
  ["4111 11111 111 1111, 4111  1111  1111  1111, 41 11 11 11 11 11 11 11", null],
  ["4111111111111112, 1111111111111117, 0.4111111111111111, x4111111111111111", null],
  ["41111111111111114111111111111111", null],
  ["1764452921000, 1764452921000000, 1764452921000000000, 20261129214841000", null],
  ["4006381333931 (EAN), 4111111e-1111-1111-1111-111111111111", null],
  // Account numbers.
  ["DE89370400440532013000", "<iban>"],
  ["GB29 NWBK 6016 1331 9268 19, please", "<iban>, please"],
  ["to FR14-2004-1010-0505-0001-3M02-606 FR1420041010050500013M02606", "to <iban> <iban>"],
  ["nl91abna0417164300", "<iban>"],
  [`DE${digitsOf("arab", "89370400440532013000")}`, "<iban>"],
  ["DE89370400440532013001, XX89370400440532013000, DE8937040044053201300, DE893704004405320130001", null],
  ["DE 89 3704 0044 0532 0130 00, ADE89370400440532013000", null],
  // Telephone numbers.
  ["+49 171 1234567, +1 (212) 555-0123, +442079460958", "<phone>, <phone>, <phone>"],
  ["tel:+1.212.555.0123; (212) 555-0123; 1-800-555-0123", "tel:<phone>; <phone>; <phone>"],
  [`call ${digitsOf("arab", "+966501234567")}`, "call <phone>"],
  ["0171 1234567, 555-0123, 2125550123, 112-555-0123, 212-555-0123-9", null],
  ["2026-11-29T21:48:41.000000+00:00, 10:00+0100, 192.168.100.200, 1.22.333-444.5", null],
  ["+1234567890.50, +1,234,567,890, 5+1234567890, C++1234567890, 1e+10, +12345678901234567", null],
  ["550e8400-e29b-41d4-a716-446655440000, order 113-5555555-5555555, x = y + 1234567890", null],
  // Neither encoded nor spelled texts are decoded.
  [`${base64}, four one one one, ann (at) example (dot) com`, null],
  ["１２３ \u{10ffff} \ud800 @ ＋ %40", null],
])("of %j the presets leave %j", (text, expected) => {
  expect(masked(text)).toBe(expected ?? text);
});

test("digits of every script are digits of a card", () => {
  const systems = Intl.supportedValuesOf("numberingSystem").filter((system) =>
    /^\p{Nd}{16}$/u.test(digitsOf(system, "4111111111111111")),
  );

  expect(systems.length).toBeGreaterThan(60);
  expect(systems.filter((system) => masked(digitsOf(system, "5105105105105100")) !== "<card>")).toEqual([]);
  expect(systems.filter((system) => masked(digitsOf(system, "5105105105105101")) === "<card>")).toEqual([]);
});

/** Texts that make a search go back over what it has read. */
const hostile = [
  ..."1 4 @ + ( ' %".split(" "),
  ..."a@ a. %40 a@b. +1 4111 411111 DE89 DE44500105 (212) 212- a%40b.c".split(" "),
  ..."+1\u00a0|1 |1234 |4111 |DE89 |+49 171 1234567 |ann@example.com |4111111111111111 |𝟘|é@é.".split("|"),
];

test("the time of all presets is linear in the length of any text", () => {
  const milliseconds = (text: string): number => {
    const times = [0, 1].map(() => {
      const start = performance.now();
      masked(text);
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  // Of texts 16 times as long a square of the length would take 256 times as long.
  const isSlow = (part: string): boolean => {
    const [short, long] = [10_000, 160_000].map((length) => milliseconds(part.repeat(Math.ceil(length / part.length))));
    return (long ?? 0) > 100 * Math.max(short ?? 0, 5);
  };

  expect(hostile.filter(isSlow)).toEqual([]);
  expect(masked(hostile.map((part) => part.repeat(3_000_000 / hostile.length / part.length)).join("\n"))).toContain(
    "<card>",
  );
});
