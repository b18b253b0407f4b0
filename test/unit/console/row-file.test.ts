import { expect, test } from "vitest";
import { rowWriter } from "../../../lib/console/parts/files/row-file.ts";

/** Reads CSV by RFC 4180, independently of its writer. */
const parse = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^,\r\n"]*)(?:,|\r\n))+?(?<=\r\n)/gu)].map(([line]) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,\r\n"]*)(?:,|\r\n)/gu)].map(([, cell = ""]) =>
      cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
    ),
  );

test("a file of CSV has any text as it is, and one row for each item, also of later parts", () => {
  const write = rowWriter("csv");
  const text =
    write([{ name: 'a "b", c\r\nd', n: 1.5, none: null, list: [{ value: "x" }] }]) + write([{ name: "ü", n: 2 }]);

  expect(parse(text.replace("\uFEFF", ""))).toEqual([
    ["name", "n", "none", "list", "other_fields"],
    ['a "b", c\r\nd', "1.5", "", '[{"value":"x"}]', ""],
    ["ü", "2", "", "", ""],
  ]);
  expect(text.startsWith("\uFEFFname,")).toBe(true);
});

test("fields that only later parts have are in the last column", () => {
  const write = rowWriter("csv");

  expect(write([{ id: 1 }]) + write([{ id: 2, late: true }])).toBe(
    '\uFEFFid,other_fields\r\n1,\r\n2,"{""late"":true}"\r\n',
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"],
  ["+44 20", "'+44 20"],
  ["\t=1", "'\t=1"],
  ["＝1+1", "'＝1+1"],
  ["-0.5", "-0.5"],
  ["1e-7", "1e-7"],
  ["a=1", "a=1"],
])("the text %j is no formula of a spreadsheet in CSV", (text, cell) => {
  const [, row] = parse(rowWriter("csv")([{ text }]).replace("\uFEFF", ""));

  expect(row).toEqual([cell, ""]);
});

test("numbers are cells as they are, and NDJSON has each item in a line", () => {
  expect(rowWriter("csv")([{ n: -0.5, on: false }])).toBe("\uFEFFn,on,other_fields\r\n-0.5,false,\r\n");
  expect(rowWriter("ndjson")([{ a: "x\ny" }, { b: [1] }])).toBe('{"a":"x\\ny"}\n{"b":[1]}\n');
});
