import { expect, test } from "vitest";
import { oldRows } from "./compare.ts";

const table = (...rows: readonly string[]): string => ["| vital | |", "|---|---|", ...rows].join("\n");

test("a page is true if its numbers differ by a tenth at most; times are not compared", () => {
  const saved = table(
    "| `POST /traces` | 4 requests, 2.5 read units |",
    "| template, bytes | 600,000 |",
    "| import, CPU | 69 ms |",
  );

  expect(oldRows(saved, saved)).toEqual([]);
  expect(
    oldRows(
      saved,
      table(
        "| `POST /traces` | 4.1 requests, 2.4 read units |",
        "| template, bytes | 655,000 |",
        "| import, CPU | 900 ms |",
      ),
    ),
  ).toEqual([]);
  expect(
    oldRows(
      saved,
      table(
        "| `POST /traces` | 4 requests, 2.8 read units |",
        "| template, bytes | 661,000 |",
        "| import, CPU | 69 ms |",
      ),
    ),
  ).toEqual([
    "`POST /traces`: 4 requests, 2.5 read units on the page, now 4 requests, 2.8 read units",
    "template, bytes: 600,000 on the page, now 661,000",
  ]);
});

test("rows that are missing on the page, or no longer measured, are old, and so are other words", () => {
  expect(oldRows(table("| a | 1 |", "| b | 2 requests |"), table("| b | 2 units |", "| c | 3 |"))).toEqual([
    "a: no longer measured",
    "b: 2 requests on the page, now 2 units",
    "c: missing on the page",
  ]);
});

test("figures of stream workers and their sums may differ by three requests, as batches do; the second row of a name is its own", () => {
  const saved = table(
    "| a | 8 requests |",
    "| a: endpoint | 5 requests |",
    "| a: behind it | 3 requests |",
    "| a | 1 |",
  );
  const measured = (sum: number) =>
    table(`| a | ${sum} requests |`, "| a: endpoint | 5 requests |", "| a: behind it | 2 requests |", "| a | 1 |");

  expect(oldRows(saved, measured(5))).toEqual([]);
  expect(oldRows(saved, measured(4))).toEqual(["a: 8 requests on the page, now 4 requests"]);
});
