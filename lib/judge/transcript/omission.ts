import { neutralise } from "./delimiters.ts";
import type { RenderedSpan } from "./section.ts";
import type { SpanVariation } from "./variation.ts";

/** A span that a shortened transcript leaves out. */
interface OmittedSpan {
  readonly span: RenderedSpan;
  readonly variation: SpanVariation;
}

/** Maximum calls, kinds of output and failed spans that a line lists. */
const maxListed = 3;
/** Maximum characters of a name and of an output in a line. */
const [nameLength, labelLength] = [40, 24] as const;

const quoted = (text: string, limit: number): string => {
  const wellFormed = text.toWellFormed();
  const short = wellFormed.length <= limit ? wellFormed : `${wellFormed.slice(0, limit - 1).toWellFormed()}…`;
  return neutralise(JSON.stringify(short)).replaceAll("\n", " ");
};

const rangeOf = (omitted: readonly OmittedSpan[]): string => {
  const [first, last] = [omitted[0], omitted.at(-1)].map((each) => each?.span.numberedSpan.number);
  return first === last ? `#${first}` : `#${first}-#${last}`;
};

const statusOf = (omitted: readonly OmittedSpan[]): string => {
  const spans = omitted.map(({ span: { numberedSpan } }) => numberedSpan);
  const failedSpans = spans.filter(({ span }) => span.status === "ERROR" || span.error !== null);
  if (failedSpans.length === 0) return spans.every(({ span }) => span.status === "OK") ? "all OK" : "none failed";
  const numbers = failedSpans.slice(0, maxListed).map(({ number }) => `#${number}`);
  return `${failedSpans.length} failed (${numbers.join(", ")}${failedSpans.length > maxListed ? ", ..." : ""})`;
};

/** Returns texts from the word in which they differ. */
const differingParts = (texts: readonly string[]): readonly string[] => {
  const [first = "", ...others] = texts;
  let from = 0;
  while (from < first.length && others.every((text) => text[from] === first[from])) from += 1;
  while (from > 0 && /[\p{L}\p{N}_]/u.test(first[from - 1] ?? "")) from -= 1;
  return texts.map((text) => text.slice(from));
};

/** Returns what varies between calls: the number of different inputs and outputs, the frequent outputs with their counts. */
const variationOf = (omitted: readonly OmittedSpan[]): string => {
  const inputs = new Set(omitted.map(({ variation }) => variation.input)).size;
  const outputs = [...Map.groupBy(omitted, ({ variation }) => variation.output).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const kinds = [
    ...(inputs > 1 ? [`${inputs} kinds of input`] : []),
    ...(outputs.length > 1 ? [`${outputs.length} kinds of output`] : []),
  ];
  if (kinds.length === 0) return omitted.length > 1 ? ", alike apart from ids, times and numbers of one size" : "";
  const frequent = outputs.slice(0, maxListed);
  const isListed = outputs.length > 1 && (frequent[0]?.length ?? 0) > 1;
  const labels = differingParts(frequent.map(([each]) => each?.variation.outputText ?? ""));
  const list = labels.map((label, index) => `${quoted(label, labelLength)} ${frequent[index]?.length}`);
  const othersCount = outputs.slice(maxListed).reduce((sum, { length }) => sum + length, 0);
  return `, ${kinds.join(", ")}${isListed ? `: ${[...list, ...(othersCount > 0 ? [`others ${othersCount}`] : [])].join(", ")}` : ""}`;
};

/**
 * Returns the line that replaces omitted spans: their numbers, calls and statuses, and what varies between calls.
 *
 * @param shownClasses classes of the spans that are shown (`SpanVariation.class`).
 */
export const omissionText = (
  omitted: readonly OmittedSpan[],
  shownClasses: ReadonlySet<string | undefined>,
): string => {
  const calls = [
    ...Map.groupBy(omitted, ({ span: { numberedSpan } }) => {
      const { kind, name } = numberedSpan.span;
      return `${kind} ${quoted(name, nameLength)}`;
    }),
  ].toSorted(([, a], [, b]) => b.length - a.length);
  const listed = calls
    .slice(0, maxListed)
    .map(([call, spans]) => `${call} ${spans.length} call${spans.length === 1 ? "" : "s"}${variationOf(spans)}`);
  const otherCount = calls.slice(maxListed).reduce((sum, [, { length }]) => sum + length, 0);
  const list = [...listed, ...(otherCount === 0 ? [] : [`${otherCount} others`])].join("; ");
  const reason = omitted.every(({ variation }) => shownClasses.has(variation.class)) ? "as repetition" : "for length";
  const count = `${omitted.length} spans`;
  return `[... ${rangeOf(omitted)} left out ${reason}, ${count}: ${list}; ${statusOf(omitted)} ...]`;
};
