// oxlint-disable-next-line eslint/no-restricted-imports -- one short process
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

const published = async (...args: Parameters<typeof publishMetrics>) =>
  (await publishedLines(async () => publishMetrics(...args))).lines.map((line) => ({
    line,
    directive: directiveOf(line),
  }));

test("a line is in the embedded metric format: its metrics and dimension are members of the line", async () => {
  const startedAt = Date.now();
  const [publishedLine] = await published("looked", { JudgeCalls: 3, JudgeCost: 0.25 }, { model: "openai/judge" });

  expect(publishedLine?.line).toEqual({
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
  expect(publishedLine?.directive.Timestamp).toBeGreaterThanOrEqual(startedAt);
});

test.each(names)("%s is published under its own name, with one dimension", async (name) => {
  const [publishedLine] = await published("looked", { [name]: 7 });
  const [directive] = publishedLine?.directive.CloudWatchMetrics ?? [];

  expect(publishedLine?.line[name]).toBe(7);
  expect(directive?.Metrics.map(({ Name }) => Name)).toEqual([name]);
  expect(directive?.Dimensions).toEqual([["Stage"]]);
});

test("there are no more service metrics than an account has free", () => {
  expect(names.length).toBeLessThanOrEqual(10);
});

test.each(["JSON", "Text"])(
  "a log line is JSON itself where Lambda's console would wrap it in JSON (format %s)",
  (format) => {
    const script = `import { logLine } from ${JSON.stringify(new URL("../../lib/log.ts", import.meta.url).href)};
    console.log = (...given) => process.stdout.write(JSON.stringify({ message: given.join(" ") }) + "\\n");
    logLine("tried", { count: 1 });`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      env: { AWS_LAMBDA_LOG_FORMAT: format },
      encoding: "utf8",
    });

    // Replacement of the runtime's console, which in JSON format wraps its argument.
    expect(JSON.parse(printed)).toEqual(
      format === "JSON" ? { event: "tried", count: 1 } : { message: '{"event":"tried","count":1}' },
    );
  },
);
