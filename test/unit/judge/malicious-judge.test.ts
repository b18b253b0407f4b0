import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  completion,
  completionAnswer,
  completionAnswers,
  reply,
  says,
  startFakeJudge,
  type Behaviour,
  type FakeJudge,
} from "../../support/runs/fake-judge.ts";
import {
  answers,
  compressed,
  counting,
  drip,
  error,
  flood,
  good,
  goodText,
  halfAReply,
  hangUp,
  huge,
  page,
  raw,
  silence,
  without,
} from "./behaviours.ts";
import { judgeOf, secret } from "./fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

/** The correct answer with some fields of each statement replaced, and each yes and no in another notation. */
const answerWith = (fields: object, write: (answer: string) => string = (answer) => answer): Behaviour =>
  answers({
    statements: Object.fromEntries(
      Object.entries<object>({ ...completionAnswers("mostly") }).map(([name, behaviour]) => [
        name,
        { ...behaviour, answer: write(name === "complete" ? "no" : "yes"), ...fields },
      ]),
    ),
  });

type Row = readonly [title: string, ...script: Behaviour[]];

const scoredAtOnce: readonly Row[] = [
  ["a good answer", good],
  ["an answer in a Markdown code block", says(`\`\`\`json\n${goodText}\n\`\`\``)],
  ["an answer in a code block of one line", says(`\`\`\`json ${goodText}\`\`\``)],
  ["an answer between prose with braces", says(`Looking at {the record} and [1]: ${goodText}\nThat is {all}.`)],
  ["an answer behind a byte order mark", says(`\uFEFF${goodText}`)],
  ["an answer behind thoughts", says(`<think>Is it {"task":"x"}? No.</think>\n${goodText}`)],
  ["an answer behind thoughts without their first tag", says(`It is {"task":"x"}?</think>${goodText}`)],
  [
    "content in parts",
    reply(
      200,
      completion([
        { type: "thinking", thinking: "Hm {" },
        { type: "text", text: goodText },
      ]),
    ),
  ],
  [
    "the call of a tool",
    without({ finish_reason: "tool_calls" }, { tool_calls: [{ type: "function", function: { arguments: goodText } }] }),
  ],
  ["answers in other case", answerWith({}, (answer) => answer.toUpperCase())],
  ["answers with spaces around them", answerWith({}, (answer) => ` ${answer}\n`)],
  ["fields nobody asked for", answers({ score: 99, polluted: true })],
  ["an own __proto__ key", says(`{"__proto__":{"polluted":1},${goodText.slice(1)}`)],
  ["reasons of 60 KB", answerWith({ reason: "x".repeat(60_000) })],
  ["reasons of half characters", answerWith({ reason: "\ud83d".repeat(5000) })],
  ["empty reasons", answerWith({ reason: "" })],
  ["10,000 pieces of evidence each", answerWith({ evidence: Array.from({ length: 10_000 }, (_, n) => `e${n}`) })],
  ["texts that take six bytes a character", answers({ task: "\u0001".repeat(9000), outcome: "\u0001".repeat(9000) })],
  ["absurd token counts", counting({ prompt_tokens: -5, completion_tokens: 1e308, prompt_tokens_details: "x" })],
  ["no token counts", counting(null)],
  ["a compressed reply", compressed(JSON.stringify(completion(goodText)))],
  ["false for an answer of no", says(goodText.replace('"no"', "false"))],
  ["an answer inside a list", says(`[${goodText}]`)],
  ["an answer inside an object", says(`{"answer": ${goodText}}`)],
  ["an answer that is encoded twice", says(JSON.stringify(goodText))],
  ["answers with a full stop", answerWith({}, (answer) => `${answer}.`)],
];

const scoredAtTheSecond: readonly Row[] = [
  ["prose, then a good answer", says("nonsense"), good],
  ["500, then a good answer", error(500), good],
  ["429, then a good answer", error(429), good],
  ["a reset connection, then a good answer", hangUp, good],
];

const malformed: readonly Row[] = [
  ["100,000 nested lists", says("[".repeat(100_000) + "]".repeat(100_000))],
  ["choices that are no list", reply(200, { choices: { 0: "x" } })],
  ["content null", reply(200, completion(null))],
  ["content in parts that say nothing", reply(200, completion([{ type: "text", text: "{}" }]))],
  ["a tool call instead of an answer", without({ finish_reason: "tool_calls" }, { tool_calls: [{}] })],
  ["prose", says("The agent did well: fully.")],
  ["two JSON documents", says(`${goodText}{}`)],
  ["an answer and a quoted object", says(`The tool said {"status": "ok"}. ${goodText}`)],
  ["an answer inside an object that does not end", says(`{"answer": ${goodText}`)],
  ["an answer in single quotes", says(goodText.replaceAll('"', "'"))],
  ["cut off JSON", says('{"task":"x","statements":{"del')],
  ["no statements", answers({ statements: undefined })],
  ["statements null", answers({ statements: null })],
  ["a statement that is not answered", answerWith({ answer: undefined })],
  ["a statement that is missing", answers({ statements: { ...completionAnswers("mostly"), complete: undefined } })],
  ["answers in a list", answerWith({ answer: ["yes", "no"] })],
  ["statements in a list", answers({ statements: Object.entries(completionAnswers("mostly")) })],
  ["a number as reason", answerWith({ reason: 7 })],
  ["a bad answer with a bad reason", answerWith({ reason: 7, answer: "superb" })],
  ["NaN for an answer", says(goodText.replace('"no"', "NaN"))],
];

const outOfRange: readonly Row[] = [
  ["an answer that is none of the three", answerWith({ answer: "superb" })],
  ["a number for an answer", answerWith({ answer: 1.5 })],
  ["an infinite answer", says(goodText.replace('"no"', "1e999"))],
  ["an answer named like an object's method", answerWith({ answer: "constructor" })],
];

const refusalRows: readonly Row[] = [
  ["a refusal", without({}, { refusal: "No." })],
  ["a filtered answer", without({ finish_reason: "content_filter" })],
];

const truncated: readonly Row[] = [
  ["an answer cut at the limit", reply(200, completion('{"task":"', { finish_reason: "length" }))],
];

const badRequest: readonly Row[] = [
  ["400", error(400, "invalid_value")],
  ["404", error(404, "model_not_found")],
  ["422", error(422)],
  ["304", raw(304, "")],
  // Half of the short transcript would be below the minimum coverage.
  ["400 for ever, as the prompt is too long", error(400, "context_length_exceeded")],
  ["413 with a web page", page(413)],
];

const badKey: readonly Row[] = [
  ["401 with the key as its code", error(401, secret)],
  ["403", error(403)],
];

const noCredit: readonly Row[] = [
  ["402", error(402)],
  ["429 of an account without quota", error(429, "insufficient_quota")],
  ["400 at a billing limit", error(400, "billing_hard_limit_reached")],
];

const busyAtOnce: readonly Row[] = [
  ["429 with a long Retry-After", error(429, null, { "retry-after": "120" })],
  ["429 with a Retry-After of centuries", error(429, null, { "retry-after": "99999999999" })],
];

const busy: readonly Row[] = [
  ["429 for ever", error(429, "rate_limit_exceeded")],
  ["503 for ever", error(503)],
  ["529 for ever", error(529)],
  ["429 with a Retry-After that says nothing", error(429, null, { "retry-after": "soon; -1" })],
];

const away: readonly Row[] = [
  ["500 for ever", error(500)],
  ["502 with a web page", page(502)],
  ["504", error(504)],
  ["408", error(408)],
  ["an error that asks the SDK to retry", error(500, null, { "x-should-retry": "true" })],
  ["a reset connection", hangUp],
  ["half a reply", halfAReply],
  ["silence", silence],
  ["a slow drip of bytes", drip],
  ["a task of 5 MB", answers({ task: huge })],
  ["an endless body", flood],
  ["a gzip bomb", compressed(huge)],
  ["a web page", page(200)],
  ["a web page said to be JSON", raw(200, "<!doctype html>")],
  ["an empty body", raw(200, "")],
  ["204", raw(204, "")],
  ["the body null", raw(200, "null")],
  ["the body []", raw(200, "[]")],
  ["a JSON string", raw(200, '"fully"')],
  ["no choices", reply(200, { choices: [] })],
  ["a choice that is null", reply(200, { choices: [null] })],
];

/** Replies without an end, which the time limit of a call aborts. */
const endless: ReadonlySet<Behaviour> = new Set([silence, drip]);

interface Outcome {
  readonly kind: "scored" | "failed" | "deferred";
  readonly code?: string;
  readonly calls: number;
}

const outcomes: readonly (readonly [Outcome, readonly Row[]])[] = [
  [{ kind: "scored", calls: 1 }, scoredAtOnce],
  [{ kind: "scored", calls: 2 }, scoredAtTheSecond],
  [{ kind: "failed", code: "judge_malformed", calls: 2 }, malformed],
  [{ kind: "failed", code: "judge_out_of_range", calls: 2 }, outOfRange],
  [{ kind: "failed", code: "judge_refused", calls: 1 }, refusalRows],
  [{ kind: "failed", code: "judge_truncated", calls: 2 }, truncated],
  [{ kind: "failed", code: "judge_bad_request", calls: 1 }, badRequest],
  [{ kind: "failed", code: "judge_auth", calls: 1 }, badKey],
  [{ kind: "failed", code: "judge_no_credit", calls: 1 }, noCredit],
  [{ kind: "deferred", code: "judge_rate_limited", calls: 1 }, busyAtOnce],
  [{ kind: "deferred", code: "judge_rate_limited", calls: 2 }, busy],
  [{ kind: "deferred", code: "judge_unavailable", calls: 2 }, away],
];

describe.each(outcomes)("the outcome is %o", ({ calls, ...expected }, rows) => {
  test.each(rows.map((row) => ({ row, title: row[0] })))("of $title", async ({ row: [, ...script] }) => {
    fake.script(...script);

    const isEndless = script.some((behaviour) => endless.has(behaviour));
    const verdict = await judgeOf(fake, isEndless ? { timing: { maxCallTime: 400 } } : {}).score();

    expect(verdict).toMatchObject(expected);
    expect(fake.calls).toHaveLength(calls);
    expect(verdict.metadata["attempts"]).toBe(calls);
    expect(verdict.metadata["code"]).toBe(expected.code);
    expect(verdict.reason?.length ?? 0).toBeLessThanOrEqual(4000);
    expect(Buffer.byteLength(JSON.stringify(verdict.metadata))).toBeLessThanOrEqual(16 * 1024);
    expect(JSON.stringify(verdict)).not.toContain(secret);
    expect(verdict.kind === "scored" ? verdict.value : 0.75).toBe(0.75);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

const verdicts = (verdictList: unknown): Behaviour =>
  says({ user_input: "u", evidence: [], reason: "r", verdicts: verdictList });
const callVerdict = (fields: object = {}) => ({
  call: "1",
  reason: "r",
  wanted: "yes",
  allowed: "yes",
  grounded: "yes",
  ...fields,
});

describe("of a metric with a verdict on each call", () => {
  test.each<readonly [string, Behaviour, string, number]>([
    ["a good answer", verdicts([callVerdict()]), "scored", 1],
    ["10,000 verdicts on one call", verdicts(Array.from({ length: 10_000 }, () => callVerdict())), "scored", 1],
    ["verdicts on calls that were not made", verdicts([callVerdict({ call: "7" }), callVerdict()]), "scored", 1],
    ["a number of 10,000 digits", verdicts([callVerdict({ call: "9".repeat(10_000) })]), "judge_malformed", 2],
    ["no verdict at all", verdicts([]), "judge_malformed", 2],
    ["verdicts that are no list", verdicts({ 0: callVerdict() }), "judge_malformed", 2],
    ["a verdict that is no object", verdicts(["yes"]), "judge_malformed", 2],
    ["a verdict without its call", verdicts([callVerdict({ call: undefined })]), "judge_malformed", 2],
    ["an answer that is none of the three", verdicts([callVerdict({ wanted: "maybe" })]), "judge_out_of_range", 2],
    ["a true answer", verdicts([callVerdict({ wanted: true })]), "scored", 1],
  ])("%s", async (_, behaviour, outcome, calls) => {
    fake.script(behaviour);

    const verdict = await judgeOf(fake).score("argument_correctness");

    expect(verdict.kind === "scored" ? verdict.kind : verdict.code).toBe(outcome);
    expect(fake.calls).toHaveLength(calls);
    expect(Buffer.byteLength(JSON.stringify(verdict.metadata))).toBeLessThanOrEqual(16 * 1024);
  });
});

describe("of an extraction from a trace", () => {
  const drawn = (fields: object): Behaviour => says({ task: "t", evidence: ["#1"], plan: ["a"], ...fields });
  const names = ["begun", "half", "essential", "exact"];
  const followed = says({
    statements: Object.fromEntries(names.map((name) => [name, { evidence: [], reason: "r", answer: "yes" }])),
  });

  test.each<readonly [string, readonly Behaviour[], string, number]>([
    ["a good plan", [drawn({}), followed], "scored", 2],
    ["a plan of 300 KB", [drawn({ plan: ["x".repeat(300_000)] }), followed], "scored", 2],
    ["a plan of 10,000 steps", [drawn({ plan: Array.from({ length: 10_000 }, () => "s") }), followed], "scored", 2],
    ["a plan without evidence", [drawn({ evidence: [] })], "judge_malformed", 2],
    ["a plan that the record does not state", [drawn({ evidence: ["I will pay", "#77"] })], "judge_malformed", 2],
    ["a plan stated at one of two places", [drawn({ evidence: ["I will pay", "get_order"] }), followed], "scored", 2],
    ["evidence at the second attempt", [drawn({ evidence: ["#77"] }), drawn({}), followed], "scored", 3],
    ["no plan and no evidence", [drawn({ plan: [], evidence: [] })], "scored", 1],
    ["a plan that is no list", [drawn({ plan: "look" })], "judge_malformed", 2],
    ["a plan of numbers", [drawn({ plan: [1] })], "judge_malformed", 2],
    ["no task", [drawn({ task: undefined })], "judge_malformed", 2],
    ["statements instead of a plan", [followed], "judge_malformed", 2],
    ["a refusal", [without({}, { refusal: "No." })], "judge_refused", 1],
    ["a provider that is away", [error(503)], "judge_rate_limited", 2],
    ["a good plan, then prose", [drawn({}), says("fully")], "judge_malformed", 3],
  ])("%s", async (_, script, outcome, calls) => {
    fake.script(...script);

    const verdict = await judgeOf(fake).score("plan_adherence");

    expect(verdict.kind === "scored" ? verdict.kind : verdict.code).toBe(outcome);
    expect(fake.calls).toHaveLength(calls);
    expect(verdict.metadata["attempts"]).toBe(calls);
    expect(Buffer.byteLength(JSON.stringify(verdict.metadata))).toBeLessThanOrEqual(16 * 1024);
  });
});

describe("a malicious judge", () => {
  test("cannot redirect the API key to another host", async () => {
    const thief = await startFakeJudge();
    fake.script((response) => {
      response.writeHead(307, { location: `${thief.url}/chat/completions` }).end();
    });

    const verdict = await judgeOf(fake).score();
    await thief.close();

    expect(verdict).toMatchObject({ kind: "failed", code: "judge_bad_request" });
    expect(thief.calls).toHaveLength(0);
  });

  test("cannot have the API key stored by repeating it in its answer", async () => {
    fake.script((response, call) => {
      const echo = call.headers.authorization ?? "";
      return says(
        completionAnswer({ task: echo, statements: completionAnswers("mostly", { reason: echo, evidence: [echo] }) }),
      )(response, call);
    });

    const verdict = await judgeOf(fake).score();

    expect(verdict.reason).toBe('Bearer [key] (mostly, by "complete": no.)');
    expect(JSON.stringify(verdict)).not.toContain(secret);
  });

  test("is unavailable when no server listens at its address", async () => {
    const closed = await startFakeJudge();
    await closed.close();

    expect(await judgeOf(closed).score()).toMatchObject({ kind: "deferred", code: "judge_unavailable" });
  });
});
