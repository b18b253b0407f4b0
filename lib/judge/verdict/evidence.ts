import type { Citation, Evidence } from "../../domain/scores/evidence.ts";
import type { Json } from "../../domain/json.ts";
import { clip } from "../transcript/clip.ts";
import type { Section } from "../transcript/shorten.ts";

/** Citations that are looked up; a judge is asked for five. */
const mostCited = 10;
const longestQuote = 300;
/** Less than this proves nothing: it stands everywhere. */
const shortestQuote = 4;

/** How judges name a span by its number: `#3`, `span 3`, `[#3`. */
const numbered = /^[\s([]*(?:span\s+#?|#)(\d+)\b/iu;
/** What may stand between a span's number and the quotation. */
const label = /^[^:"“]{0,40}:\s*/u;
const onlyLabel = /^[\s\])}.,:;-]*(?:input|output|error|metadata|parameters)?[\s\])}.,:;-]*$/iu;
const marks = /^[\s"'`“”‘’«»]+|[\s"'`“”‘’«»]+[.,;]?$/gu;
const innerQuote = /["“«`]([^"“”«»`]+)["”»`]/u;
const leftOut = /\s*(?:\[?\.{3}\]?|…)\s*/u;

const oneSpaced = (text: string): string => text.replace(/\s+/gu, " ").trim();

/** What the transcript shows of a span, or of the trace itself. */
interface Shown {
  readonly spanId: string | null;
  readonly number: number | null;
  readonly text: string;
}

/** Whether a text has a quotation; what the judge left out of it may be anything. */
const has = (text: string, quotation: string): boolean => {
  let from = 0;
  for (const part of quotation.split(leftOut)) {
    const at = part.length < shortestQuote ? -1 : text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
};

const quotationsIn = (cited: string, rest: string): readonly string[] =>
  [cited, rest, rest.replace(label, ""), innerQuote.exec(rest)?.[1] ?? ""]
    .map((text) => oneSpaced(text.replace(marks, "")))
    .filter(({ length }) => length >= shortestQuote);

/**
 * Looks citations up in a transcript as it was shown: a quotation has to stand there, but for its spaces and what the judge
 * left out of it, and a span's number has to be one of the transcript's. What does not is dropped and counted.
 */
export const evidenceIn = (sections: readonly Section[]): ((cited: Json | undefined) => Evidence | null) => {
  const shown: readonly Shown[] = [...Map.groupBy(sections, ({ span }) => span?.number ?? null)].map(
    ([number, own]): Shown => ({
      spanId: own[0]?.span?.id ?? null,
      number,
      text: oneSpaced(own.map(({ head, body }) => `${head} ${body}`).join(" ")),
    }),
  );

  const lookUp = (cited: string): Citation | null => {
    const named = numbered.exec(cited);
    const rest = cited.slice(named?.[0].length ?? 0);
    const span = named === null ? undefined : shown.find(({ number }) => number === Number(named[1]));
    if (span !== undefined && onlyLabel.test(rest)) return { span_id: span.spanId, quote: null };
    const places = span === undefined ? shown : [span, ...shown];
    for (const quotation of quotationsIn(cited, rest)) {
      const place = places.find(({ text }) => has(text, quotation));
      if (place !== undefined) return { span_id: place.spanId, quote: clip(quotation, longestQuote) };
    }
    return null;
  };

  return (cited) => {
    if (!Array.isArray(cited)) return null;
    const texts = cited.filter((each) => typeof each === "string");
    const found = texts.slice(0, mostCited).flatMap((text) => lookUp(text) ?? []);
    return { cited: found, dropped: texts.length - found.length };
  };
};
