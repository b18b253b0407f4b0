import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  signalNames,
  weightsWith,
  type SessionSignals,
  type SignalWeights,
} from "../../../lib/domain/scores/signals.ts";
import { agentConsistency } from "../../../lib/metrics/session/agent-consistency.ts";
import { agentReliability } from "../../../lib/metrics/session/agent-reliability.ts";
import { sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import { judgeSession } from "../../../lib/metrics/session/judge-session.ts";

type Quad = readonly [confidence: number | null, loop: number | null, tool: number | null, coherence: number | null];

const signals = ([confidence, loop, tool, coherence]: Quad): SessionSignals => ({
  ...(confidence === null ? {} : { confidence }),
  ...(loop === null ? {} : { loop_detection: loop }),
  ...(tool === null ? {} : { tool_correctness: tool }),
  ...(coherence === null ? {} : { coherence }),
});
const session = (...traces: readonly Quad[]) => new Map(traces.map((quad, index) => [`t${index + 1}`, signals(quad)]));
const onlyConfidence = (...scores: readonly number[]) =>
  session(...scores.map((score): Quad => [score, null, null, null]));
const standard = weightsWith(null);

describe("the test vectors", () => {
  test.each<[string, ReturnType<typeof session>, SignalWeights, number, number]>([
    ["one trace", session([0.9, 1, 0.5, 0.8]), standard, 0.6, 0.84],
    ["gaps", session([0.9, null, null, 0.8], [0.4, 0.7, 0.6, 0.5], [null, null, null, 0.2]), standard, 0.2, 0.0966],
    [
      "heavy weights",
      session([0.5, 0.8, 0.9, 0.7]),
      { confidence: 2, loop_detection: 0.5, tool_correctness: 0.1, coherence: 0.5 },
      0,
      0,
    ],
    ["seven traces", onlyConfidence(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3), standard, 0.345, 0.5528],
    ["weights of 0", session([0.1, null, null, 0.1]), weightsWith({ confidence: 0, coherence: 0 }), 1, 1],
  ])("of %s", (_, signals, weights, reliability, consistency) => {
    expect(agentReliability(signals, weights).value).toBe(reliability);
    expect(agentConsistency(signals, weights).value).toBe(consistency);
  });
});

describe("agent_reliability", () => {
  test("reports that it is based on coherence alone where no other signal exists", () => {
    const reliabilityOf = (signals: SessionSignals) => agentReliability(new Map([["a", signals]]), standard);

    expect(reliabilityOf({ coherence: 0.2, confidence: 0.9 })).toMatchObject({
      reason: expect.stringContaining("rests on coherence alone"),
      details: { rests_on: ["coherence"] },
    });
    expect(reliabilityOf({ coherence: 0.9, confidence: 0.2 }).reason).not.toContain("coherence");
    expect(reliabilityOf({ coherence: 0.2, confidence: 0.2 }).details).not.toHaveProperty("rests_on");
    expect(reliabilityOf({ coherence: 1, confidence: 1 }).details).not.toHaveProperty("rests_on");
  });

  test("shows every trace's risks, marks those above one half and explains the value", () => {
    const signals = session(
      [0.9, null, null, 0.8],
      [0.4, 0.7, 0.6, 0.5],
      [null, null, null, 0.2],
      [null, null, null, null],
    );

    expect(agentReliability(signals, standard)).toMatchObject({
      reason:
        "2 of the 3 evaluated traces are a high risk: the session is as reliable as its worst part. The value rests on coherence alone.",
      details: {
        total_traces_in_session: 4,
        traces_evaluated: 3,
        raw_risk: 0.8,
        signal_weights: { confidence: 1, loop_detection: 1, tool_correctness: 0.8, coherence: 1 },
        per_trace_signals: {
          t1: { confidence_risk: 0.1, coherence_risk: 0.2, step_risk: 0.2 },
          t2: { confidence_risk: 0.6, loop_risk: 0.3, tool_risk: 0.4, coherence_risk: 0.5, step_risk: 0.6 },
          t3: { coherence_risk: 0.8, step_risk: 0.8 },
        },
        flagged_traces: ["t2", "t3"],
        aggregation: {
          method: "max_compose_top_k",
          top_k_percentile: 0.15,
          ensemble_weight: 0.1,
          mean_top_k_risk: 0.8,
          max_risk: 0.8,
        },
      },
    });
  });

  test("reports that no risk is high", () => {
    expect(agentReliability(onlyConfidence(0.9), standard).reason).toBe(
      "None of the 1 evaluated traces is a high risk.",
    );
  });
});

describe("agent_consistency", () => {
  test("leaves out traces without confidence and shows the reasons for the others' uncertainty", () => {
    const signals = session([0.5, 0.8, 0.9, 0.7], [null, 0, 0, 0]);
    const weights = { confidence: 2, loop_detection: 0.5, tool_correctness: 0.1, coherence: 0.5 };

    expect(agentConsistency(signals, weights).details).toEqual({
      total_traces_in_session: 2,
      traces_evaluated: 1,
      raw_instability: 1.26,
      signal_weights: weights,
      per_trace_signals: {
        t1: {
          confidence_risk: 0.5,
          loop_risk: 0.2,
          tool_risk: 0.1,
          coherence_risk: 0.3,
          situational_penalty: 0.26,
          weighted_uncertainty: 1.26,
        },
      },
      aggregation: { method: "weighted_rms", rms_value: 1.26 },
    });
  });

  test.each([
    [0.9, "consistently"],
    [0.6, "moderate instability"],
    [0.3, "high instability"],
  ])("with a confidence of %f says: %s", (score, words) => {
    expect(agentConsistency(onlyConfidence(score), standard).reason).toContain(words);
  });
});

test("two scores of a session have the same prompt version when their signals had the same weights", () => {
  const idOf = (metric: string, weights: SignalWeights) => judgeSession(metric, new Map(), weights).grounds?.judge.id;
  const [metric = "", otherMetric = ""] = sessionMetricNames;

  const id = idOf(metric, standard);

  expect(id).toMatch(new RegExp(`^assay/${metric}#[0-9a-f]{12}$`, "u"));
  expect(idOf(metric, { ...standard })).toBe(id);
  expect(idOf(metric, { ...standard, coherence: 0.5 })).not.toBe(id);
  expect(idOf(otherMetric, standard)).not.toBe(id);
});

describe("a session without measurements", () => {
  test.each(sessionMetricNames)("FAILS %s with a reason", (metric) => {
    const empty = judgeSession(metric, new Map(), standard);
    const unmeasured = judgeSession(metric, session([null, null, null, null]), standard);

    expect(empty).toEqual({
      value: null,
      reason: "The session has no traces.",
      metadata: { code: "no_signals", total_traces_in_session: 0, traces_evaluated: 0 },
      grounds: expect.objectContaining({ inapplicable: null, traceVersion: null }),
    });
    expect(unmeasured).toMatchObject({
      value: null,
      reason: expect.stringMatching(/^None of the session's traces has a usable score of .*confidence/u),
      metadata: { code: "no_signals", total_traces_in_session: 1 },
    });
  });

  test("FAILS agent_consistency alone when only confidence is missing", () => {
    const signals = session([null, 1, 1, 1]);

    expect(agentConsistency(signals, standard).value).toBeNull();
    expect(agentReliability(signals, standard).value).toBe(1);
  });
});

describe("a session's score", () => {
  test("has its success by the threshold", () => {
    expect(judgeSession("agent_reliability", onlyConfidence(0.6), standard).metadata).toMatchObject({
      threshold: 0.5,
      success: true,
    });
    expect(judgeSession("agent_reliability", onlyConfidence(0.2), standard).metadata).toMatchObject({ success: false });
  });

  test.each(sessionMetricNames)("keeps its metadata below 16 KB in a session of 10,000 traces: %s", (metric) => {
    const signalMap = new Map(
      Array.from({ length: 10_000 }, (_, index) => [
        `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
        signals([(index % 997) / 997, 0.1234, 0.4321, 0.9876]),
      ]),
    );

    const { metadata } = judgeSession(metric, signalMap, standard);

    expect(Buffer.byteLength(JSON.stringify(metadata))).toBeLessThan(16 * 1024);
    expect(metadata).toMatchObject({ traces_evaluated: 10_000, traces_left_out: 9940 });
  });

  test("is a number in [0, 1] and its metadata plain JSON, whatever the signals and weights", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const someSignals = fc.record(Object.fromEntries(signalNames.map((name) => [name, unit])), { requiredKeys: [] });
    const someWeights = fc.record(
      Object.fromEntries(signalNames.map((name) => [name, fc.double({ min: 0, max: 1e308, noNaN: true })])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(someSignals, { maxLength: 20 }), someWeights, (traces, weights) => {
        const byTrace = new Map(traces.map((each, index) => [String(index), each]));
        for (const metric of sessionMetricNames) {
          const { value, metadata } = judgeSession(metric, byTrace, weightsWith(weights));
          expect(value === null || (value >= 0 && value <= 1)).toBe(true);
          expect(JSON.parse(JSON.stringify(metadata))).toEqual(metadata);
        }
      }),
      { numRuns: 200 },
    );
    expect.hasAssertions();
  });
});
