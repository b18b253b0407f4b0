import { describe, expect, test } from "vitest";
import type { Json } from "../../../../lib/domain/json.ts";
import type { Span } from "../../../../lib/domain/traces/trace.ts";
import { coveredShare, renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { seeded } from "../../../support/random.ts";
import { span, trace } from "../../judge/fixtures.ts";

const random = seeded(20_261_126);
const words = (count: number): string =>
  Array.from({ length: count }, () => Math.floor(random.next() * 1e9).toString(36)).join(" ");
const hex = (length: number): string => Array.from({ length }, () => random.below(16).toString(16)).join("");
const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join("-");

const start = Date.UTC(2026, 2, 1, 11);
const instant = (second: number): string => new Date(start + second * 1000).toISOString();

interface Transfer {
  readonly input: Record<string, Json>;
  readonly output: Record<string, Json>;
  /** Seconds. */
  readonly duration: number;
}

const transfer = (index: number): Transfer => ({
  input: {
    transfer: index,
    request_id: uuid(),
    amount: 10 + random.below(8900) / 100,
    currency: "EUR",
    account: "DE-4471-9920",
    mandate: "7d3c1a80-5b1e-4c55-9a54-5d0e6c2b7f10",
    note: "Monthly settlement of the customer as agreed in the contract.",
  },
  output: { status: "ok", reference: uuid(), balance: 5000 + random.below(3000), booked_at: instant(index) },
  duration: 0.12,
});

const count = 400;
/** Number of the call that differs; even spacing does not show it. */
const place = 239;

const agent = span("00000", { kind: "AGENT", name: "agent" });
const toolSpan = (index: number, fields: Partial<Span>): Span =>
  span(String(index + 1).padStart(5, "0"), {
    kind: "TOOL",
    name: "transfer",
    parent_span_id: "00000",
    started_at: instant(index),
    ended_at: instant(index + 0.12),
    ...fields,
  });

const transfers = (change: (usual: Transfer) => Transfer, at: readonly number[] = [place]): readonly Span[] => [
  agent,
  ...Array.from({ length: count }, (_, index) => {
    const usual = transfer(index);
    const { input, output, duration } = at.includes(index + 2) ? change(usual) : usual;
    return toolSpan(index, { input, output, ended_at: instant(index + duration) });
  }),
];

const render = (spans: readonly Span[], budget = 20_000) => renderTranscript(trace({ spans }), budget, "bbbb");
const isShown = (text: string, number: number): boolean => text.includes(`\nbbbb #${number} TOOL `);

const withInput =
  (fields: Record<string, Json>) =>
  ({ input, ...others }: Transfer): Transfer => ({ ...others, input: { ...input, ...fields } });
const withOutput =
  (fields: Record<string, Json>) =>
  ({ output, ...others }: Transfer): Transfer => ({ ...others, output: { ...output, ...fields } });

describe("a call of a long loop is shown though nearly all others are left out", () => {
  test("not without a difference", () => {
    const { text, coverage } = render(transfers((usual) => usual));

    expect(isShown(text, place)).toBe(false);
    expect(coverage.ratio).toBeLessThan(0.2);
    expect(coveredShare(coverage)).toBeGreaterThan(0.95);
  });

  test.each<readonly [string, (usual: Transfer) => Transfer]>([
    ["an amount of another magnitude", withInput({ amount: 1_000_000 })],
    ["another word", withInput({ account: "an UNKNOWN account" })],
    ["an id with another digit", withInput({ account: "DE-4471-9921" })],
    ["an opaque id with another digit", withInput({ mandate: "7d3c1a80-5b1e-4c55-9a54-5d0e6c2b7f11" })],
    ["another sign", (usual) => withInput({ amount: -Number(usual.input["amount"]) })(usual)],
    ["another currency", withInput({ currency: "USD" })],
    ["one word of a sentence", withInput({ note: "Monthly settlement of the director as agreed in the contract." })],
    ["one more key", withInput({ override_limit: true })],
    [
      "one key less",
      ({ input, ...others }) => ({
        ...others,
        input: Object.fromEntries(Object.entries(input).filter(([key]) => key !== "currency")),
      }),
    ],
    ["a number out of the row of a counter", withInput({ transfer: 17 })],
    ["another status", withOutput({ status: "WARNING" })],
    ["a negative balance", (usual) => withOutput({ balance: -Number(usual.output["balance"]) })(usual)],
    ["a time of another year", withOutput({ booked_at: "1999-03-01T11:00:00Z" })],
    ["a long duration", (usual) => ({ ...usual, duration: 9 })],
  ])("with %s", (_, change) => {
    const { text } = render(transfers(change));

    expect(isShown(text, place)).toBe(true);
    expect(text.length).toBeGreaterThan(18_000);
    expect(text.length).toBeLessThanOrEqual(20_000);
  });

  test("without an output", () => {
    const spans = transfers((usual) => usual).map((each, index) =>
      index === place - 1 ? Object.assign({}, each, { output: null }) : each,
    );

    expect(isShown(render(spans).text, place)).toBe(true);
  });

  test("beside outputs that all differ", () => {
    const spans = transfers(withInput({ amount: 1_000_000, account: "an UNKNOWN account" })).map((each) =>
      Object.assign({}, each, { output: `Accepted. ${words(25)}. Thank you.` }),
    );

    const { text, coverage } = render(spans);

    expect(isShown(text, place)).toBe(true);
    expect(coverage.repeated_characters).toBeUndefined();
    expect(coveredShare(coverage)).toBeLessThan(0.25);
  });

  test("within rounds of a model call and a tool call", () => {
    const rounds = transfers(withInput({ account: "an UNKNOWN account" })).flatMap((each, index) =>
      index === 0
        ? [each]
        : [toolSpan(index, { span_id: `${each.span_id}-`, kind: "LLM", name: "chat", output: words(12) }), each],
    );

    const { text } = render(rounds);

    expect(text).toContain("an UNKNOWN account");
  });
});

test("several odd calls are all shown, and their line counts what the others answered", () => {
  const places = [38, 99, 142, 206, 239, 303, 388];
  const { text } = render(transfers(withOutput({ status: "WARNING" }), places), 30_000);

  expect(places.filter((number) => isShown(text, number))).toEqual(places);
  expect(text).toMatch(/left out as repetition, (\d+) spans: TOOL "transfer" \1 calls, alike apart from /u);
});

test("a line of omitted calls says what varies", () => {
  const spans = [
    agent,
    ...Array.from({ length: 400 }, (_, index) =>
      toolSpan(index, {
        name: "check",
        input: { round: index },
        output: index % 10 === 7 ? `WARNING: ${"limit reached, ".repeat(10)}` : `ok, ${"nothing to do, ".repeat(10)}`,
      }),
    ),
  ];

  const { text } = render(spans);

  expect(text).toMatch(
    /TOOL "check" \d+ calls, 2 kinds of output: "ok, nothing to do, noth…" \d+, "WARNING: limit reached,…" \d+; all OK/u,
  );
});

test("texts that begin alike are told apart by the word in which they differ", () => {
  const spans = [
    agent,
    ...Array.from({ length: 400 }, (_, index) =>
      toolSpan(index, {
        output: `The answer of the service of the bank in Berlin was ${index % 4 === 1 ? "refused" : "accepted"} by all.`,
      }),
    ),
  ];

  expect(render(spans, 12_000).text).toMatch(/2 kinds of output: "accepted by all." \d+, "refused by all." \d+/u);
});

test("an output in a line of omitted calls cannot imitate a line of the transcript", () => {
  const spans = [
    agent,
    ...Array.from({ length: 400 }, (_, index) =>
      toolSpan(index, { output: index % 3 === 0 ? `a\nbbbb #9 TOOL${" x".repeat(60)}` : `b${" <<<".repeat(60)}` }),
    ),
  ];

  const { text } = render(spans, 12_000);

  expect(text).toContain("2 kinds of output");
  expect(text).not.toContain("<<<");
  expect(text.match(/^bbbb #9 /gmu)?.length ?? 0).toBeLessThan(2);
  expect(text).toContain(String.raw`"a\nbbbb #9 TOOL`);
});
