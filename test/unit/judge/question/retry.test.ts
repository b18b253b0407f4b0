import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sentenceOf } from "../../../../lib/domain/scores/reason-codes.ts";
import { retryAfter } from "../../../../lib/judge/providers/call-failure.ts";
import { failureOf } from "../../../../lib/judge/providers/provider.ts";
import { waitBeforeRetry } from "../../../../lib/judge/question/ask-model.ts";
import {
  completion,
  completionAnswer,
  reply,
  says,
  startFakeJudge,
  type FakeJudge,
} from "../../../support/runs/fake-judge.ts";
import { error, good, silence } from "../behaviours.ts";
import { judgeOf, trace } from "../fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

const long = trace({ output: Array.from({ length: 4000 }, (_, line) => `Line ${line}.`).join(" ") });

/** Characters of the messages about the trace. */
const sentLengths = (): readonly number[] => fake.calls.map(({ body }) => body.messages[1]?.content.length ?? 0);

/** llama.cpp's refusal of a prompt that fills its window alone. */
const refusedBeside = (window: number, prompt: number) =>
  reply(400, {
    error: {
      code: 400,
      message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
      type: "exceed_context_size_error",
      n_prompt_tokens: prompt,
      n_ctx: window,
    },
  });

/** llama.cpp's reply to a prompt that leaves less of the window than its answer needs. */
const cutAfter = (prompt: number, answer: number) =>
  reply(200, {
    ...completion('{"task":"', { finish_reason: "length" }),
    usage: { prompt_tokens: prompt, completion_tokens: answer, prompt_tokens_details: { cached_tokens: 0 } },
  });

describe("a failed call", () => {
  test.each([
    ["judge_rate_limited", 5000, 60_000, 5500],
    ["judge_rate_limited", null, 60_000, 1500],
    ["judge_rate_limited", 20_000, 60_000, 20_500],
    ["judge_rate_limited", 20_001, 60_000, null],
    ["judge_rate_limited", 5000, 6000, null],
    ["judge_unavailable", null, 60_000, 500],
    ["judge_unavailable", null, 1400, null],
    ["judge_malformed", null, 60_000, 0],
    ["judge_malformed", null, 900, null],
    ["judge_bad_request", null, 60_000, null],
    ["judge_auth", null, 60_000, null],
    ["judge_refused", null, 60_000, null],
    ["judge_truncated", null, 60_000, 0],
    ["judge_out_of_range", null, 60_000, 0],
  ] as const)("of %s with Retry-After %s ms and %i ms left waits %s", (code, requestedDelay, timeLeft, expected) => {
    expect(waitBeforeRetry(failureOf(code, { retryAfter: requestedDelay }), timeLeft, 0.5)).toBe(expected);
  });

  test("is retried after the delay that the provider demands, and no sooner", async () => {
    fake.script(error(429, null, { "retry-after": "7" }), good);
    const { score, slept } = judgeOf(fake);

    expect(await score()).toMatchObject({ kind: "scored", metadata: { attempts: 2 } });
    expect(slept).toEqual([7500]);
  });

  test("is retried with the flaw of the first answer, and no text of that answer", async () => {
    fake.script(says({ reason: "ignore this", statements: {} }), good);

    expect(await judgeOf(fake).score()).toMatchObject({ kind: "scored", metadata: { attempts: 2 } });

    const [first, second] = fake.calls.map(({ body }) => body.messages[1]?.content ?? "");
    expect(second?.startsWith(first ?? "none")).toBe(true);
    expect(second?.slice(first?.length)).toBe(
      '\n\nYou have answered this before, and the answer cannot be used. It had no field "task". Answer with one JSON object that fits the schema, and nothing else.',
    );
  });

  test("of an unusable answer is stored with the flaw that the model was told, for malformed answers and others alike", async () => {
    const superb: unknown = JSON.parse(
      JSON.stringify(completionAnswer()).replace('"answer":"no"', '"answer":"superb"'),
    );

    for (const [script, code, flaw] of [
      [says({}), "judge_malformed", 'It had no field "task".'],
      [
        says(Object(superb)),
        "judge_out_of_range",
        'It had a field "statements.complete.answer" that does not fit the schema.',
      ],
    ] as const) {
      fake.script(script);

      const verdict = await judgeOf(fake).score();

      expect(verdict).toMatchObject({ kind: "failed", code, reason: `${sentenceOf(code)} ${flaw}` });
      expect(JSON.stringify(fake.calls[1]?.body)).toContain(JSON.stringify(` ${flaw} `).slice(1, -1));
    }
  });

  test("ends after the seconds that the operator sets for its provider", async () => {
    fake.script(silence);
    const startedAt = performance.now();

    const verdict = await judgeOf(fake, { dialects: { openai: { maxCallTime: 200 } } }).score();

    expect(verdict).toMatchObject({ kind: "deferred", code: "judge_unavailable", metadata: { attempts: 2 } });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test("is retried with twice the tokens when its answer was cut off", async () => {
    fake.script(reply(200, completion('{"task":"', { finish_reason: "length" })), good);

    expect(await judgeOf(fake).score()).toMatchObject({ kind: "scored", metadata: { attempts: 2 } });

    expect(fake.calls.map(({ body }) => body["max_completion_tokens"])).toEqual([8192, 16_384]);
  });

  test("for a prompt that is too long is retried with half of the transcript, which all further questions share", async () => {
    fake.script(error(400, "context_length_exceeded"), good, says({ reason: "r", statements: {} }));
    const { judge, request, deadline } = judgeOf(fake);
    const target = judge.target({ ...request, trace: long });

    const verdict = await target.score("task_completion", deadline());
    await target.score("confidence", deadline());

    expect(verdict).toMatchObject({ kind: "scored", metadata: { attempts: 2 } });
    expect(Object(verdict.metadata["coverage"]).ratio).toBeLessThan(0.6);
    const lengths = sentLengths();
    expect(lengths[1]).toBeLessThan(0.6 * (lengths[0] ?? 0));
    expect(lengths[2]).toBeLessThan(0.6 * (lengths[0] ?? 0));
  });

  test("for a prompt whose refusal names the sizes is retried with what fits beside an answer, for each question anew", async () => {
    fake.script(refusedBeside(16_384, 20_000), good, refusedBeside(16_384, 20_000), says({}));
    const { judge, request, deadline } = judgeOf(fake);
    const target = judge.target({ ...request, trace: long });

    await target.score("task_completion", deadline());
    await target.score("confidence", deadline());

    const [first = 0, second = 0, third = 0, fourth = 0] = sentLengths();
    for (const share of [second / first, fourth / third]) {
      expect(share).toBeLessThan(0.768);
      expect(share).toBeGreaterThan(0.6);
    }
  });

  test.each([
    ["refused prompt", refusedBeside(4096, 30_000), "judge_bad_request", "exceeds the available context size"],
    ["answer cut in a full window", cutAfter(3900, 196), "judge_truncated", "Raise the window"],
  ])("for a %s is final where too little of the transcript would fit", async (_what, behaviour, code, reason) => {
    fake.script(behaviour);
    const { judge, request, deadline } = judgeOf(fake, { transcripts: { characters: {}, leastCoverage: 0.9 } });

    const verdict = await judge.target({ ...request, trace: long }).score("task_completion", deadline());

    expect(verdict).toMatchObject({ kind: "failed", code, reason: expect.stringContaining(reason) });
    expect(fake.calls).toHaveLength(1);
  });

  test("whose answer was cut in a full window is retried with a shorter transcript, since more tokens do not help", async () => {
    fake.script(cutAfter(16_000, 384), good);
    const { judge, request, deadline } = judgeOf(fake);

    const verdict = await judge.target({ ...request, trace: long }).score("task_completion", deadline());

    expect(verdict).toMatchObject({ kind: "scored", metadata: { attempts: 2 } });
    expect(fake.calls.map(({ body }) => body["max_completion_tokens"])).toEqual([8192, 8192]);
    const [first = 0, second = 0] = sentLengths();
    expect(second).toBeLessThan(0.96 * first);
  });

  test("for a window that ran full is retried as it was, and then with half of the transcript", async () => {
    const full = reply(500, { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } });
    fake.script(full, full, good);
    const { judge, request, deadline, slept } = judgeOf(fake);

    const verdict = await judge.target({ ...request, trace: long }).score("task_completion", deadline());

    expect(verdict).toMatchObject({ kind: "scored", metadata: { attempts: 3 } });
    expect(slept).toEqual([1500]);
    const [first = 0, second, third = 0] = sentLengths();
    expect(second).toBe(first);
    expect(third).toBeLessThan(0.6 * first);
  });

  test.each([
    ["is named", 400, "context_length_exceeded"],
    ["only has its status", 413, ""],
  ])(
    "for a prompt that is still too long is not retried, and says how little of it is the record: it %s",
    async (...[, status, code]) => {
      fake.script(error(status, code));
      const { judge, request, deadline } = judgeOf(fake);

      const verdict = await judge.target({ ...request, trace: long }).score("task_completion", deadline());

      const characters = fake.calls.at(-1)?.body.messages.map(({ content }) => content.length) ?? [];
      const sum = characters.reduce((total, each) => total + each, 0).toLocaleString("en");
      const reason = new RegExp(
        `too long .* The last request had ${sum} characters, [\\d,]+ of them for the record\\.$`,
        "u",
      );
      expect(verdict).toMatchObject({
        kind: "failed",
        code: "judge_bad_request",
        reason: expect.stringMatching(reason),
      });
      expect(fake.calls).toHaveLength(2);
    },
  );

  test("gives the queue the delay that the provider demands", async () => {
    fake.script(error(429, "rate_limit_exceeded", { "retry-after": "120" }));

    expect(await judgeOf(fake).score()).toMatchObject({
      kind: "deferred",
      retryAfter: 120_000,
      reason: 'The judge\'s provider asks to wait (HTTP 429, rate_limit_exceeded): "Your key is [...]".',
    });
  });

  test("counts the tokens of both calls", async () => {
    fake.script(good);
    const once = await judgeOf(fake).score();
    fake.script((response, call) => {
      const spoilt = { choices: [{ message: { content: "{}" } }], usage: { prompt_tokens: 7, completion_tokens: 1 } };
      return fake.calls.length === 1 ? void response.end(JSON.stringify(spoilt)) : good(response, call);
    });

    const twice = await judgeOf(fake).score();

    expect(once.metadata["tokens"]).toMatchObject({ prompt: 100 });
    expect(twice.metadata["attempts"]).toBe(2);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-03-01T10:00:00Z");

  test.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "40", "retry-after": "3" }, 40],
    [{ "retry-after": "Sun, 01 Mar 2026 10:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 01 Mar 2020 10:00:30 GMT" }, 0],
    [{ "retry-after": "1e9" }, null],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "" }, null],
    [{ "retry-after": "999999999999" }, 3_600_000],
    [{ "retry-after": "Fri, 01 Mar 2199 10:00:30 GMT" }, 3_600_000],
    [{}, null],
  ] as const)("%j means %s ms", (headers, expected) => {
    expect(retryAfter(headers, now)).toBe(expected);
  });
});
