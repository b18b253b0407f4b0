import type { Price } from "../prices/price.ts";
import { answerCost, answerTokens, promptCost } from "./call-cost.ts";
import { unlimited, type Pocket, type Purse, type Want } from "./purse.ts";

/** Output tokens of an answer. */
export interface AnswerLengths {
  /** What a call is given as long as there is money. */
  readonly full: number;
  /** What is given rather than nothing. */
  readonly short: number;
  readonly shortest: number;
}

/** A call that may begin, and what it may come to. */
interface FundedCall {
  /** Output tokens that its answer may have. */
  readonly outputTokens: number;
  /** What it costs at most, US dollars. */
  readonly bound: number;
}

/** Money for the calls of one judgement. */
export interface Funds {
  /**
   * Lets a call begin; null: there is no money for it. A planned call leaves what those after it need.
   *
   * @param bytes of its prompt. @param wanted output tokens. @param least output tokens that are of use.
   */
  readonly begin: (bytes: () => number, wanted: number, least: number) => FundedCall | null;
  /** Says that the next call is the one that was planned next. */
  readonly next: () => void;
  /** Books a call that has ended. @param cost US dollars; null: nobody told. */
  readonly end: (call: FundedCall, cost: number | null) => void;
  /** What calls that are under way can cost at most, US dollars. */
  readonly underWay: () => number;
  readonly lengths: AnswerLengths;
  readonly close: () => void;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

const planned = (price: Price, prompts: readonly number[], tokens: number): number =>
  sum(prompts.map((bytes) => promptCost(price, bytes) + answerCost(price, tokens)));

/** What calls with such prompts want to have set aside. @param prompts bytes of each. */
export const wantOf = (price: Price, prompts: readonly number[], { full, short, shortest }: AnswerLengths): Want => ({
  most: 2 * planned(price, prompts, full),
  enough: 2 * planned(price, prompts, short),
  least: planned(price, prompts, shortest),
});

/**
 * The longest answers that money allows when each call is made once: what first tries have not cost is there for second ones. An
 * answer that is cut is paid for in vain.
 */
const affordable = (price: Price, prompts: readonly number[], usd: number, lengths: AnswerLengths): AnswerLengths => {
  const longest = answerTokens(price, (usd - planned(price, prompts, 0)) / Math.max(1, prompts.length));
  return { ...lengths, full: Math.min(lengths.full, Math.max(longest, lengths.shortest)) };
};

const withPocket = (pocket: Pocket, price: Price, prompts: readonly number[], lengths: AnswerLengths): Funds => {
  const given = affordable(price, prompts, pocket.left(), lengths);
  const later = [...prompts];
  let underWay = 0;
  return {
    lengths: given,
    next: () => {
      later.shift();
    },
    begin: (bytes, wanted, least) => {
      const prompt = promptCost(price, bytes());
      const bound = prompt + answerCost(price, wanted);
      const spare = (): number => pocket.left() - underWay - planned(price, later, given.shortest);
      const lacks = bound - spare();
      const outputTokens =
        lacks <= 0 || pocket.add(lacks) ? wanted : Math.min(wanted, answerTokens(price, spare() - prompt));
      if (!(outputTokens >= Math.min(wanted, least))) return null;
      const call = { outputTokens, bound: prompt + answerCost(price, outputTokens) };
      underWay += call.bound;
      return call;
    },
    end: ({ bound }, cost) => {
      underWay -= bound;
      pocket.spend(cost ?? bound);
    },
    underWay: () => underWay,
    close: pocket.close,
  };
};

/** Where no ceiling holds. */
const unlimitedFunds = (lengths: AnswerLengths): Funds => ({
  lengths,
  next: () => undefined,
  begin: (_, wanted) => ({ bound: 0, outputTokens: wanted }),
  end: () => undefined,
  underWay: () => 0,
  close: () => undefined,
});

/** Sets money aside for the calls of a judgement; null: there is not enough now. @param prompts bytes of each of its prompts at most. */
export const fundsFor = async (
  purse: Purse,
  price: Price | null,
  prompts: readonly number[],
  lengths: AnswerLengths,
): Promise<Funds | null> => {
  if (purse === unlimited) return unlimitedFunds(lengths);
  if (price === null) return null;
  const pocket = await purse.setAside(wantOf(price, prompts, lengths));
  return pocket === null ? null : withPocket(pocket, price, prompts, lengths);
};

/** How a judgement is asked for. */
export interface Asked {
  readonly purse: Purse;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Told of the money that is set aside: whoever asked gives back what is left of it. */
  readonly hold: (funds: Funds) => void;
}
