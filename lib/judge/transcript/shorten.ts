import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { omissionText } from "./omission.ts";
import { ranks, ranksOf } from "./ranks.ts";
import { totalSize, type RenderedSpan, type TranscriptSection } from "./section.ts";
import type { SpanPriority } from "./spans.ts";
import { spanVariations, type SpanVariation } from "./variation.ts";

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

/** Relative lengths to which section bodies are shortened, by kind of content: errors stay longer than inputs, metadata shorter. */
const weights: Readonly<Record<TranscriptSection["part"], number>> = {
  trace: 6000,
  head: 1,
  input: 300,
  output: 300,
  error: 1200,
  aside: 100,
};
/** Factor on the body lengths of a span by the span's priority, 0 to 3. */
const priorityFactors = [1, 2, 2, 4] as const;

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

/** Approximate and least characters of a line that replaces omitted spans. */
const [gapSize, leastGapSize] = [200, 90] as const;

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
/** Largest share of the transcript's characters for odd calls. */
const maxShareOfOdd = 0.5;
/** Spans of the lowest ranks are selected in groups of this size, since a single span between two omissions has no context. */
const groupSize = 6;
/** Sizes of the groups with which the remaining room is filled, one after another. */
const fillSizes = [groupSize, groupSize, 2, 1] as const;

const weightedSections = ({ sections }: RenderedSpan, priority: SpanPriority): readonly WeightedSection[] =>
  sections.map((section) => [section, weights[section.part] * priorityFactors[priority]]);

/**
 * Shortens a transcript to a budget in characters: first calls that repeat others are left out, as many as needed, then bodies
 * are cut in proportion to their weights, then spans of low rank are replaced by a line that summarises them. Odd calls stay.
 *
 * @param traceSections sections of the trace itself.
 * @param mark code that begins each structural line of the transcript.
 */
export const shortenToBudget = (
  budget: number,
  traceSections: readonly TranscriptSection[],
  spans: readonly RenderedSpan[],
  mark: string,
): ShortenedSections => {
  const allSections = [...traceSections, ...spans.flatMap(({ sections }) => sections)];
  if (totalSize(allSections) <= budget) return { sections: allSections, repeated: 0 };
  const weightedTrace = traceSections.map((section): WeightedSection => [section, weights[section.part]]);
  const variations = spanVariations(spans);
  const weightedSpans = spans.map((span) => weightedSections(span, span.priority));
  // Odd calls get more room than others once it is clear what is shown, so that they push nothing out.
  const finalSpans = spans.map((span, index) =>
    weightedSections(span, (variations[index]?.oddness ?? 0) > 0 ? 3 : span.priority),
  );
  const spanRanks = ranksOf(spans, variations);
  const indexesOf = (rank: number): readonly number[] =>
    spanRanks.flatMap((each, index) => (each === rank ? [index] : []));
  const selected = new Set<number>();
  const sectionsOf = (indexes: Iterable<number>): readonly WeightedSection[] =>
    Array.from(indexes).flatMap((index) => weightedSpans[index] ?? []);

  /** Selects groups of spans, spread evenly, while they fit the room at a factor on their bodies; returns the remaining room. */
  const fill = (indexes: readonly number[], size: number, room: number, factor: number): number => {
    let remaining = room;
    const candidates = indexes.filter((index) => !selected.has(index));
    for (const groupIndex of evenOrder(Math.ceil(candidates.length / size))) {
      const group = candidates.slice(groupIndex * size, (groupIndex + 1) * size);
      const runs = group.filter((index, at) => group[at - 1] !== index - 1).length;
      const groupRoom = sizeAt(sectionsOf(group), factor) + runs * gapSize;
      if (groupRoom > remaining) continue;
      remaining -= groupRoom;
      for (const index of group) selected.add(index);
    }
    return remaining;
  };

  const repeatedIndexes = indexesOf(ranks.repeated);
  const otherIndexes = spanRanks.flatMap((rank, index) => (rank === ranks.repeated ? [] : [index]));
  const gapsOfRepeated = repeatedIndexes.filter((index) => spanRanks[index - 1] !== ranks.repeated).length * gapSize;
  if (sizeAt([...weightedTrace, ...sectionsOf(otherIndexes)], 1) + gapsOfRepeated <= budget) {
    for (const index of otherIndexes) selected.add(index);
  } else {
    const [factor, share] = [factorFor(weightedTrace, budget / 2), budget / 2];
    let room = budget - Math.min(share, sizeAt(weightedTrace, factor)) - gapSize;
    const reservedRoom = room * minShareForOthers;
    room = fill(indexesOf(ranks.essential), 1, room, 1);
    let oddRoom = room * maxShareOfOdd;
    room -= oddRoom;
    const oddest = indexesOf(ranks.odd).toSorted(
      (a, b) => (variations[b]?.oddness ?? 0) - (variations[a]?.oddness ?? 0) || a - b,
    );
    for (const index of oddest) oddRoom = fill([index], 1, oddRoom, 1);
    room += oddRoom;
    // Short extracts of many failed spans inform the judge better than long extracts of a few.
    room = reservedRoom + fill(indexesOf(ranks.failed), 1, room - reservedRoom, 0.2);
    room = fill(indexesOf(ranks.notable), 1, room, 1);
    fill(indexesOf(ranks.ordinary), groupSize, room, 1);
  }

  /** Renders the selected spans with bodies cut by a factor; each run of omitted spans becomes one line. */
  const lines = (factor: number): readonly TranscriptSection[] => {
    const result: TranscriptSection[] = [...cutTo(weightedTrace, factor)];
    const shownClasses = new Set(Array.from(selected, (index) => variations[index]?.class));
    let missing: number[] = [];
    const flush = (): void => {
      if (missing.length > 0) {
        const omitted = missing.flatMap((index) => {
          const [span, variation] = [spans[index], variations[index]];
          return span === undefined || variation === undefined ? [] : [{ span, variation }];
        });
        result.push(gap(omissionText(omitted, shownClasses), mark));
      }
      missing = [];
    };
    for (const [index, weighted] of finalSpans.entries()) {
      if (selected.has(index)) {
        flush();
        result.push(...cutTo(weighted, factor));
      } else missing.push(index);
    }
    flush();
    return result;
  };
  /** Selects omitted spans that are no longer than the line that would replace them. */
  const closeSmallGaps = (): void => {
    let [from, size] = [0, 0];
    for (let index = 0; index <= spans.length; index += 1) {
      if (index < spans.length && !selected.has(index)) {
        size += sizeAt(weightedSpans[index] ?? [], Infinity);
        continue;
      }
      if (size <= leastGapSize) for (; from < index; from += 1) selected.add(from);
      [from, size] = [index + 1, 0];
    }
  };
  const render = () => {
    closeSmallGaps();
    const gapTotal = totalSize(lines(0).filter(({ part, span }) => part === "head" && span === null));
    const shown = Array.from(selected).flatMap((index) => finalSpans[index] ?? []);
    const factor = factorFor([...weightedTrace, ...shown], budget - gapTotal);
    return { factor, sections: lines(factor) };
  };

  let { factor, sections } = render();
  for (const rank of [ranks.ordinary, ranks.notable]) {
    if (totalSize(sections) <= budget) break;
    for (const index of indexesOf(rank)) selected.delete(index);
    ({ factor, sections } = render());
  }
  for (const size of fillSizes) {
    const count = selected.size;
    const room = fill(indexesOf(ranks.ordinary), size, budget - totalSize(sections), Infinity);
    fill(repeatedIndexes, size, room, Infinity);
    if (selected.size > count) ({ factor, sections } = render());
  }
  if (totalSize(sections) > budget) return { sections: keepEnds(sections, budget, mark), repeated: 0 };
  return { sections, repeated: repeatedSize(finalSpans, variations, selected, factor) };
};

/** Computes the characters of omitted spans that shown spans tell, as far as those are not cut themselves. */
const repeatedSize = (
  spans: readonly (readonly WeightedSection[])[],
  variations: readonly SpanVariation[],
  selected: ReadonlySet<number>,
  factor: number,
): number => {
  const shownShares = new Map<string | undefined, number>();
  for (const index of selected) {
    const weighted = spans[index] ?? [];
    const share = sizeAt(weighted, factor) / Math.max(1, sizeAt(weighted, Infinity));
    const key = variations[index]?.class;
    shownShares.set(key, Math.max(share, shownShares.get(key) ?? 0));
  }
  return spans.reduce((sum, weighted, index) => {
    const share = selected.has(index) ? 0 : (shownShares.get(variations[index]?.class) ?? 0);
    return sum + Math.floor(share * sizeAt(weighted, Infinity));
  }, 0);
};

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
