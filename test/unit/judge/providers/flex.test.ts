import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { flexShare } from "../../../../lib/prices/judge-prices.ts";
import { bedrock } from "../../../../lib/judge/providers/bedrock.ts";
import { custom, gemini, openai } from "../../../../lib/judge/providers/openai.ts";
import type { CompletionRequest, Connector } from "../../../../lib/judge/providers/provider.ts";
import {
  startFakeJudge,
  completion,
  completionAnswer,
  reply,
  type FakeJudge,
} from "../../../support/runs/fake-judge.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { error, good } from "../behaviours.ts";
import { question, surroundings } from "../completion-request.ts";
import { judgeOf } from "../fixtures.ts";

const key = "sk-0123456789abcdef";
const model = "gpt-5.4-mini";

const answered = (service_tier?: string) => ({
  status: 200,
  body: {
    choices: [{ index: 0, message: { role: "assistant", content: "{}" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20 },
    ...(service_tier !== undefined && { service_tier }),
  },
});

const refusal = (status: number, error: object) => ({ status, body: { error: { message: "No.", ...error } } });

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const ask = (fields: Partial<CompletionRequest>, provider: Connector = openai, now = () => 0) =>
  provider({ key, baseUrl: `${fake.url}/v1` }, surroundings({ now })).complete(question({ model, ...fields }));

const requestedTiers = () => fake.calls.map(({ body }) => (body as { service_tier?: string }).service_tier);

describe("a question at the flex tier", () => {
  test("is sent at the flex tier, and the result says so when it was billed there", async () => {
    fake.script(answered("flex"));

    expect(await ask({ tier: "flex" })).toMatchObject({ kind: "answer", isFlex: true });
    expect(requestedTiers()).toEqual(["flex"]);
  });

  test("is not billed at the flex tier where the provider does not say so", async () => {
    fake.script(answered(), answered("default"));

    expect(await ask({ tier: "flex" })).not.toHaveProperty("flex");
    expect(await ask({ tier: "flex" })).not.toHaveProperty("flex");
  });

  test.each([
    ["there is no room", refusal(429, { code: "resource_unavailable" })],
    ["the model is not served there", refusal(400, { code: "invalid_value", param: "service_tier" })],
  ])("is sent at the standard tier at once when %s", async (_, refusal) => {
    fake.script(refusal, answered("default"));

    expect(await ask({ tier: "flex" })).toMatchObject({ kind: "answer" });
    expect(requestedTiers()).toEqual(["flex", undefined]);
  });

  test.each([
    ["a limit of calls", refusal(429, { code: "rate_limit_exceeded" }), "judge_rate_limited"],
    ["another parameter", refusal(400, { param: "model" }), "judge_bad_request"],
    ["an outage", refusal(500, {}), "judge_unavailable"],
  ])("is not sent again for %s", async (_, refusal, code) => {
    fake.script(refusal);

    expect(await ask({ tier: "flex" })).toMatchObject({ kind: "failure", code });
    expect(fake.calls).toHaveLength(1);
  });

  test("is not sent again where no time is left", async () => {
    fake.script(refusal(429, { code: "resource_unavailable" }));
    let at = 0;

    expect(await ask({ tier: "flex", timeout: 5_000 }, openai, () => (at += 4_500))).toMatchObject({ kind: "failure" });
    expect(fake.calls).toHaveLength(1);
  });

  test("is sent at the standard tier where the model or the provider has no flex tier", async () => {
    fake.script(answered(), answered());

    await ask({ tier: "flex", model: "gpt-4.1" });
    await ask({ tier: "flex" }, custom);

    expect(requestedTiers()).toEqual([undefined, undefined]);
  });
});

test.each([
  ["openai/gpt-5.4-mini", 0.5],
  ["openai/gpt-6-sol", 0.5],
  ["openai/o3-2025-04-16", 0.5],
  ["openai/gpt-4.1", 1],
  ["openrouter/openai/gpt-5.4", 1],
  ["anthropic/claude-opus-5", 1],
  ["gemini/gemini-3.1-flash-lite", 0.5],
  ["gemini/gemini-2.0-flash", 1],
  ["gemini/gemini-3.1-flash-image", 1],
  ["vertex_ai/gemini-3.1-flash-lite", 1],
  ["bedrock/eu.amazon.nova-2-lite-v1:0", 0.5],
  ["bedrock/openai.gpt-oss-120b-1:0", 0.5],
  ["bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0", 1],
])("%s costs %d of its price at the flex tier", (name, share) => {
  expect(flexShare(name)).toBe(share);
});

describe("a question to Gemini at the flex tier", () => {
  const gemini3 = { tier: "flex", model: "gemini-3.1-flash-lite" } as const;

  test("was billed there where a header says so", async () => {
    fake.script({ ...answered(), headers: { "x-gemini-service-tier": "flex" } }, answered());

    expect(await ask(gemini3, gemini)).toMatchObject({ kind: "answer", isFlex: true });
    expect(await ask(gemini3, gemini)).not.toHaveProperty("isFlex");
    expect(requestedTiers()).toEqual(["flex", "flex"]);
  });

  test("is sent at the standard tier where the model has no flex tier", async () => {
    fake.script(answered());

    await ask({ ...gemini3, model: "gemini-2.0-flash" }, gemini);

    expect(requestedTiers()).toEqual([undefined]);
  });
});

describe("a question to Bedrock at the flex tier", () => {
  const nova = { tier: "flex", model: "eu.amazon.nova-2-lite-v1:0" } as const;
  const reply = (serviceTier?: string) => ({
    status: 200,
    body: {
      output: { message: { role: "assistant", content: [{ text: "{}" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 10, outputTokens: 5 },
      ...(serviceTier !== undefined && { serviceTier: { type: serviceTier } }),
    },
  });
  const tiers = () => fake.calls.map(({ body }) => (body as { serviceTier?: object }).serviceTier);

  test("is sent at the flex tier, and billed there where the reply says so", async () => {
    fake.script(reply("flex"), reply("default"));

    expect(await ask(nova, bedrock)).toMatchObject({ kind: "answer", isFlex: true });
    expect(await ask(nova, bedrock)).not.toHaveProperty("isFlex");
    expect(tiers()).toEqual([{ type: "flex" }, { type: "flex" }]);
  });

  test("is sent at the standard tier at once where the model is not served at flex", async () => {
    const text = "The provided service tier is not supported for this model.";
    fake.script({ status: 400, body: { message: text } }, reply("default"));

    expect(await ask(nova, bedrock)).toMatchObject({ kind: "answer" });
    expect(tiers()).toEqual([{ type: "flex" }, undefined]);
  });

  test("is sent at the standard tier where the model has no flex tier", async () => {
    fake.script(reply());

    await ask({ ...nova, model: "eu.anthropic.claude-sonnet-5-5-v1:0" }, bedrock);

    expect(tiers()).toEqual([undefined]);
  });
});

describe("a judgement at the flex tier", () => {
  let judge: FakeJudge;
  beforeAll(async () => {
    judge = await startFakeJudge();
  });
  afterAll(() => judge.close());

  const scored = async (tier: "standard" | "flex" = "standard") => {
    const { judge: flexJudge, request } = judgeOf(judge);
    const target = flexJudge.target({ ...request, model: "openai/gpt-5.4-mini", tier });
    const verdict = await target.score("task_completion", Date.now() + 60_000);
    if (verdict.kind !== "scored") throw new Error(`The verdict is ${verdict.kind}.`);
    return verdict.metadata;
  };
  const atFlex = (content: unknown) =>
    reply(200, {
      ...completion(typeof content === "string" ? content : JSON.stringify(content)),
      service_tier: "flex",
    });

  test("costs half, and its score names the tier", async () => {
    judge.script(good);
    const standard = await scored();
    judge.script(atFlex(completionAnswer()));
    const flex = await scored("flex");

    expect(standard).not.toHaveProperty("tier");
    expect(flex).toMatchObject({ tier: "flex" });
    expect(flex["tokens"]).toEqual(standard["tokens"]);
    expect(Number(flex["cost_usd"])).toBeCloseTo(Number(standard["cost_usd"]) / 2, 9);
  });

  test("makes a second attempt at the standard tier, and costs what each attempt was billed", async () => {
    judge.script(atFlex("not JSON"), good);
    const mixed = await scored("flex");

    expect(mixed).toMatchObject({ tier: "mixed", attempts: 2 });
    expect(judge.calls.slice(-2).map(({ body }) => body["service_tier"])).toEqual(["flex", undefined]);
  });

  test("that falls back at once counts as one of the standard tier", async () => {
    judge.script(error(429, "resource_unavailable"), good);

    expect(await scored("flex")).toMatchObject({ tier: "standard", attempts: 1 });
  });
});
