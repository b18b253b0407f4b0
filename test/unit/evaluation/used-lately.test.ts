import { expect, test } from "vitest";
import { usedLately } from "../../../lib/evaluation/start/used-lately.ts";
import { automatedScore } from "../../../lib/domain/scores/automated-score.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";

const scored = (metadata: JsonObject) =>
  automatedScore(
    { projectId: "p", runId: "r", target: "t", metric: "confidence" },
    { value: 1, reason: null, metadata },
    { environment: null, startedAt: "2026-11-22T09:00:00+00:00" },
    "2026-11-22T10:00:00+00:00",
  );
const judged = (model: string, attempts: number, prompt: number): JsonObject => ({
  model,
  attempts,
  tokens: { prompt, completion: 100, cached: 0, written: 0 },
  coverage: { shown_characters: 330, total_characters: 330, ratio: 1 },
});

test("what a model used lately is summed over the newest scores of a metric that are its own and were counted", async () => {
  const asked: unknown[] = [];
  const items = [
    scored(judged("openai/a", 1, 1000)),
    scored(judged("openai/a", 2, 2400)),
    scored(judged("openai/b", 1, 9000)),
    scored(judged("openai/a", 1, 0)),
    scored({ code: "internal" }),
    { ...scored(judged("openai/a", 1, 5000)), source: "ANNOTATION" as const },
  ];
  const used = usedLately({
    page: async (...given) => {
      asked.push(given);
      return { items, total: 6, last: null };
    },
  });

  expect(await used("p", "confidence", "openai/a")).toEqual({ calls: 3, prompt: 3400, completion: 200, shown: 990 });
  expect(asked).toEqual([["p", { name: "confidence" }, 20, 0]]);
});
