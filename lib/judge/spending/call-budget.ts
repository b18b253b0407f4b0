import { roundDollars } from "../../domain/runs/budget.ts";
import { noTokens, priceOfPrompt, type Price, type Tokens } from "../../prices/price.ts";
import type { CostReservation, JudgeBudget, ReservationRequest } from "./judge-budget.ts";
import { addExpenses, noExpense, type Expense } from "./expense.ts";
import { tokenPerByte, type PromptSize, type PromptTokens } from "./prompt-size.ts";

/** Mean lengths of recent answers, by model and question. */
export interface AnswerLengthHistory {
  /** Adds the length of an answer to its question's mean. @param tokens output tokens of the answer. */
  readonly record: (model: string, question: string, tokens: number) => void;
  /** Estimates answer lengths that suffice for each of the questions. @param maxTokens output token limit of a normal call. */
  readonly lengths: (model: string, questions: readonly string[], maxTokens: number) => AnswerLengths;
}

/** Weight of the newest answer in the rolling mean. */
const weight = 0.2;

/** Assumed output tokens of an answer while no length is recorded: verdicts have a few hundred, reasoning adds more. */
const defaults = { likely: 2048, min: 1024 } as const;

const limitedTo = (max: number, { likely, min }: Omit<AnswerLengths, "max">): AnswerLengths => ({
  max,
  likely: Math.min(max, likely),
  min: Math.min(max, min),
});

/** Returns the answer lengths of questions without recorded answers. @param maxTokens output token limit of a normal call. */
export const defaultAnswerLengths = (maxTokens: number): AnswerLengths => limitedTo(maxTokens, defaults);

/** Estimates answer lengths from a recorded mean: most answers are shorter than `likely`, few answers fit in `min`. */
const lengthsAround = (mean: number) => ({ likely: Math.ceil(4 * mean) + 256, min: Math.ceil(1.5 * mean) + 128 });

/** Creates an empty history of answer lengths, kept in the memory of this process. */
export const answerLengthHistory = (): AnswerLengthHistory => {
  const means = new Map<string, number>();
  const keyOf = (model: string, question: string): string => `${model} ${question}`;
  return {
    record: (model, question, tokens) => {
      const key = keyOf(model, question);
      const mean = means.get(key);
      means.set(key, mean === undefined ? tokens : mean + weight * (tokens - mean));
    },
    lengths: (model, questions, maxTokens) => {
      const recordedMeans = questions.flatMap((question) => means.get(keyOf(model, question)) ?? []);
      return recordedMeans.length < questions.length
        ? defaultAnswerLengths(maxTokens)
        : limitedTo(maxTokens, lengthsAround(Math.max(0, ...recordedMeans)));
    },
  };
};

/** Tokens added to a prompt's texts: field names, roles, and a provider's own instructions about formats. */
const framingTokens = 600;

/** Upper bounds of the cost of one call. */
interface CallBound {
  /** Upper bound of the prompt's cost, US dollars. */
  readonly prompt: number;
  /** Price of an answer, US dollars per million tokens. */
  readonly output: number;
}

/** Computes the bounds of a call at the price of the longest prompt that it can have. @param tokens tokens that its texts have at most. */
const callBound = (price: Price, tokens: number): CallBound => {
  const longest = tokens + framingTokens;
  const { input, cached, written, output } = priceOfPrompt(price, longest);
  return { prompt: (longest * Math.max(input, cached, written)) / 1e6, output };
};

/** Computes an upper bound of an answer's cost, US dollars. @param tokens output token limit. */
const answerCost = ({ output }: Pick<CallBound, "output">, tokens: number): number => (tokens * output) / 1e6;

/** Computes the output token limit of an answer that costs at most `usd` US dollars; negative if the rest of the call costs too much. */
const affordableTokens = ({ output }: Pick<CallBound, "output">, usd: number): number => {
  if (usd < 0) return -1;
  return output === 0 ? Infinity : Math.floor((usd * 1e6) / output);
};

/** Estimated lengths of an answer, in output tokens. */
export interface AnswerLengths {
  /** Output token limit of a call when the budget allows it. */
  readonly max: number;
  /** Tokens that are enough for most answers. */
  readonly likely: number;
  /** Fewest tokens worth a call: with less the answer would probably be cut. */
  readonly min: number;
}

/** Mark of permits, which nothing outside of this file can make. */
const issued = Symbol("issued");

/** Permission for one call of a provider, whose highest cost is reserved. Connections make no call without one. */
export interface CallPermit {
  readonly [issued]: true;
  /** Output token limit of the answer. */
  readonly outputTokens: number;
}

/** A call that the budget allows. */
interface BudgetedCall extends CallPermit {
  readonly size: () => PromptSize;
  /** Upper bound of the call's cost, US dollars; 0 for a model without a price. */
  readonly maxCost: number;
  /** Returns an upper bound of the cost of what a reply did not report, US dollars; 0 for a model without a price. */
  readonly boundOf: (unreported: UnreportedUsage) => number;
}

/** The halves of a call's usage that its reply did not report, or reported as an impossible count. */
interface UnreportedUsage {
  readonly prompt: boolean;
  readonly answer: boolean;
}

/** What a reply says about its cost. */
interface BilledReply {
  readonly tokens: Tokens;
  /** True if the call was billed at the flex tier. */
  readonly isFlex?: boolean;
  /** True if the call is certainly not billed. */
  readonly isUnbilled?: boolean;
}

/**
 * Returns the halves of a billed call's usage that were not reported: no prompt and no answer has 0 tokens. That an answer was
 * filtered proves nothing, since the filter may have read all of it.
 */
const unreportedUsage = ({ tokens, isUnbilled = false }: BilledReply): UnreportedUsage => ({
  prompt: !isUnbilled && tokens.prompt === 0,
  answer: !isUnbilled && tokens.completion === 0,
});

/** Computes a call's cost in US dollars; null when the price is unknown. */
export type CostOfCall = (tokens: Tokens, isFlex: boolean) => number | null;

/** A call of a provider that is to be paid. */
interface PlannedCall {
  /** Size of the prompt. */
  readonly size: () => PromptSize;
  /** Output tokens to allow. */
  readonly maxTokens: number;
  /** Fewest useful output tokens. */
  readonly minTokens: number;
  readonly costOf: CostOfCall;
}

/** Budget of the model calls that one judgement (target x metric) may make. */
export interface ModelCallBudget {
  /**
   * Makes a call, first or repeated, if its highest cost fits, and enough of the budget remains for the later planned calls. The cost
   * of a call that throws counts as its highest.
   *
   * @returns the reply with its expense; null if the budget does not suffice, and nothing was sent.
   */
  readonly pay: <Reply extends BilledReply>(
    call: PlannedCall,
    send: (permit: CallPermit) => Promise<Reply>,
  ) => Promise<{ readonly reply: Reply; readonly expense: Expense } | null>;
  /** Marks the next planned call as begun, so that its share of the budget is no longer kept back. */
  readonly next: () => void;
  /** Returns the expense of all ended calls. */
  readonly spent: () => Expense;
  /** Ends the wait for calls in progress. @returns an upper bound of their cost, US dollars, which they then count as. */
  readonly abandon: () => number;
  readonly lengths: AnswerLengths;
  readonly close: () => void;
}

/** Allows a call; null if the budget does not suffice for it. */
type BeginCall = (call: PlannedCall) => BudgetedCall | null;

/** Creates the payment of calls. @param load prepares a smaller bound of a prompt. @param start returns what records the ended call's expense. */
const payment =
  (
    begin: BeginCall,
    load: PromptTokens["load"],
    start: (call: BudgetedCall) => Promise<(expense: Expense) => void>,
  ): ModelCallBudget["pay"] =>
  async (planned, send) => {
    let call = begin(planned);
    if (call === null) {
      await load();
      call = begin(planned);
    }
    if (call === null) return null;
    const end = await start(call);
    let expense: Expense = { ...noExpense, attempts: 1, unreportedCost: call.boundOf({ prompt: true, answer: true }) };
    try {
      const reply = await send(call);
      const { tokens, isFlex = false } = reply;
      const [cost, unreportedCost] = [planned.costOf(tokens, isFlex), call.boundOf(unreportedUsage(reply))];
      expense = { ...expense, tokens, flexTokens: isFlex ? tokens : noTokens, cost, unreportedCost };
      return { reply, expense };
    } finally {
      end(expense);
    }
  };

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

type CountTokens = PromptTokens["atMost"];

const plannedCost = (
  price: Price,
  prompts: readonly PromptSize[],
  tokens: number,
  countTokens: CountTokens = tokenPerByte.atMost,
): number =>
  sum(
    prompts.map((size) => {
      const bound = callBound(price, countTokens(size));
      return bound.prompt + answerCost(bound, tokens);
    }),
  );

/** Computes the amounts to reserve for a judgement's planned calls. @param prompts size of each prompt. */
export const reservationRequestOf = (
  price: Price,
  prompts: readonly PromptSize[],
  { max, likely, min }: AnswerLengths,
  promptTokens: PromptTokens = tokenPerByte,
): ReservationRequest => ({
  max: 2 * plannedCost(price, prompts, max),
  likely: 2 * plannedCost(price, prompts, likely),
  min: plannedCost(price, prompts, min),
  // Computed where a token per byte does not fit, since a tokenizer reads every text.
  tight: async () => {
    await promptTokens.load();
    return plannedCost(price, prompts, min, promptTokens.atMost);
  },
});

/**
 * Reduces the answer length to what the budget allows when each call is made once; retries use the amount that first calls leave
 * unspent. The result is never below `min`, because an answer that is cut off is paid for and useless.
 */
const affordableAnswers = (
  price: Price,
  prompts: readonly PromptSize[],
  usd: number,
  lengths: AnswerLengths,
  countTokens: CountTokens,
): AnswerLengths => {
  const bounds = prompts.map((size) => callBound(price, countTokens(size)));
  const promptsCost = sum(bounds.map(({ prompt }) => prompt));
  const output = sum(bounds.map((bound) => bound.output));
  const longest = affordableTokens({ output }, usd - promptsCost);
  return { ...lengths, max: Math.min(lengths.max, Math.max(longest, lengths.min)) };
};

const callBudgetOf = (
  reservation: CostReservation,
  price: Price,
  prompts: readonly PromptSize[],
  lengths: AnswerLengths,
  promptTokens: PromptTokens,
): ModelCallBudget => {
  const fits = (usd: number): boolean => reservation.remaining() >= usd;
  const { atMost } = fits(plannedCost(price, prompts, lengths.min)) ? tokenPerByte : promptTokens;
  const affordableLengths = affordableAnswers(price, prompts, reservation.remaining(), lengths, atMost);
  const laterPrompts = [...prompts];
  let [costInProgress, spent, isAbandoned] = [0, noExpense, false];

  const begin: BeginCall = ({ size, maxTokens, minTokens }) => {
    // Rounded, since bounds that fit exactly would otherwise miss by the order in which they are added.
    const roomBeside = (bound: number): number =>
      roundDollars(
        reservation.remaining() -
          costInProgress -
          plannedCost(price, laterPrompts, affordableLengths.min, atMost) -
          bound,
      );
    const isEnough = (tokens: number): boolean => tokens >= Math.min(maxTokens, minTokens);
    const affordableAnswer = (): number => Math.min(maxTokens, affordableTokens(bound, roomBeside(bound.prompt)));
    let bound = callBound(price, atMost(size()));
    const shortfall = -roomBeside(bound.prompt + answerCost(bound, maxTokens));
    let outputTokens = shortfall <= 0 || reservation.extend(shortfall) ? maxTokens : affordableAnswer();
    if (!isEnough(outputTokens)) {
      bound = callBound(price, promptTokens.atMost(size()));
      outputTokens = affordableAnswer();
    }
    if (!isEnough(outputTokens)) return null;
    const [{ prompt }, answer] = [bound, answerCost(bound, outputTokens)];
    const boundOf = (unreported: UnreportedUsage): number =>
      (unreported.prompt ? prompt : 0) + (unreported.answer ? answer : 0);
    costInProgress += prompt + answer;
    return { [issued]: true, size, outputTokens, maxCost: prompt + answer, boundOf };
  };

  return {
    lengths: affordableLengths,
    next: () => {
      laterPrompts.shift();
    },
    pay: payment(begin, promptTokens.load, async ({ size, maxCost }) => {
      const end = await reservation.begin(maxCost);
      return (expense) => {
        if (expense.tokens.prompt > 0) promptTokens.record(size(), expense.tokens.prompt);
        costInProgress -= maxCost;
        spent = addExpenses(spent, expense);
        end(isAbandoned ? maxCost : (expense.cost ?? 0) + expense.unreportedCost);
      };
    }),
    spent: () => spent,
    abandon: () => {
      isAbandoned = true;
      return costInProgress;
    },
    close: reservation.close,
  };
};

/** Price of a model whose price is unknown, where no ceiling applies: nothing can be told of the cost of its calls. */
const unboundedPrice: Price = { input: 0, cached: 0, written: 0, output: 0 };

/**
 * Reserves the cost of a judgement's calls; null if the budget does not suffice or the model's price is unknown.
 *
 * @param prompts sizes that the prompts have at most.
 */
export const reserveModelCallBudget = async (
  budget: JudgeBudget,
  price: Price | null,
  prompts: readonly PromptSize[],
  lengths: AnswerLengths,
  promptTokens: PromptTokens,
): Promise<ModelCallBudget | null> => {
  const boundPrice = price ?? (budget.isUnlimited === true ? unboundedPrice : null);
  if (boundPrice === null) return null;
  const reservation = await budget.reserve(reservationRequestOf(boundPrice, prompts, lengths, promptTokens));
  return reservation === null ? null : callBudgetOf(reservation, boundPrice, prompts, lengths, promptTokens);
};

/** Budget, deadline and callback of one judgement. */
export interface JudgementContext {
  readonly budget: JudgeBudget;
  /** Latest end of the calls, epoch milliseconds. */
  readonly deadline: number;
  /** Called with the reserved budget; the caller of the judgement closes it. */
  readonly onReserved: (budget: ModelCallBudget) => void;
}
