import * as fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine, csvRows } from "../../../../lib/domain/csv.ts";
import { cellJson, cellOf } from "../../../../lib/domain/datasets/columns.ts";

/** Texts with many of the characters that CSV and JSON treat specially. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from('",\r\n{}[]: \\1etrufalsn\uFEFF')) }),
  fc.string(),
);

test("rows are read as they are written, with LF as with CRLF", () => {
  const rows = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(rows, (cells) => {
      const written = cells.map(csvLine);
      expect(Array.from(csvRows(written.join("")), (row) => row.cells)).toEqual(cells);
      const withLf = written.map((line) => `${line.slice(0, -2)}\n`).join("");
      expect(Array.from(csvRows(withLf), (row) => row.cells)).toEqual(cells);
    }),
  );
});

test("a row begins on the line where its first cell does", () => {
  const lines = [...csvRows('a,b\r\n"1\r\n2",3\n\n4,"\n\n"\n5,6')].map(({ line }) => line);

  expect(lines).toEqual([1, 2, 5, 8]);
});

test("a value's cell is read as the value, and never empty", () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.jsonValue()), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      const cell = cellOf(plain);
      expect(cell).not.toBe("");
      expect(JSON.parse(cellJson(cell))).toEqual(plain);
    }),
  );
});

test.each([
  ["42", 42],
  ['"42"', "42"],
  ["007", "007"],
  ["true", true],
  ["True", "True"],
  ["[draft]", "[draft]"],
  ['{"a": [1]}', { a: [1] }],
])("the cell %s stands for %j", (cell, value) => {
  expect(JSON.parse(cellJson(cell))).toEqual(value);
});
