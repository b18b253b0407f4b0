import { modelIdentity } from "../../model-name.ts";
import { clientTotal, costScale, hasClientCost, listedCost, unpricedTokensOf } from "../span-cost.ts";
import { splitTokens, tokenKinds, tokensOfSide, type SplitTokens } from "./split-tokens.ts";
import { walkSpans } from "./span-tree.ts";
import type { Span } from "../trace.ts";

/** Metadata key of a span whose usage is the total of the calls within it. */
export const usageTotalKey = "otel.usage_is_total";

/** Kinds of spans that represent a model call. */
const callKinds = new Set<Span["kind"]>(["LLM", "EMBEDDING"]);

/** Amounts that are counted apart from each other: prompt and completion tokens, and US dollars sent by the client. */
const amountNames = ["prompt", "completion", "dollars"] as const;
type Amount = (typeof amountNames)[number];

/** The kinds of tokens that prompt and completion tokens consist of. */
const kindsOf: Readonly<Record<Amount, readonly (keyof SplitTokens)[]>> = {
  prompt: tokenKinds.prompt.map(([kind]) => kind),
  completion: tokenKinds.completion.map(([kind]) => kind),
  dollars: [],
};

type Amounts = Record<Amount, number>;

const noAmounts: Amounts = { prompt: 0, completion: 0, dollars: 0 };
const noTokens = splitTokens({ token_usage: null, model: null });

const reportedAmounts = ({ cost }: Span, tokens: SplitTokens): Amounts => ({
  prompt: tokensOfSide(tokens, "prompt"),
  completion: tokensOfSide(tokens, "completion"),
  dollars: clientTotal({ cost }) ?? 0,
});

const isPositive = (amounts: Readonly<Record<string, number>>): boolean =>
  Object.values(amounts).some((amount) => amount > 0);

/** True if a span reports tokens or a cost. */
export const reportsUsage = (span: Span): boolean => isPositive(reportedAmounts(span, splitTokens(span)));

/** Numbers of entries by the model that they name; null for those that name none. */
class ModelCounts {
  readonly #counts = new Map<string | null, number>();
  #total = 0;

  add(model: string | null, number: number): void {
    this.#counts.set(model, (this.#counts.get(model) ?? 0) + number);
    this.#total += number;
  }

  /** Returns the number of entries that do not name another model than this one. */
  about(model: string | null): number {
    return model === null ? this.#total : (this.#counts.get(model) ?? 0) + (this.#counts.get(null) ?? 0);
  }
}

/** A span during the count. Amounts of its children are added up before its own are counted. */
class CountedSpan {
  readonly span: Span;
  /** Name of the model for comparisons; null if the span names none. */
  readonly model: string | null;
  /** The model, if the span is a call of it; null for other spans. */
  readonly calledModel: string | null;
  readonly reported: Amounts;
  readonly reportedTokens: SplitTokens;
  readonly inner: Amounts = { ...noAmounts };
  readonly innerTokens: Record<keyof SplitTokens, number> = { ...noTokens };
  readonly isReportedBelow: Record<Amount, boolean> = { prompt: false, completion: false, dollars: false };
  readonly counted: Amounts = { ...noAmounts };
  readonly countedTokens: Record<keyof SplitTokens, number> = { ...noTokens };
  /** True if the span or one below has counted tokens. */
  hasTokensWithin = false;
  /** True if a client's cost around or within the span covers its tokens. */
  isCovered = false;

  constructor(span: Span, model: string | null) {
    this.span = span;
    this.model = model;
    this.calledModel = callKinds.has(span.kind) ? model : null;
    this.reportedTokens = splitTokens(span);
    this.reported = reportedAmounts(span, this.reportedTokens);
  }

  get hasCountedTokens(): boolean {
    return this.counted.prompt > 0 || this.counted.completion > 0 || isPositive(this.countedTokens);
  }

  reports(amount: Amount): boolean {
    return this.reported[amount] > 0 || kindsOf[amount].some((kind) => this.reportedTokens[kind] > 0);
  }

  /** Counts an amount as reported, or what exceeds the sum over the children. */
  count(amount: Amount, isExcess: boolean): void {
    const kinds = kindsOf[amount];
    if (!isExcess) {
      this.counted[amount] = this.reported[amount];
      for (const kind of kinds) this.countedTokens[kind] = this.reportedTokens[kind];
      return;
    }
    const excess = Math.max(0, this.reported[amount] - this.inner[amount]);
    // Without the error of subtracting doubles.
    this.counted[amount] = amount === "dollars" ? Math.round(excess * costScale) / costScale : excess;
    const excesses = kinds.map((kind) => Math.max(0, this.reportedTokens[kind] - this.innerTokens[kind]));
    const sum = excesses.reduce((total, each) => total + each, 0);
    // A child may report a prompt without its cached tokens: together the kinds are no more than the amount.
    const share = sum === 0 ? 0 : Math.min(1, excess / sum);
    for (const [at, kind] of kinds.entries()) this.countedTokens[kind] = (excesses[at] ?? 0) * share;
  }

  addTo(parent: CountedSpan): void {
    for (const amount of amountNames) {
      parent.inner[amount] += this.inner[amount] + this.counted[amount];
      parent.isReportedBelow[amount] ||= this.isReportedBelow[amount] || this.reports(amount);
      for (const kind of kindsOf[amount]) parent.innerTokens[kind] += this.innerTokens[kind] + this.countedTokens[kind];
    }
    parent.hasTokensWithin ||= this.hasTokensWithin;
  }
}

/** Counts each amount of each span, from the leaves up. */
const countAmounts = (counts: readonly CountedSpan[], spans: readonly Span[]): void => {
  const countedModels = { prompt: new ModelCounts(), completion: new ModelCounts(), dollars: new ModelCounts() };
  const countedBefore = new Map<number, Amounts>();
  walkSpans(
    spans,
    (index) => {
      const model = counts[index]?.calledModel ?? null;
      if (model === null) return;
      const { prompt, completion, dollars } = countedModels;
      countedBefore.set(index, {
        prompt: prompt.about(model),
        completion: completion.about(model),
        dollars: dollars.about(model),
      });
    },
    (index, parent) => {
      const span = counts[index];
      if (span === undefined) return;
      const isTotal = span.span.metadata[usageTotalKey] === true;
      for (const amount of amountNames) {
        if (!span.reports(amount)) continue;
        const isOtherModel = countedBefore.get(index)?.[amount] === countedModels[amount].about(span.calledModel);
        if (!span.isReportedBelow[amount] || isTotal || isOtherModel)
          span.count(amount, isTotal && span.isReportedBelow[amount]);
        if (span.counted[amount] > 0 || kindsOf[amount].some((kind) => span.countedTokens[kind] > 0))
          countedModels[amount].add(span.model, 1);
      }
      span.hasTokensWithin ||= span.hasCountedTokens;
      const parentSpan = parent === undefined ? undefined : counts[parent];
      if (parentSpan !== undefined) span.addTo(parentSpan);
    },
  );
};

/**
 * Marks spans with counted tokens that are covered by a client's cost: by one counted on a span around them, or on a span
 * below them that has no tokens within. The cost of a call of another model covers none.
 */
const coverTokens = (counts: readonly CountedSpan[], spans: readonly Span[]): void => {
  const around = new ModelCounts();
  /** Called models of the costs without tokens that were left so far and cover no span yet. */
  const costsBelow: (string | null)[] = [];
  const costsBefore = new Map<number, number>();
  walkSpans(
    spans,
    (index) => {
      const span = counts[index];
      if (span === undefined) return;
      span.isCovered = around.about(span.model) > 0;
      costsBefore.set(index, costsBelow.length);
      if (span.counted.dollars > 0) around.add(span.calledModel, 1);
    },
    (index) => {
      const span = counts[index];
      if (span === undefined) return;
      if (span.counted.dollars > 0) around.add(span.calledModel, -1);
      if (span.hasCountedTokens) {
        const costs = costsBelow.splice(costsBefore.get(index) ?? 0);
        span.isCovered ||= costs.some((model) => model === null || span.model === null || model === span.model);
      } else if (span.counted.dollars > 0 && !span.hasTokensWithin) costsBelow.push(span.calledModel);
    },
  );
};

/** The part of a span's usage that its trace counts. */
export interface CountedUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Cost in US dollars: the client's, and the price list's of tokens that no client's cost covers. */
  readonly cost: number;
  /** Source of the cost; null without one. */
  readonly costSource: "client" | "prices" | null;
  /** Counted tokens without a known cost, rounded so that partial sums add up to the total. */
  readonly unpricedTokens: number;
  /** True if the span reports usage of which nothing is counted, because spans below report it too. */
  readonly isRepeated: boolean;
}

const countedUsageOf = (counted: CountedSpan): CountedUsage => {
  const { span, countedTokens, isCovered } = counted;
  const { prompt, completion, dollars } = counted.counted;
  const isClientCost = hasClientCost(span) && (dollars > 0 || !counted.reports("dollars"));
  const listed = isCovered || hasClientCost(span) ? null : listedCost(span, countedTokens);
  return {
    promptTokens: prompt,
    completionTokens: completion,
    cost: dollars + (listed?.total ?? 0),
    costSource: isClientCost ? "client" : listed === null ? null : "prices",
    unpricedTokens: isCovered ? 0 : unpricedTokensOf(span, countedTokens),
    isRepeated: reportsUsage(span) && dollars === 0 && !counted.hasCountedTokens,
  };
};

/** Results by list of spans, since several sums of a trace are computed one after the other. */
const results = new WeakMap<readonly Span[], readonly CountedUsage[]>();

/**
 * Counts the usage of a trace's spans once, though spans around a model call repeat it: from the leaves up, each amount apart.
 * With `inner`, the sum over its children, a span stands for
 * - `inner`, if it reports nothing;
 * - its own amount, if no span below reports one;
 * - `inner` and what exceeds it of its own amount, if that is marked as a total (`usageTotalKey`);
 * - `inner` and its own amount, if it is a call of another model than that of every counted span below;
 * - `inner` otherwise.
 *
 * The result depends only on which spans with usage are around which others, so that those of separate spans add up (see
 * `span-filter-keys.ts`).
 *
 * @returns counted usage in the order of the spans.
 */
export const countedUsage = (spans: readonly Span[]): readonly CountedUsage[] => {
  const knownResult = results.get(spans);
  if (knownResult !== undefined) return knownResult;
  const models = new Map<string, string>();
  for (const { model } of spans) if (model !== null && !models.has(model)) models.set(model, modelIdentity(model));
  const counts = spans.map((span) => new CountedSpan(span, models.get(span.model ?? "") || null));
  countAmounts(counts, spans);
  coverTokens(counts, spans);
  const result = counts.map(countedUsageOf);
  results.set(spans, result);
  return result;
};
