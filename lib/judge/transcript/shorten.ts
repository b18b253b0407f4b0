import { clip } from "./clip.ts";
import { neutralised } from "./delimiters.ts";
import type { Repetition } from "./repetitions.ts";
import type { PlacedSpan } from "./span-order.ts";
import type { Worth } from "./span-worth.ts";

/** Lines of a transcript: the head is always kept where the section is, the body may be shortened. */
export interface Section {
  readonly head: string;
  /** Indented already; empty when there is none. */
  readonly body: string;
  /** What it is of; what is longest of the least weight is shortened first. */
  readonly part: keyof typeof weights;
  /** The span that it is of; null: of the trace itself. */
  readonly span: { readonly id: string; readonly number: number } | null;
}

/** Characters of a body, in proportion: what a step put out or was given is worth as much, what failed more. */
const weights = { trace: 6000, head: 1, input: 300, output: 300, error: 1200, aside: 100 } as const;
const byWorth = [1, 2, 2, 4] as const;

/** A span's sections. */
export interface ShownSpan {
  readonly placed: PlacedSpan;
  readonly worth: Worth;
  readonly sections: readonly Section[];
}

/** What is shown of a trace, in order, and what of the rest only repeats what is shown. */
export interface Shortened {
  readonly sections: readonly Section[];
  /** Characters of the repetitions that are left out. */
  readonly repeated: number;
}

const isLowSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

const mark = (missing: number): string => `\n [... ${missing} characters left out ...]\n `;

/** Beginning and end of a text in at most `limit` characters, saying between them how much is missing. */
const shortened = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const kept = Math.max(0, limit - mark(text.length).length);
  let head = Math.ceil((kept * 2) / 3);
  let tail = text.length - (kept - head);
  // Half of a character would reach the judge as a replacement sign.
  if (isLowSurrogate(text, head)) head -= 1;
  if (isLowSurrogate(text, tail)) tail += 1;
  return text.slice(0, head) + mark(tail - head) + text.slice(tail);
};

const sizeWith = (section: Section, limit: number): number =>
  section.head.length + 1 + (section.body === "" ? 0 : Math.min(section.body.length, limit) + 1);

/** Characters of a transcript of these sections. */
export const totalSize = (sections: readonly Section[]): number =>
  sections.reduce((sum, section) => sum + sizeWith(section, Infinity), 0);

/** A section and the weight of its body. */
type Weighed = readonly [section: Section, weight: number];

/** No body is cut below this: a mark that something is missing takes 40. */
const shortestBody = 100;

const limitOf = (weight: number, factor: number): number => Math.max(shortestBody, Math.floor(weight * factor));

const sizeAt = (weighed: readonly Weighed[], factor: number): number =>
  weighed.reduce((sum, [section, weight]) => sum + sizeWith(section, limitOf(weight, factor)), 0);

/** The largest factor on the weights at which the sections fit; 0 where none does. */
const factorFor = (weighed: readonly Weighed[], budget: number): number => {
  let [low, high] = [0, 1];
  while (high < 1e6 && sizeAt(weighed, high) <= budget) [low, high] = [high, high * 2];
  for (let step = 0; step < 20; step += 1) {
    const middle = (low + high) / 2;
    if (sizeAt(weighed, middle) <= budget) low = middle;
    else high = middle;
  }
  return low;
};

const cutTo = (weighed: readonly Weighed[], factor: number): readonly Section[] =>
  weighed.map(([section, weight]) => ({ ...section, body: shortened(section.body, limitOf(weight, factor)) }));

const callOf = ({ span: { kind, name } }: PlacedSpan): string =>
  `${kind} ${neutralised(JSON.stringify(clip(name, 40))).replaceAll("\n", " ")}`;

const rangeOf = (hidden: readonly ShownSpan[]): string => {
  const [first, last] = [hidden[0]?.placed.number, hidden.at(-1)?.placed.number];
  return first === last ? `#${first}` : `#${first}-#${last}`;
};

const mostNamed = 3;

const statusOf = (hidden: readonly ShownSpan[]): string => {
  const failed = hidden.filter(({ placed }) => placed.span.status === "ERROR" || placed.span.error !== null);
  if (failed.length === 0) return hidden.every(({ placed }) => placed.span.status === "OK") ? "all OK" : "none failed";
  const numbers = failed.slice(0, mostNamed).map(({ placed }) => `#${placed.number}`);
  return `${failed.length} failed (${numbers.join(", ")}${failed.length > mostNamed ? ", ..." : ""})`;
};

/** What a line in the place of spans says of them. */
const gapText = (hidden: readonly ShownSpan[], repetition: Repetition | undefined): string => {
  if (repetition !== undefined) {
    const round = hidden.slice(0, repetition.period).map(({ placed }) => callOf(placed));
    const times = hidden.length / repetition.period;
    return `[... ${rangeOf(hidden)} ${round.join(", ")}, ${times} times, ${statusOf(hidden)}: left out as repetition ...]`;
  }
  const counts = [...Map.groupBy(hidden, ({ placed }) => callOf(placed))].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const named = counts.slice(0, mostNamed).map(([call, own]) => `${own.length} ${call}`);
  const others = counts.slice(mostNamed).reduce((sum, [, own]) => sum + own.length, 0);
  const listed = [...named, ...(others === 0 ? [] : [`${others} others`])].join(", ");
  return `[... ${rangeOf(hidden)} left out for length, ${hidden.length} spans: ${listed}; ${statusOf(hidden)} ...]`;
};

/** A line in the place of spans takes about this much. */
const gapSize = 150;

const gap = (text: string, mark: string): Section => ({ head: `${mark}${text}`, body: "", part: "head", span: null });

/** Indexes 0 to n - 1 so that any beginning of the list is spread evenly. */
const spread = (count: number): readonly number[] => {
  const order: number[] = [];
  const seen = new Set<number>();
  for (let parts = 1; order.length < count; parts *= 2) {
    for (let part = 0; part < parts; part += 1) {
      const index = Math.floor(((part + 0.5) * count) / parts);
      if (!seen.has(index)) order.push(index);
      seen.add(index);
    }
  }
  return order;
};

/** The share of the room that failures leave to the rest. */
const leastForOthers = 0.3;

/** What is left out of each repetition: all but its first and last round. */
const middles = (repetitions: readonly Repetition[]): readonly Repetition[] =>
  repetitions.map(({ from, to, period }) => ({ from: from + period, to: to - period, period }));

const weighed = ({ sections, worth }: ShownSpan): readonly Weighed[] =>
  sections.map((section) => [section, weights[section.part] * byWorth[worth]]);

/**
 * Sections that fit the budget (characters). First what repeats itself becomes a line, then bodies are cut, the longest of the
 * least weight first, and where that is not enough the spans that tell least go; a line in their place says what they were.
 *
 * @param mark begins each line of the transcript's own.
 */
export const shortenedTo = (
  budget: number,
  own: readonly Section[],
  spans: readonly ShownSpan[],
  repetitions: readonly Repetition[],
  mark: string,
): Shortened => {
  const ownWeighed = own.map((section): Weighed => [section, weights[section.part]]);
  const hidden = new Map<number, Repetition>();
  let shown = spans.map((_, index) => index);
  let gaps = 0;

  const collapse = (which: readonly Repetition[]): void => {
    for (const repetition of which) {
      gaps += 1;
      for (let index = repetition.from; index < repetition.to; index += 1) hidden.set(index, repetition);
    }
    shown = spans.flatMap((_, index) => (hidden.has(index) ? [] : [index]));
  };
  const of = (indexes: readonly number[]): readonly Weighed[] => indexes.flatMap((index) => weighed(spans[index]!));
  const fitsAt = (factor: number): boolean => sizeAt([...ownWeighed, ...of(shown)], factor) + gaps * gapSize <= budget;

  if (!fitsAt(Infinity)) collapse(middles(repetitions));
  if (!fitsAt(1)) {
    const [factor, share] = [factorFor(ownWeighed, budget / 2), budget / 2];
    let room = budget - Math.min(share, sizeAt(ownWeighed, factor)) - gapSize;
    const others = room * leastForOthers;
    const chosen = new Set<number>();
    for (const worth of [3, 2, 1, 0] as const) {
      const candidates = shown.filter((index) => spans[index]?.worth === worth);
      // What tells least is shown a few steps at a time: a step alone between two lines of what is missing says little.
      const atATime = worth === 0 ? 6 : 1;
      for (const place of spread(Math.ceil(candidates.length / atATime))) {
        const together = candidates.slice(place * atATime, (place + 1) * atATime);
        // Of what failed many are rather shown a little of than few at length.
        const size = sizeAt(of(together), worth === 2 ? 0.2 : 1) + gapSize;
        if (size > (worth === 2 ? room - others : room)) continue;
        room -= size;
        for (const index of together) chosen.add(index);
      }
    }
    shown = shown.filter((index) => chosen.has(index));
    gaps = 0;
  }

  /** The transcript with the chosen spans, bodies cut by a factor; spans in no repetition share a line with their neighbours. */
  const lines = (factor: number): readonly Section[] => {
    const out: Section[] = [...cutTo(ownWeighed, factor)];
    const kept = new Set(shown);
    let missing: ShownSpan[] = [];
    let repetition: Repetition | undefined;
    const flush = (): void => {
      if (missing.length > 0) out.push(gap(gapText(missing, wholeOf(repetition, missing)), mark));
      missing = [];
    };
    for (const [index, span] of spans.entries()) {
      if (kept.has(index)) {
        flush();
        out.push(...cutTo(weighed(span), factor));
        continue;
      }
      if (hidden.get(index) !== repetition) flush();
      repetition = hidden.get(index);
      missing.push(span);
    }
    flush();
    return out;
  };

  const repeated = [...hidden].reduce((sum, [index]) => sum + totalSize(spans[index]?.sections ?? []), 0);
  const bare = lines(0).filter(({ part, span }) => part === "head" && span === null);
  const gapTotal = totalSize(bare);
  const all = [...ownWeighed, ...of(shown)];
  const factor = fitsAt(Infinity) && hidden.size === 0 ? Infinity : factorFor(all, budget - gapTotal);
  const sections = lines(factor);
  return { sections: totalSize(sections) <= budget ? sections : squeezed(sections, budget, mark), repeated };
};

/** A repetition that is left out as a whole, and nothing beside it. */
const wholeOf = (repetition: Repetition | undefined, missing: readonly ShownSpan[]): Repetition | undefined =>
  repetition !== undefined && missing.length === repetition.to - repetition.from ? repetition : undefined;

/** The last resort, for heads that are too many by themselves: beginning and end. */
const squeezed = (sections: readonly Section[], budget: number, mark: string): readonly Section[] => {
  const half = (budget - gapSize) / 2;
  const fitting = (list: readonly Section[]): number => {
    let sum = 0;
    const end = list.findIndex((section) => (sum += sizeWith(section, Infinity)) > half);
    return end === -1 ? list.length : end;
  };
  const first = fitting(sections);
  const last = Math.max(first, sections.length - fitting(sections.toReversed()));
  return [
    ...sections.slice(0, first),
    gap(`[... ${last - first} parts of the record left out for length ...]`, mark),
    ...sections.slice(last),
  ];
};
