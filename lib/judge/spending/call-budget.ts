import { priceOfPrompt, type Price } from "../../prices/price.ts";
import { unlimitedBudget, type CostReservation, type JudgeBudget, type ReservationRequest } from "./judge-budget.ts";
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

/** Computes the output token limit of an answer that costs at most `usd` US dollars. */
const affordableTokens = ({ output }: Pick<CallBound, "output">, usd: number): number =>
  output === 0 ? Infinity : Math.floor((usd * 1e6) / output);

/** Estimated lengths of an answer, in output tokens. */
export interface AnswerLengths {
  /** Output token limit of a call when the budget allows it. */
  readonly max: number;
  /** Tokens that are enough for most answers. */
  readonly likely: number;
  /** Fewest tokens worth a call: with less the answer would probably be cut. */
  readonly min: number;
}

/** A call that the budget allows, with its limits. */
interface BudgetedCall {
  readonly size: () => PromptSize;
  /** Output token limit of the answer. */
  readonly outputTokens: number;
  /** Upper bound of the call's cost, US dollars; 0 without a spending ceiling. */
  readonly maxCost: number;
  /** Returns an upper bound of the cost of what a reply did not report, US dollars; 0 for a model without a price. */
  readonly boundOf: (unreported: UnreportedUsage) => number;
}

/** The halves of a call's usage that its reply did not report, or reported as an impossible count. */
export interface UnreportedUsage {
  readonly prompt: boolean;
  readonly answer: boolean;
}

/** Budget of the model calls that one judgement (target x metric) may make. */
export interface ModelCallBudget {
  /**
   * Begins a call and keeps back enough of the budget for the later planned calls; null if the budget does not suffice.
   *
   * @param size size of the prompt. @param maxTokens output tokens to allow. @param minTokens fewest useful output tokens.
   */
  readonly begin: (size: () => PromptSize, maxTokens: number, minTokens: number) => BudgetedCall | null;
  /** Marks the next planned call as begun, so that its share of the budget is no longer kept back. */
  readonly next: () => void;
  /** Records the expense of an ended call. */
  readonly end: (call: BudgetedCall, expense: Expense) => void;
  /** Returns the expense of all ended calls. */
  readonly spent: () => Expense;
  /** Returns an upper bound of the cost of calls in progress, US dollars. */
  readonly costInProgress: () => number;
  readonly lengths: AnswerLengths;
  readonly close: () => void;
}

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
  countTokens: CountTokens = tokenPerByte.atMost,
): ReservationRequest => ({
  max: 2 * plannedCost(price, prompts, max),
  likely: 2 * plannedCost(price, prompts, likely),
  min: plannedCost(price, prompts, min),
  // Computed where a token per byte does not fit, since the estimate reads every text.
  tight: () => plannedCost(price, prompts, min, countTokens),
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
  let [costInProgress, spent] = [0, noExpense];
  return {
    lengths: affordableLengths,
    next: () => {
      laterPrompts.shift();
    },
    begin: (size, maxTokens, minTokens) => {
      const spareBudget = (): number =>
        reservation.remaining() - costInProgress - plannedCost(price, laterPrompts, affordableLengths.min, atMost);
      const isEnough = (tokens: number): boolean => tokens >= Math.min(maxTokens, minTokens);
      const affordableAnswer = (): number => Math.min(maxTokens, affordableTokens(bound, spareBudget() - bound.prompt));
      let bound = callBound(price, atMost(size()));
      const shortfall = bound.prompt + answerCost(bound, maxTokens) - spareBudget();
      let outputTokens = shortfall <= 0 || reservation.extend(shortfall) ? maxTokens : affordableAnswer();
      if (!isEnough(outputTokens)) {
        bound = callBound(price, promptTokens.atMost(size()));
        outputTokens = affordableAnswer();
      }
      if (!isEnough(outputTokens)) return null;
      const [{ prompt }, answer] = [bound, answerCost(bound, outputTokens)];
      const boundOf = (unreported: UnreportedUsage): number =>
        (unreported.prompt ? prompt : 0) + (unreported.answer ? answer : 0);
      const call = { size, outputTokens, maxCost: prompt + answer, boundOf };
      costInProgress += call.maxCost;
      return call;
    },
    end: ({ size, maxCost }, expense) => {
      if (expense.tokens.prompt > 0) promptTokens.record(size(), expense.tokens.prompt);
      costInProgress -= maxCost;
      spent = addExpenses(spent, expense);
      reservation.spend((expense.cost ?? 0) + expense.unreportedCost);
    },
    spent: () => spent,
    costInProgress: () => costInProgress,
    close: reservation.close,
  };
};

/** Returns a budget that allows every call at its full length: no spending ceiling is set. */
const unlimitedCallBudget = (price: Price | null, lengths: AnswerLengths): ModelCallBudget => {
  let spent = noExpense;
  return {
    lengths,
    next: () => undefined,
    begin: (size, maxTokens) => ({
      size,
      maxCost: 0,
      outputTokens: maxTokens,
      boundOf: ({ prompt, answer }) => {
        if (price === null) return 0;
        const bound = callBound(price, size().bytes);
        return (prompt ? bound.prompt : 0) + (answer ? answerCost(bound, maxTokens) : 0);
      },
    }),
    end: (_, expense) => {
      spent = addExpenses(spent, expense);
    },
    spent: () => spent,
    costInProgress: () => 0,
    close: () => undefined,
  };
};

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
  if (budget === unlimitedBudget) return unlimitedCallBudget(price, lengths);
  if (price === null) return null;
  const reservation = await budget.reserve(reservationRequestOf(price, prompts, lengths, promptTokens.atMost));
  return reservation === null ? null : callBudgetOf(reservation, price, prompts, lengths, promptTokens);
};

/** Budget, deadline and callback of one judgement. */
export interface JudgementContext {
  readonly budget: JudgeBudget;
  /** Latest end of the calls, epoch milliseconds. */
  readonly deadline: number;
  /** Called with the reserved budget; the caller of the judgement closes it. */
  readonly onReserved: (budget: ModelCallBudget) => void;
}
