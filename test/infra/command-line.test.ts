import { expect, test } from "vitest";
import { parseCommandLine } from "../../infra/command-line.ts";

const options = {
  factor: { type: "string" },
  file: { type: "string", short: "f" },
  fresh: { type: "boolean" },
} as const;

test("a negative number is the value of the flag before it", () => {
  expect(parseCommandLine(options, ["--factor", "-3.5", "--fresh"]).values).toEqual({ factor: "-3.5", fresh: true });
  expect(parseCommandLine(options, ["--factor=-3"]).values).toEqual({ factor: "-3" });
});

test.each([
  [["--factr", "3"], "There is no flag --factr; did you mean --factor?"],
  [["--factor", "--fresh"], "The flag --factor needs a value."],
  [["--fresh", "--factor"], "The flag --factor needs a value."],
])("the command line %j is refused in one sentence", (args, sentence) => {
  expect(() => parseCommandLine(options, args)).toThrow(new Error(sentence));
});
