import { getEncoding } from "js-tiktoken";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { noTokens, type Complete } from "../../../lib/judge/providers/provider.ts";
import type { Pocket, Purse } from "../../../lib/judge/spending/purse.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { judgeAnsweredBy, sameMeanings } from "../../support/runs/judge-answered-by.ts";
import { median } from "../median.ts";
import { anAnswer } from "../mock-judge.ts";
import type { Trajectory } from "./trajectories.ts";

/** A dollar for each token of a prompt, answers for nothing: what is set aside is a number of tokens. */
const dollarATokens = { input: 1e6, cached: 1e6, written: 1e6, output: 0 };

/** Texts of one script, and of all: of each as much as fills a transcript. */
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

/** What was set aside for a judgement's calls, each made once, and the tokens that a tokenizer counts in them. */
interface Reserved {
  readonly reserve: number;
  readonly real: number;
}

const reservedOf = async (trace: Trace, tokensOf: (text: string) => number): Promise<readonly Reserved[]> => {
  const found: Reserved[] = [];
  let [aside, real] = [0, 0];
  const pocket: Pocket = { left: () => Infinity, add: () => true, spend: () => undefined, close: () => undefined };
  const purse: Purse = {
    setAside: async ({ least }) => {
      aside += least;
      return pocket;
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
    await judge.score(name, Date.now() + 60_000, purse);
    if (real > 0) found.push({ reserve: aside, real });
  }
  return found;
};

/** What is set aside for the prompts of judgements, beside what a tokenizer (o200k) makes of the same prompts. */
export const benchReserve = async (trajectories: readonly Trajectory[]): Promise<void> => {
  const encoding = getEncoding("o200k_base");
  const known = new Map<string, number>();
  const tokensOf = (text: string): number => {
    const tokens = known.get(text) ?? encoding.encode(text, [], []).length;
    known.set(text, tokens);
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
  const all: Reserved[] = [];
  for (const { trace } of trajectories) all.push(...(await reservedOf(trace, tokensOf)));
  row("trajectories", all);
  for (const [name, signs] of Object.entries(scripts)) row(name, await reservedOf(scripted(signs), tokensOf));
};
