import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { neutralise } from "./delimiters.ts";
import type { Repetition, NumberedSpan, SpanPriority } from "./spans.ts";

/** Cuts a text to `limit` UTF-16 units, never inside a code point, and ends a cut text with an ellipsis. */
export const clip = (text: string, limit: number): string => {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= limit) return wellFormed;
  const end = Math.max(0, limit - 1);
  const splitsCodePoint = (wellFormed.codePointAt(end - 1) ?? 0) > 0xffff;
  return `${wellFormed.slice(0, splitsCodePoint ? end - 1 : end)}…`;
};

const shortenObject = (value: JsonObject, text: number, items: number): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortenValue(item, text, items)]));

const shortenValue = (value: Json, text: number, items: number): Json => {
  if (typeof value === "string") return clip(value, text);
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.slice(0, items).map((item: Json) => shortenValue(item, text, items));
  return isObject(value) ? shortenObject(value, text, items) : value;
};

/** Maximum lengths of texts and arrays, applied in this order until the JSON fits. */
const sizes = [
  [4000, 100],
  [2000, 100],
  [1000, 50],
  [500, 40],
  [200, 40],
  [100, 20],
  [40, 10],
] as const;

/**
 * Shortens texts and arrays until the JSON has at most `bytes` bytes of UTF-8; returns {} if the smallest lengths do not fit.
 */
export const fitToBytes = (value: JsonObject, bytes: number): JsonObject => {
  for (const [text, items] of sizes) {
    const candidate = shortenObject(value, text, items);
    if (Buffer.byteLength(JSON.stringify(candidate)) <= bytes) return candidate;
  }
  return {};
};

/** A section of a transcript: a head line, and a text (body) that may be shortened. */
export interface TranscriptSection {
  readonly head: string;
  /** Indented text; empty for a section without a body. */
  readonly body: string;
  /** Kind of content; determines the share of the transcript that the body gets when bodies are shortened. */
  readonly part: keyof typeof weights;
  /** Span of the content; null for content of the trace itself. */
  readonly span: { readonly id: string; readonly number: number } | null;
}

/** Relative lengths to which section bodies are shortened, by kind of content: errors stay longer than inputs, metadata shorter. */
const weights = { trace: 6000, head: 1, input: 300, output: 300, error: 1200, aside: 100 } as const;
/** Factor on the body lengths of a span by the span's priority, 0 to 3. */
const priorityFactors = [1, 2, 2, 4] as const;

/** A span with its priority and rendered sections. */
export interface RenderedSpan {
  readonly numberedSpan: NumberedSpan;
  readonly priority: SpanPriority;
  readonly sections: readonly TranscriptSection[];
}

/** The sections of a shortened transcript, in order. */
export interface ShortenedSections {
  readonly sections: readonly TranscriptSection[];
  /** Characters omitted as repetitions. */
  readonly repeated: number;
}

const isLowSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

const omissionMark = (missing: number): string => `\n [... ${missing} characters left out ...]\n `;

/** Shortens a text to at most `limit` characters: its beginning, a note with the number of omitted characters, and its end. */
const shortenText = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const keptLength = Math.max(0, limit - omissionMark(text.length).length);
  let head = Math.ceil((keptLength * 2) / 3);
  let tail = text.length - (keptLength - head);
  // A lone surrogate would reach the judge as a replacement character.
  if (isLowSurrogate(text, head)) head -= 1;
  if (isLowSurrogate(text, tail)) tail += 1;
  return text.slice(0, head) + omissionMark(tail - head) + text.slice(tail);
};

const sizeWith = (section: TranscriptSection, limit: number): number =>
  section.head.length + 1 + (section.body === "" ? 0 : Math.min(section.body.length, limit) + 1);

/** Computes the characters of a transcript of these sections. */
export const totalSize = (sections: readonly TranscriptSection[]): number =>
  sections.reduce((sum, section) => sum + sizeWith(section, Infinity), 0);

/** A section and the relative length (weight) of its body. */
type WeightedSection = readonly [section: TranscriptSection, weight: number];

/** Minimum characters of a section's text after shortening, including 40 for the note about the omitted characters. */
const minBodyLength = 100;

const limitOf = (weight: number, factor: number): number => Math.max(minBodyLength, Math.floor(weight * factor));

const sizeAt = (sections: readonly WeightedSection[], factor: number): number =>
  sections.reduce((sum, [section, weight]) => sum + sizeWith(section, limitOf(weight, factor)), 0);

/** Computes the largest factor on the weights at which the sections fit the budget of characters; 0 if none fits. */
const factorFor = (sections: readonly WeightedSection[], budget: number): number => {
  let [low, high] = [0, 1];
  while (high < 1e6 && sizeAt(sections, high) <= budget) [low, high] = [high, high * 2];
  for (let step = 0; step < 20; step += 1) {
    const middle = (low + high) / 2;
    if (sizeAt(sections, middle) <= budget) low = middle;
    else high = middle;
  }
  return low;
};

const cutTo = (sections: readonly WeightedSection[], factor: number): readonly TranscriptSection[] =>
  sections.map(([section, weight]) => ({ ...section, body: shortenText(section.body, limitOf(weight, factor)) }));

const callOf = ({ span: { kind, name } }: NumberedSpan): string =>
  `${kind} ${neutralise(JSON.stringify(clip(name, 40))).replaceAll("\n", " ")}`;

const rangeOf = (omittedSpans: readonly RenderedSpan[]): string => {
  const [first, last] = [omittedSpans[0]?.numberedSpan.number, omittedSpans.at(-1)?.numberedSpan.number];
  return first === last ? `#${first}` : `#${first}-#${last}`;
};

const maxListed = 3;

const statusOf = (omittedSpans: readonly RenderedSpan[]): string => {
  const failedSpans = omittedSpans.filter(
    ({ numberedSpan }) => numberedSpan.span.status === "ERROR" || numberedSpan.span.error !== null,
  );
  if (failedSpans.length === 0)
    return omittedSpans.every(({ numberedSpan }) => numberedSpan.span.status === "OK") ? "all OK" : "none failed";
  const numbers = failedSpans.slice(0, maxListed).map(({ numberedSpan }) => `#${numberedSpan.number}`);
  return `${failedSpans.length} failed (${numbers.join(", ")}${failedSpans.length > maxListed ? ", ..." : ""})`;
};

/** Returns the line that replaces omitted spans: their numbers, kinds, names and statuses. */
const gapText = (omittedSpans: readonly RenderedSpan[], repetition: Repetition | undefined): string => {
  if (repetition !== undefined) {
    const round = omittedSpans.slice(0, repetition.period).map(({ numberedSpan }) => callOf(numberedSpan));
    const times = omittedSpans.length / repetition.period;
    return `[... ${rangeOf(omittedSpans)} ${round.join(", ")}, ${times} times, ${statusOf(omittedSpans)}: left out as repetition ...]`;
  }
  const counts = [...Map.groupBy(omittedSpans, ({ numberedSpan }) => callOf(numberedSpan))].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const frequentCalls = counts.slice(0, maxListed).map(([call, spans]) => `${spans.length} ${call}`);
  const otherCount = counts.slice(maxListed).reduce((sum, [, spans]) => sum + spans.length, 0);
  const list = [...frequentCalls, ...(otherCount === 0 ? [] : [`${otherCount} others`])].join(", ");
  return `[... ${rangeOf(omittedSpans)} left out for length, ${omittedSpans.length} spans: ${list}; ${statusOf(omittedSpans)} ...]`;
};

/** Approximate characters of a line that replaces omitted spans. */
const gapSize = 150;

const gap = (text: string, mark: string): TranscriptSection => ({
  head: `${mark}${text}`,
  body: "",
  part: "head",
  span: null,
});

/** Returns the indexes 0 to `count - 1` in an order in which every prefix is spread evenly. */
const evenOrder = (count: number): readonly number[] => {
  const order: number[] = [];
  const visited = new Set<number>();
  for (let parts = 1; order.length < count; parts *= 2) {
    for (let part = 0; part < parts; part += 1) {
      const index = Math.floor(((part + 0.5) * count) / parts);
      if (!visited.has(index)) order.push(index);
      visited.add(index);
    }
  }
  return order;
};

/** Share of the transcript's characters reserved for spans without failure. */
const minShareForOthers = 0.3;

/** Returns the part of each repetition that a shortened transcript omits: all rounds except the first and the last. */
const middles = (repetitions: readonly Repetition[]): readonly Repetition[] =>
  repetitions.map(({ from, to, period }) => ({ from: from + period, to: to - period, period }));

const weightedSections = ({ sections, priority }: RenderedSpan): readonly WeightedSection[] =>
  sections.map((section) => [section, weights[section.part] * priorityFactors[priority]]);

/**
 * Shortens a transcript to a budget in characters: first repetitions become one line each, then bodies are cut in proportion to
 * their weights, then spans of low priority are replaced by a line that summarises them.
 *
 * @param traceSections sections of the trace itself.
 * @param mark code that begins each structural line of the transcript.
 */
export const shortenToBudget = (
  budget: number,
  traceSections: readonly TranscriptSection[],
  spans: readonly RenderedSpan[],
  repetitions: readonly Repetition[],
  mark: string,
): ShortenedSections => {
  const weightedTrace = traceSections.map((section): WeightedSection => [section, weights[section.part]]);
  const collapsed = new Map<number, Repetition>();
  let shownIndexes = spans.map((_, index) => index);
  let gaps = 0;

  const collapse = (omittedRounds: readonly Repetition[]): void => {
    for (const repetition of omittedRounds) {
      gaps += 1;
      for (let index = repetition.from; index < repetition.to; index += 1) collapsed.set(index, repetition);
    }
    shownIndexes = spans.flatMap((_, index) => (collapsed.has(index) ? [] : [index]));
  };
  const sectionsOf = (indexes: readonly number[]): readonly WeightedSection[] =>
    indexes.flatMap((index) => weightedSections(spans[index]!));
  const fitsAt = (factor: number): boolean =>
    sizeAt([...weightedTrace, ...sectionsOf(shownIndexes)], factor) + gaps * gapSize <= budget;

  if (!fitsAt(Infinity)) collapse(middles(repetitions));
  if (!fitsAt(1)) {
    const [factor, share] = [factorFor(weightedTrace, budget / 2), budget / 2];
    let room = budget - Math.min(share, sizeAt(weightedTrace, factor)) - gapSize;
    const reservedRoom = room * minShareForOthers;
    const selected = new Set<number>();
    for (const priority of [3, 2, 1, 0] as const) {
      const candidates = shownIndexes.filter((index) => spans[index]?.priority === priority);
      // Spans of the lowest priority are selected in groups, since a single span between two omissions has no context.
      const groupSize = priority === 0 ? 6 : 1;
      for (const groupIndex of evenOrder(Math.ceil(candidates.length / groupSize))) {
        const group = candidates.slice(groupIndex * groupSize, (groupIndex + 1) * groupSize);
        // Short extracts of many failed spans inform the judge better than long extracts of a few.
        const size = sizeAt(sectionsOf(group), priority === 2 ? 0.2 : 1) + gapSize;
        if (size > (priority === 2 ? room - reservedRoom : room)) continue;
        room -= size;
        for (const index of group) selected.add(index);
      }
    }
    shownIndexes = shownIndexes.filter((index) => selected.has(index));
    gaps = 0;
  }

  /** Renders the selected spans with bodies cut by a factor; each run of omitted spans becomes one line. */
  const lines = (factor: number): readonly TranscriptSection[] => {
    const result: TranscriptSection[] = [...cutTo(weightedTrace, factor)];
    const selected = new Set(shownIndexes);
    let missing: RenderedSpan[] = [];
    let repetition: Repetition | undefined;
    const flush = (): void => {
      if (missing.length > 0) result.push(gap(gapText(missing, wholeRepetition(repetition, missing)), mark));
      missing = [];
    };
    for (const [index, span] of spans.entries()) {
      if (selected.has(index)) {
        flush();
        result.push(...cutTo(weightedSections(span), factor));
        continue;
      }
      if (collapsed.get(index) !== repetition) flush();
      repetition = collapsed.get(index);
      missing.push(span);
    }
    flush();
    return result;
  };

  const repeated = [...collapsed].reduce((sum, [index]) => sum + totalSize(spans[index]?.sections ?? []), 0);
  const omissionLines = lines(0).filter(({ part, span }) => part === "head" && span === null);
  const gapTotal = totalSize(omissionLines);
  const allSections = [...weightedTrace, ...sectionsOf(shownIndexes)];
  const factor = fitsAt(Infinity) && collapsed.size === 0 ? Infinity : factorFor(allSections, budget - gapTotal);
  const sections = lines(factor);
  return { sections: totalSize(sections) <= budget ? sections : keepEnds(sections, budget, mark), repeated };
};

/** Returns the repetition if the omitted spans are exactly its middle rounds. */
const wholeRepetition = (
  repetition: Repetition | undefined,
  missing: readonly RenderedSpan[],
): Repetition | undefined =>
  repetition !== undefined && missing.length === repetition.to - repetition.from ? repetition : undefined;

/** Shortens a transcript whose head lines alone exceed the budget: keeps its beginning and end. */
const keepEnds = (
  sections: readonly TranscriptSection[],
  budget: number,
  mark: string,
): readonly TranscriptSection[] => {
  const half = (budget - gapSize) / 2;
  const fitting = (list: readonly TranscriptSection[]): number => {
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
