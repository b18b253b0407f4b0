/** Tokens that a refusal names, beside which a request is too long. */
export interface WindowUse {
  /** Most tokens of prompt and answer together. */
  readonly window: number;
  /** Tokens of the prompt; null if the refusal does not say. */
  readonly prompt: number | null;
  /** Tokens of prompt and answer together; null if the refusal does not say. */
  readonly total: number | null;
  /** True if the server stopped to count, so that the prompt has at least these tokens. */
  readonly isAtLeast: boolean;
}

/** Fewest tokens of an answer that are worth a call in place of a shorter prompt. */
export const minTokensLeft = 1024;

/** What a number in a refusal counts. `other`: something that is neither of these, such as the characters of a text. */
type Measure = "window" | "total" | "prompt" | "output" | "other";

/** What a clause says of its number. `limit`: a limit of what the clause before it names, else of the window. */
type ClauseMeasure = Measure | "limit";

const [limitWords, inputWords, outputWords] = [
  /\b(?:max(?:imum)?|limit|at most|must|cannot|allowed|up to)\b/u,
  /input|prompt|messages|response_format|functions|tools?\b|images?\b/u,
  /output|completion|max_(?:new_)?tokens|generat/u,
];

/** What the number of a clause counts by the words beside it; the first match counts. */
const measures: readonly (readonly [ClauseMeasure, (clause: string) => boolean])[] = [
  ["other", (clause) => /characters|string|draft|per minute|value=/u.test(clause)],
  ["window", (clause) => /context|window|model length/u.test(clause)],
  ["window", (clause) => [limitWords, inputWords, outputWords].every((words) => words.test(clause))],
  // A limit of the prompt or of the answer alone.
  ["other", (clause) => limitWords.test(clause) && (inputWords.test(clause) || outputWords.test(clause))],
  ["limit", (clause) => limitWords.test(clause)],
  ["output", (clause) => outputWords.test(clause)],
  ["prompt", (clause) => inputWords.test(clause)],
  ["total", (clause) => /requested|total/u.test(clause)],
  ["prompt", (clause) => /request|received|given|contains|passed/u.test(clause)],
];

/** Returns what the number of a clause counts. @param subject what the clause before it names, if that has no number. */
const measureOf = (clause: string, subject: Measure | undefined): Measure | undefined => {
  const measure = measures.find(([, fits]) => fits(clause))?.[0];
  return measure === "limit" ? (subject === "output" || subject === "prompt" ? "other" : "window") : measure;
};

const sentenceEnd = /[;\n]|\.(?!\w)/u;

/** Ends of clauses, each of which has one number or none. */
const clauseEnd = /[,:()]| (?:and|but|however|whereas|exceeds|than|-|>) /u;

/** A count, but no part of a name or version. */
const count = /(?<![\w.-])\d{1,9}(?![\w-])/gu;

/** Prompt, answer and window of Anthropic's "13186 + 8192 > 14000". */
const sum = /(\d{1,9}) \+ (\d{1,9}) > (\d{1,9})/u;

/**
 * Reads the sizes that a refusal names: each number counts what the words of its clause say, or where they say nothing those of the clause
 * before it, which has no number.
 *
 * @param message lower-case text.
 * @returns null if it does not name the window, or nothing that was compared with it.
 */
export const windowUseOf = (message: string): WindowUse | null => {
  const [, first, second, third] = sum.exec(message)?.map(Number) ?? [];
  if (first !== undefined && second !== undefined && third !== undefined)
    return { window: third, prompt: first, total: first + second, isAtLeast: false };
  // A gateway may repeat its provider's sentence: the same number of the same measure counts once.
  const counts: Readonly<Record<Measure, Set<number>>> = {
    window: new Set(),
    total: new Set(),
    prompt: new Set(),
    output: new Set(),
    other: new Set(),
  };
  for (const sentence of message.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/gu, "").split(sentenceEnd)) {
    let subject: Measure | undefined;
    for (const clause of sentence.split(clauseEnd)) {
      const [number, ...others] = clause.match(count) ?? [];
      const measure = measureOf(clause, subject);
      if (number !== undefined && others.length === 0) counts[measure ?? subject ?? "other"].add(Number(number));
      subject = number === undefined ? measure : undefined;
    }
  }
  const [[window], [total = null], [answer]] = [[...counts.window], [...counts.total], [...counts.output]];
  if (window === undefined) return null;
  const parts = counts.prompt.size === 0 ? null : [...counts.prompt].reduce((all, part) => all + part, 0);
  const prompt = total !== null && answer !== undefined ? total - answer : parts;
  const isAtLeast = /at least \d/u.test(message) || (prompt === null && /\d (?:input )?characters/u.test(message));
  return prompt === null && total === null && !isAtLeast ? null : { window, prompt, total, isAtLeast };
};

/**
 * Returns the limit of output tokens with which a refused prompt is asked again: what it leaves of the window; half of the limit where that
 * is not known exactly. Null if that is no less than the refused limit, or too little for an answer: the prompt has to be shorter.
 */
export const tokensLeftOf = ({ window, prompt, total, isAtLeast }: WindowUse, outputTokens: number): number | null => {
  const room = window - (prompt ?? (total === null ? 0 : total - outputTokens));
  const tokensLeft = isAtLeast ? Math.min(room, Math.max(minTokensLeft, Math.floor(outputTokens / 2))) : room;
  return tokensLeft >= minTokensLeft && tokensLeft < outputTokens ? tokensLeft : null;
};

/** Share of the room in a window that a shortened prompt fills: other texts may have more tokens for their characters. */
const filledShare = 0.9;

/**
 * Returns the share of a refused prompt's transcript that fits into the window beside an answer; half where the refusal does not tell, or
 * where nothing would be left.
 *
 * @param transcript characters of the transcript.
 * @param others characters of the rest of the prompt.
 */
export const fittingShare = (use: WindowUse | null, transcript: number, others: number): number => {
  const prompt = use === null || use.isAtLeast ? null : use.prompt;
  const room = prompt === null ? 0 : ((use?.window ?? 0) - minTokensLeft) / prompt;
  const share = (filledShare * room * (transcript + others) - others) / transcript;
  return share > 0 && share < 1 ? share : 1 / 2;
};
