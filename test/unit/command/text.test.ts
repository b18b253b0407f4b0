import { expect, test } from "vitest";
import { definitionList, fieldLines, plainLine, itemTable, wrap } from "../../../lib/command/text.ts";

const items = [
  {
    tags: ["x"],
    user_id: null,
    latency_ms: 12,
    name: "旅行の予定を立てるエージェント、とても長い名前",
    status: "ERROR",
    trace_id: "a2ecf8ca-b900-8ac7-a265-51127a725a92",
  },
  { tags: [], user_id: null, latency_ms: 3, name: "support", status: "COMPLETED", trace_id: "7" },
];

test("a table has the columns for which its width suffices, those that name an item first, and wide letters count twice", () => {
  expect(itemTable(items, 60).split("\n")).toEqual([
    "trace_id                              status     name",
    "a2ecf8ca-b900-8ac7-a265-51127a725a92  ERROR      旅行の予定…",
    "7                                     COMPLETED  support",
  ]);
  expect(itemTable(items, 100).split("\n")[2]).toBe(`7${" ".repeat(37)}COMPLETED  support${" ".repeat(31)}3`);
});

test("no line is wider than the terminal, whatever its texts are", () => {
  const long = "a word and another one ".repeat(9);
  const lines = [
    wrap(long, 60, 4),
    definitionList(
      [
        ["--name VALUE", long],
        ["--x", ""],
      ],
      60,
    ),
    fieldLines({ name: long, n: 1 }, 60),
  ];

  for (const text of lines) expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(60);
});

test("a stored text cannot steer the terminal", () => {
  const hostile = "a\u001b[2Jb\u009b31mc\r\nd\u202ee";

  expect(plainLine(hostile)).toBe("a [2Jb 31mc d e");
  expect(itemTable([{ name: hostile }], 60)).toBe("name\na [2Jb 31mc d e");
  expect(fieldLines({ name: hostile }, 60)).toBe("name  a [2Jb 31mc d e");
});
