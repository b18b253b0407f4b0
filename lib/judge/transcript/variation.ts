import type { Json } from "../../domain/json.ts";
import type { RenderedSpan, TranscriptSection } from "./section.ts";
import { minPopulation, oddnessOf, rareness, slotValues } from "./slots.ts";
import { tokenize, type Token } from "./tokens.ts";
import { jsonText } from "./value-text.ts";

/** Comparison of a span with the other calls of the same kind and name. */
export interface SpanVariation {
  /** Equal for calls with the same input and output, apart from ids, times, counters and numbers of one magnitude. */
  readonly class: string;
  /** Equal for calls with the same input; `output` likewise. */
  readonly input: string;
  readonly output: string;
  /** Beginning of the output of the first call with this output; empty for a call that has too few others. */
  readonly outputText: string;
  /** How much the call differs from the others where they agree: in a value, a key, a sign, a magnitude or its duration; 0 for none. */
  readonly oddness: number;
}

/** Maximum characters of a span's text that are compared token by token, and of all spans together. */
const [maxExamined, maxExaminedTotal] = [2000, 4_000_000] as const;

/** Maximum places of tokens that are compared in the texts of one call. */
const maxSlots = 2000;

/** Duration of a slow call: this many times the median, and longer by these milliseconds. */
const slow = { factor: 5, milliseconds: 250 } as const;

/** A text of a call: its tokens, and what else has to be equal. */
interface CallText {
  readonly tokens: readonly Token[];
  readonly remainder: string;
}

/** Finds the keys of a text: the names before its first tokens. */
const keysOf = ({ tokens }: CallText): ReadonlySet<string> =>
  new Set(tokens.map(({ slot }) => slot.slice(0, slot.lastIndexOf("/"))));

/** Computes for each text how rare its keys are, or the lack of a key that nearly all others have. */
const keyOddness = (texts: readonly CallText[]): readonly number[] => {
  const keySets = texts.map(keysOf);
  const counts = new Map<string, number>();
  for (const keys of keySets) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const total = texts.length;
  const usual = [...counts].filter(([, count]) => count >= total * 0.8);
  // Without keys that most texts share they are prose, in which any word may precede a colon.
  if (usual.length === 0 || usual.length < counts.size / 2) return texts.map(() => 0);
  const missed = usual.filter(([, count]) => count < total);
  return keySets.map((keys) =>
    Math.max(
      0,
      ...Array.from(keys, (key) => rareness(counts.get(key) ?? 0, total)),
      ...missed.map(([key, count]) => (keys.has(key) ? 0 : rareness(total - count, total))),
    ),
  );
};

/** The comparison of one text of all calls: a key for equality, and the oddness. */
const compareTexts = (texts: readonly CallText[]): readonly { readonly key: string; readonly oddness: number }[] => {
  const slots = new Map<string, { readonly tokens: Token[]; readonly owners: number[] }>();
  const keys = texts.map(({ remainder }) => [remainder]);
  for (const [owner, { tokens }] of texts.entries()) {
    for (const token of tokens) {
      const slot = slots.get(token.slot) ?? { tokens: [], owners: [] };
      if (slot.tokens.length === 0) {
        if (slots.size >= maxSlots) {
          keys[owner]?.push(token.slot, token.text);
          continue;
        }
        slots.set(token.slot, slot);
      }
      slot.tokens.push(token);
      slot.owners.push(owner);
    }
  }
  const oddness = [...keyOddness(texts)];
  for (const [name, { tokens, owners }] of slots) {
    for (const [index, value] of slotValues(tokens).entries()) {
      const owner = owners[index] ?? 0;
      keys[owner]?.push(name, value.key);
      oddness[owner] = Math.max(oddness[owner] ?? 0, value.oddness);
    }
  }
  // Numbers in place of the keys, which may be megabytes.
  const numbers = new Map<string, string>();
  const numbered = keys.map((parts) => {
    const key = parts.join("\n");
    const number = numbers.get(key) ?? String(numbers.size);
    numbers.set(key, number);
    return number;
  });
  const wholeOddness = oddnessOf(numbered);
  return numbered.map((key, index) => ({ key, oddness: Math.max(oddness[index] ?? 0, wholeOddness[index] ?? 0) }));
};

const durationOf = ({ numberedSpan: { span } }: RenderedSpan): number =>
  span.ended_at === null ? Number.NaN : Math.max(0, Date.parse(span.ended_at) - Date.parse(span.started_at));

/** Computes the oddness of slow calls. */
const slowness = (spans: readonly RenderedSpan[]): readonly number[] => {
  const durations = spans.map(durationOf);
  const sorted = durations.filter((duration) => !Number.isNaN(duration)).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const isSlow = (duration: number): boolean =>
    duration >= median * slow.factor && duration >= median + slow.milliseconds;
  const count = durations.filter(isSlow).length;
  return durations.map((duration) => (isSlow(duration) ? rareness(count, spans.length) : 0));
};

const sectionText = (
  sections: readonly TranscriptSection[],
  isIncluded: (part: TranscriptSection["part"]) => boolean,
): string =>
  sections
    .flatMap(({ head, body, part }) => (isIncluded(part) ? [body === "" ? head.replace(/^.*?: /u, "") : body] : []))
    .join("\n");

const beginningOf = (value: Json): string => (typeof value === "string" ? value : jsonText(value)).slice(0, 1000);

/** Compares each span with the calls of the same kind and name, in order. Linear in the text, of which a bounded part is examined. */
export const spanVariations = (spans: readonly RenderedSpan[]): readonly SpanVariation[] => {
  const limit = Math.min(maxExamined, Math.floor(maxExaminedTotal / Math.max(1, spans.length)));
  const result = new Map<RenderedSpan, SpanVariation>();
  const populations = Map.groupBy(spans, ({ numberedSpan: { span } }) => `${span.kind} ${span.name}`);
  for (const [call, population] of populations) {
    if (population.length < minPopulation) {
      for (const span of population) {
        const key = `${call} ${span.numberedSpan.number}`;
        result.set(span, { class: key, input: key, output: key, outputText: "", oddness: 0 });
      }
      continue;
    }
    const compare = (isIncluded: (part: TranscriptSection["part"]) => boolean) =>
      compareTexts(population.map(({ sections }) => tokenize(sectionText(sections, isIncluded), limit)));
    const inputs = compare((part) => part === "input");
    const outputs = compare((part) => part === "output" || part === "error");
    const others = compare((part) => part === "aside");
    const states = population.map(({ numberedSpan: { span } }) => `${span.status} ${span.model ?? ""}`);
    const stateOddness = oddnessOf(states);
    const slowOddness = slowness(population);
    const outputTexts = new Map<string, string>();
    for (const [index, span] of population.entries()) {
      const [input, output, other] = [inputs[index], outputs[index], others[index]];
      const outputKey = output?.key ?? "";
      const outputText = outputTexts.get(outputKey) ?? beginningOf(span.numberedSpan.span.output);
      outputTexts.set(outputKey, outputText);
      result.set(span, {
        class: [call, states[index], input?.key, output?.key, other?.key].join("\n"),
        input: input?.key ?? "",
        output: outputKey,
        outputText,
        oddness: Math.max(
          input?.oddness ?? 0,
          output?.oddness ?? 0,
          other?.oddness ?? 0,
          stateOddness[index] ?? 0,
          slowOddness[index] ?? 0,
        ),
      });
    }
  }
  return spans.map((span) => result.get(span) ?? { class: "", input: "", output: "", outputText: "", oddness: 0 });
};
