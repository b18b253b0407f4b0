/** What a judgement wants to have set aside before its first call, US dollars. */
export interface Want {
  /** What its calls can cost at most: each made twice, and answered at the full length. */
  readonly most: number;
  /** The same with answers as long as they are likely to be: enough as a rule. */
  readonly enough: number;
  /** Each call made once, with such answers: with less none is begun. */
  readonly least: number;
}

/** What was set aside for the calls of one judgement, US dollars. */
export interface Pocket {
  /** What is left of it. */
  readonly left: () => number;
  /** Sets so much more aside; false: there is not so much at once. */
  readonly add: (usd: number) => boolean;
  /** Books what a call has cost, or can have cost at most where nobody told. */
  readonly spend: (usd: number) => void;
  /** Gives back what is left. */
  readonly close: () => void;
}

/** The money of a slice of work. What is spent of it never passes what a pocket had. */
export interface Purse {
  /** Waits where pockets that are open now may give something back. Null: there is not the least now. */
  readonly setAside: (want: Want) => Promise<Pocket | null>;
}

const bottomless: Pocket = { left: () => Infinity, add: () => true, spend: () => undefined, close: () => undefined };

/** Where nothing has a ceiling. */
export const unlimited: Purse = { setAside: async () => bottomless };
