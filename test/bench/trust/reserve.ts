import { getEncoding } from "js-tiktoken";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import type { Complete } from "../../../lib/judge/providers/provider.ts";
import { noTokens } from "../../../lib/prices/price.ts";
import type { CostReservation, JudgeBudget } from "../../../lib/judge/spending/judge-budget.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { judgeAnsweredBy, sameMeanings } from "../../support/runs/judge-answered-by.ts";
import { median } from "../median.ts";
import { anAnswer } from "../mock-judge.ts";
import type { Trajectory } from "./trajectories.ts";

/** A dollar per prompt token and free answers, so that a reservation is a number of tokens. */
const dollarATokens = { input: 1e6, cached: 1e6, written: 1e6, output: 0 };

/** Texts in one script, and in several, each long enough to fill a transcript. */
const scripts: Readonly<Record<string, string>> = {
  Chinese: "订单已经发货预计明天到达请确认收货地址",
  Japanese: "ご注文の商品は月曜日に発送されました。",
  base64: "iVBORw0KGgo AAAANSUhEUg AAAAUA9f3Qx7+/ ",
  emoji: "🧾📦🚚👩🏽‍💻",
};

const scripted = (signs: string): Trace =>
  mergeTrace(null, {
    trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
    name: "agent",
    started_at: "2026-11-21T09:00:00+00:00",
    ended_at: "2026-11-21T09:00:03+00:00",
    input: { question: signs.repeat(200) },
    output: { answer: signs.repeat(300) },
    spans: [],
  });

/** Reservation for a judgement's calls without retries, and the tokenizer's count of their tokens. */
interface Reserved {
  readonly reserve: number;
  readonly real: number;
}

const reservedOf = async (trace: Trace, tokensOf: (text: string) => number): Promise<readonly Reserved[]> => {
  const reservations: Reserved[] = [];
  let [aside, real] = [0, 0];
  const reservation: CostReservation = {
    remaining: () => Infinity,
    extend: () => true,
    begin: async () => () => undefined,
    close: () => undefined,
  };
  const budget: JudgeBudget = {
    reserve: async ({ min: minUsd }) => {
      aside += minUsd;
      return reservation;
    },
  };
  const complete: Complete = async ({ system, record, question, schema }) => {
    real += tokensOf(system) + tokensOf(record) + tokensOf(question) + tokensOf(JSON.stringify(schema));
    return { kind: "answer", text: JSON.stringify(anAnswer(schema, question)), tokens: noTokens };
  };
  const judge = judgeAnsweredBy(complete, trace, { ...sameMeanings(), priceOf: () => dollarATokens });
  for (const { name, method } of traceMetrics) {
    if (method !== "judge") continue;
    [aside, real] = [0, 0];
    await judge.score(name, Date.now() + 60_000, budget);
    if (real > 0) reservations.push({ reserve: aside, real });
  }
  return reservations;
};

/** Prints reservations for the prompts of judgements beside the token counts of a tokenizer (o200k). */
export const benchReserve = async (trajectories: readonly Trajectory[]): Promise<void> => {
  const encoding = getEncoding("o200k_base");
  const tokensByPrompt = new Map<string, number>();
  const tokensOf = (text: string): number => {
    const tokens = tokensByPrompt.get(text) ?? encoding.encode(text, [], []).length;
    tokensByPrompt.set(text, tokens);
    return tokens;
  };
  const row = (name: string, judgements: readonly Reserved[]): void => {
    const shares = judgements.map(({ reserve, real }) => real / reserve);
    const passed = judgements.filter(({ reserve, real }) => real > reserve).length;
    const middle = (figure: keyof Reserved): number => Math.round(median(judgements.map((each) => each[figure])));
    const figures = [judgements.length, middle("reserve"), middle("real"), median(shares).toFixed(2)];
    console.log(`| ${[name, ...figures, Math.max(...shares).toFixed(2), passed].join(" | ")} |`);
  };
  console.log("| prompts of | judgements | tokens set aside | real tokens | share, median | most | passed |");
  console.log("|---|---|---|---|---|---|---|");
  const reservations: Reserved[] = [];
  for (const { trace } of trajectories) reservations.push(...(await reservedOf(trace, tokensOf)));
  row("trajectories", reservations);
  for (const [name, signs] of Object.entries(scripts)) row(name, await reservedOf(scripted(signs), tokensOf));
};
