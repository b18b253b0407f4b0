import { describe, expect, test } from "vitest";
import type { TargetRequest } from "../../../../lib/judge/judge.ts";
import type { ConnectEmbed } from "../../../../lib/judge/providers/connections.ts";
import { failureOf, type Embedding, type EmbedRequest } from "../../../../lib/judge/providers/provider.ts";
import { judgedMetrics } from "../../../../lib/metrics/trace/definitions.ts";
import { referencePairs } from "../../../../lib/metrics/trace/reference-pairs.ts";
import { judgeOf, trace } from "../fixtures.ts";

type Reply = (request: EmbedRequest) => Embedding;

const vectors = (...rows: readonly (readonly number[])[]): Embedding => ({
  kind: "vectors",
  vectors: rows,
  tokens: 7,
});
/** A vector for each text; texts of equal length have equal directions. */
const byLength: Reply = ({ texts }) => vectors(...texts.map(({ length }) => [length % 7, 1, 0]));

/** A judge whose embedding model gives the replies in order and repeats the last one. */
const judgeWith = (...replies: readonly Reply[]) => {
  const calls: EmbedRequest[] = [];
  const embeddings: ConnectEmbed = async () => ({
    ready: true,
    model: "test/words",
    embed: async (request) => {
      calls.push(request);
      return (replies[Math.min(calls.length, replies.length) - 1] ?? byLength)(request);
    },
  });
  const { judge, request, deadline, slept } = judgeOf(
    { url: "http://127.0.0.1:1" },
    { metrics: judgedMetrics, embeddings },
  );
  const score = (metric: string, fields: Partial<TargetRequest> = {}) =>
    judge.target({ ...request, ...fields }).score(metric, deadline());
  return { calls, score, slept };
};

describe("a metric that compares embeddings", () => {
  test("embeds the texts in one call, whatever the judge's model, and records its basis in the metadata", async () => {
    const { calls, score } = judgeWith(({ texts }) =>
      vectors(...texts.map((text) => (text === "ask" ? [3, 4] : text === "answer" ? [1, 0] : [0, 1]))),
    );

    const verdict = await score("coherence", { trace: trace({ input: "ask", output: "answer" }) });

    expect(calls).toEqual([{ texts: ["ask", "answer", ...referencePairs.flat()], timeout: 30_000 }]);
    expect(verdict).toMatchObject({
      kind: "scored",
      value: 0.6,
      metadata: {
        model: "test/words",
        prompt_version: expect.stringMatching(/^[0-9a-f]{12}$/u),
        tokens: { prompt: 7, completion: 0, cached: 0 },
        attempts: 1,
        coverage: { shown_characters: 9, total_characters: 9, ratio: 1 },
        coherence_gap: 0.4,
        embedding_model: "test/words",
        unrelated_place: 0,
        unrelated_pairs: 56,
        unrelated_source: "reference",
        threshold: 0.5,
        success: false,
      },
    });
  });

  test("compares a pair with other pairs of its own project as soon as there are enough, and of no other project", async () => {
    const { score } = judgeWith(({ texts }) =>
      vectors(...texts.map((text) => [Number(/\d+/u.exec(text)?.[0] ?? 0) + 1, 1])),
    );
    const judged = async (project: string, number: number) => {
      const fields = { projectId: project, trace: trace({ input: `Ask ${number}`, output: `Answer ${number}` }) };
      const { metadata } = await score("coherence", fields);
      return [metadata["unrelated_source"], metadata["unrelated_pairs"]];
    };

    const notes = [];
    for (let number = 1; number <= 7; number += 1) notes.push(await judged("mine", number));

    expect(notes.map(([source]) => source)).toEqual([
      ...Array.from({ length: 5 }, () => "reference"),
      "project",
      "project",
    ]);
    expect(notes[6]).toEqual(["project", 42]);
    expect(await judged("other", 8)).toEqual(["reference", 56]);
    expect(await judged("mine", 7)).toEqual(["project", 42]);
  });

  test.each(["coherence", "loop_detection"])("does not apply without an embedding model: %s", async (metric) => {
    const { judge, request, deadline } = judgeOf({ url: "http://127.0.0.1:1" }, { metrics: judgedMetrics });
    const withEarlier = { ...request, earlierTraces: [trace()] };

    expect(await judge.target(withEarlier).score(metric, deadline())).toMatchObject({
      kind: "scored",
      value: 1,
      reason: expect.stringContaining("no embedding model is configured"),
      metadata: { success: null, attempts: 0 },
      grounds: { inapplicable: "no_embedding_model" },
    });
  });

  test("does not apply where words would be compared beside a real judge", async () => {
    const { judge, request, deadline } = judgeOf({ url: "http://127.0.0.1:1" }, { embeddingModel: "offline/words" });

    expect(await judge.target(request).score("coherence", deadline())).toMatchObject({
      reason: expect.stringContaining("counts words"),
      grounds: { inapplicable: "no_embedding_model" },
    });
  });

  test("embeds no text twice", async () => {
    const { calls, score } = judgeWith(byLength);
    const [first, second] = [trace({ input: "same", output: "first" }), trace({ input: "same", output: "second" })];

    await score("coherence", { trace: first });
    await score("coherence", { trace: second });
    const repeatedScore = await score("loop_detection", { trace: second, earlierTraces: [first] });

    expect(calls.map(({ texts }) => texts)).toEqual([["same", "first", ...referencePairs.flat()], ["second"]]);
    expect(repeatedScore).toMatchObject({ kind: "scored", metadata: { attempts: 0, tokens: { prompt: 0 } } });
  });

  test("makes no call where there is no text to compare", async () => {
    const { calls, score } = judgeWith(byLength);

    expect(await score("coherence", { trace: trace({ output: null }) })).toMatchObject({
      kind: "scored",
      value: 1,
      metadata: { note: "empty_input_or_output", attempts: 0 },
    });
    expect(await score("loop_detection")).toMatchObject({
      value: 1,
      metadata: { note: "no session context provided" },
    });
    expect(calls).toHaveLength(0);
  });

  test("cuts long texts without splitting a character and reports the compared length", async () => {
    const { calls, score } = judgeWith(byLength);

    const verdict = await score("coherence", { trace: trace({ input: `x${"🙂".repeat(8000)}`, output: "y" }) });

    expect(calls[0]?.texts[0]).toHaveLength(8000);
    expect(calls[0]?.texts[0]?.isWellFormed()).toBe(true);
    expect(verdict.metadata["coverage"]).toMatchObject({ shown_characters: 8001, total_characters: 16_002 });
  });

  test("FAILS with the setting to configure when there is no embedding model", async () => {
    const { judge, request, deadline } = judgeOf(
      { url: "http://127.0.0.1:1" },
      { embeddings: async () => ({ ready: false, message: "Set embeddingModel." }) },
    );

    expect(await judge.target(request).score("coherence", deadline())).toMatchObject({
      kind: "failed",
      code: "judge_auth",
      reason: "Set embeddingModel.",
    });
  });
});

describe("an embedding model", () => {
  test("that is unavailable for a moment is called once more", async () => {
    const { calls, score, slept } = judgeWith(() => failureOf("judge_rate_limited", { retryAfter: 3000 }), byLength);

    expect(await score("coherence")).toMatchObject({ kind: "scored", metadata: { attempts: 2 } });
    expect(calls).toHaveLength(2);
    expect(slept).toEqual([3500]);
  });

  test.each([
    ["judge_unavailable", null, "deferred", 2],
    ["judge_rate_limited", 60_000, "deferred", 1],
    ["judge_bad_request", null, "failed", 1],
  ] as const)(
    "that fails permanently with %s, with a Retry-After of %s ms, makes the pair %s after %i calls",
    async (...row) => {
      const [code, retryAfter, kind, callCount] = row;
      const { calls, score } = judgeWith(() => failureOf(code, { retryAfter }));

      expect(await score("coherence")).toMatchObject({ kind, code, metadata: { code, attempts: callCount } });
      expect(calls).toHaveLength(callCount);
    },
  );

  test.each<readonly [string, Embedding]>([
    ["too few vectors", vectors([1])],
    ["too many vectors", vectors([1], [1], [1])],
    ["vectors of several lengths", vectors([1], [1, 2])],
    ["empty vectors", vectors([], [])],
    ["a vector that is not finite", vectors([1], [Number.NaN])],
  ])("that returns %s is malformed, and no vector is cached", async (_, reply) => {
    const { calls, score } = judgeWith(
      () => reply,
      () => reply,
      byLength,
    );

    expect(await score("coherence")).toMatchObject({ kind: "failed", code: "judge_malformed" });
    expect(await score("coherence")).toMatchObject({ kind: "scored" });
    expect(calls).toHaveLength(3);
  });
});
