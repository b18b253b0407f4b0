import { expect, test } from "vitest";
import { recentUsage } from "../../../lib/evaluation/start/recent-usage.ts";
import { automatedScore } from "../../../lib/domain/scores/automated-score.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";

const scored = (metadata: JsonObject) =>
  automatedScore(
    { projectId: "p", runId: "r", target: "t", metric: "confidence" },
    { value: 1, reason: null, metadata },
    { environment: null, startedAt: "2026-11-22T09:00:00+00:00", contentVersion: 1 },
    "2026-11-22T10:00:00+00:00",
  );
const judged = (model: string, attempts: number, prompt: number): JsonObject => ({
  model,
  attempts,
  tokens: { prompt, completion: 100, cached: 0, written: 0 },
  coverage: { shown_characters: 330, total_characters: 330, ratio: 1 },
});

test("a model's recent usage is summed over the newest scores of a metric whose tokens were counted for that metric", async () => {
  const pageArguments: unknown[] = [];
  const items = [
    scored(judged("openai/a", 1, 1000)),
    scored(judged("openai/a", 2, 2400)),
    scored(judged("openai/b", 1, 9000)),
    scored(judged("openai/a", 1, 0)),
    scored({ code: "internal" }),
    { ...scored(judged("openai/a", 1, 5000)), source: "ANNOTATION" as const },
  ];
  const used = recentUsage({
    page: async (...args) => {
      pageArguments.push(args);
      return { items, total: 6, last: null };
    },
  });

  expect(await used("p", "confidence", "openai/a")).toEqual({ calls: 3, prompt: 3400, completion: 200, shown: 990 });
  expect(pageArguments).toEqual([["p", { name: "confidence" }, 20, 0]]);
});
