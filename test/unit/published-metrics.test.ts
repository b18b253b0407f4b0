import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { publishedMetrics, publishMetrics, stageVariable, type PublishedMetric } from "../../lib/published-metrics.ts";
import { directiveOf, publishedLines } from "../support/published-lines.ts";

const names = Object.keys(publishedMetrics) as PublishedMetric[];

let before: string | undefined;
beforeEach(() => {
  before = process.env[stageVariable];
  process.env[stageVariable] = "blue";
});
afterEach(() => {
  if (before === undefined) delete process.env[stageVariable];
  else process.env[stageVariable] = before;
});

const published = async (...given: Parameters<typeof publishMetrics>) =>
  (await publishedLines(async () => publishMetrics(...given))).lines.map((line) => ({
    line,
    directive: directiveOf(line),
  }));

test("a line has the embedded metric format: its metrics and dimension are members of it", async () => {
  const begun = Date.now();
  const [looked] = await published("looked", { JudgeCalls: 3, JudgeCost: 0.25 }, { model: "openai/judge" });

  expect(looked?.line).toEqual({
    event: "looked",
    model: "openai/judge",
    JudgeCalls: 3,
    JudgeCost: 0.25,
    Stage: "blue",
    _aws: {
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        {
          Namespace: "Assay",
          Dimensions: [["Stage"]],
          Metrics: [
            { Name: "JudgeCalls", Unit: "Count" },
            { Name: "JudgeCost", Unit: "None" },
          ],
        },
      ],
    },
  });
  expect(looked?.directive.Timestamp).toBeGreaterThanOrEqual(begun);
});

test.each(names)("%s is published under its own name, with one dimension", async (name) => {
  const [looked] = await published("looked", { [name]: 7 });
  const [directive] = looked?.directive.CloudWatchMetrics ?? [];

  expect(looked?.line[name]).toBe(7);
  expect(directive?.Metrics.map(({ Name }) => Name)).toEqual([name]);
  expect(directive?.Dimensions).toEqual([["Stage"]]);
});

test("there are no more metrics than an account has free", () => {
  expect(names.length).toBeLessThanOrEqual(10);
});

test.each(["JSON", "Text"])(
  "a line is itself JSON where Lambda's console would make JSON of it (format %s)",
  (format) => {
    const script = `import { logLine } from ${JSON.stringify(new URL("../../lib/log.ts", import.meta.url).href)};
    console.log = (...given) => process.stdout.write(JSON.stringify({ message: given.join(" ") }) + "\\n");
    logLine("tried", { count: 1 });`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      env: { AWS_LAMBDA_LOG_FORMAT: format },
      encoding: "utf8",
    });

    // Stands for the runtime's console, which in JSON wraps what it is given.
    expect(JSON.parse(printed)).toEqual(
      format === "JSON" ? { event: "tried", count: 1 } : { message: '{"event":"tried","count":1}' },
    );
  },
);
