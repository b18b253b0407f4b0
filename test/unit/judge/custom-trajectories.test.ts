import { afterAll, beforeAll, expect, test } from "vitest";
import { withIds } from "../../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { customMetric } from "../../../lib/judge/custom/custom-metric.ts";
import { generateTrace } from "../../bench/generate-trace.ts";
import { customVersion } from "../../support/custom-metric.ts";
import { seeded } from "../../support/random.ts";
import { startFakeJudge, type FakeJudge } from "../../support/runs/fake-judge.ts";
import { differencesByHand } from "../../support/runs/trajectories/by-hand.ts";
import { carefulChange } from "../../support/runs/trajectories/careful-change.ts";
import { keywordJudge, type JudgedRecord } from "../../support/runs/trajectories/keyword-judge.ts";
import { judgeOf } from "./fixtures.ts";

let fake: FakeJudge;
const lookedRecords: JudgedRecord[] = [];
beforeAll(async () => {
  fake = await startFakeJudge();
  fake.script(keywordJudge(lookedRecords));
});
afterAll(() => fake.close());

test("a custom metric of three statements scores trajectories as a person would from the judge's answers", async () => {
  const { next } = seeded(22);
  const metric = customMetric(
    customVersion(
      carefulChange({ looks: "get_order", changes: "run_sql", handsOver: "fetch_page", thinks: "search_docs" }),
    ),
  );
  const { judge } = judgeOf(fake, { findCustomMetric: async () => metric });
  const outcomes: unknown[] = [];
  for (let place = 0; place < 16; place += 1) {
    const { spans = [], ...traceFields } = generateTrace(next, `trajectory ${place}`, Date.UTC(2026, 9, 1));
    const trajectory = { ...traceFields, spans: spans.slice(0, 2 + (place % 8)) };
    const trace = mergeTrace(
      null,
      withIds(trajectory, () => ""),
    );
    const target = judge.target({ runId: "r", projectId: "p", trace, traceVersion: 1, model: "openai/judge" });
    const verdict = await target.score("careful_change@1", Date.now() + 60_000);
    const [last] = lookedRecords.slice(-1);
    if (verdict.kind === "deferred" || last === undefined) throw new Error("It was not judged.");
    const { level, statements, success } = verdict.metadata;
    const { cited = [], dropped = 0 } = verdict.grounds?.evidence ?? {};
    const [value, code] = verdict.kind === "scored" ? [verdict.value, undefined] : [null, verdict.code];
    outcomes.push(value);

    expect(differencesByHand(trajectory, last, { value, code, level, statements, success, cited, dropped })).toEqual(
      [],
    );
    expect(lookedRecords).toHaveLength(place + 1);
  }

  expect(new Set(outcomes)).toEqual(new Set([1, 0.6, 0.05, null]));
});
