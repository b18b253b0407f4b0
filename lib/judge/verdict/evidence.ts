import type { Citation, Evidence } from "../../domain/scores/evidence.ts";
import type { Json } from "../../domain/json.ts";
import { rounded } from "../../domain/scores/score.ts";
import { clip } from "../transcript/clip.ts";
import type { Section } from "../transcript/shorten.ts";
import { addressesJudge } from "./tampering.ts";

/** Citations that are looked up; a judge is asked for five, or for one or two to each statement. */
export const mostCited = 10;
const longestQuote = 300;
/** Less than this proves nothing: it stands everywhere. */
const shortestQuote = 4;

/** How judges name a span by its number: `#3`, `span 3`, `[#3`, or as its line begins. */
const numbered = /^[\s([]*(?:[b-z]{4}\s+)?(?:span\s+#?|#)(\d+)\b/iu;
/** Several spans by their numbers; the first stands for them. */
const otherNumbers = /^(?:\s*(?:,|and|to|-|–|\/)?\s*(?:span\s+)?#?\d+)+\s*$/iu;
/** What may stand between a span's number and the quotation. */
const label = /^[^:"“]{0,40}:\s*/u;
const onlyLabel = /^[\s\])}.,:;-]*(?:input|output|error|metadata|parameters)?[\s\])}.,:;-]*$/iu;
const marks = /^[\s"'`“”‘’«»]+|[\s"'`“”‘’«»]+[.,;]?$/gu;
const innerQuote = /["“«`]([^"“”«»`]+)["”»`]/u;
const leftOut = /\s*(?:\[?\.{3}\]?|…)\s*/u;

const oneSpaced = (text: string): string => text.replace(/\s+/gu, " ").trim();
/** Judges quote JSON with and without its escapes. */
const comparable = (text: string): string =>
  oneSpaced(
    text
      .replace(/\\[nrt]/gu, " ")
      .replace(/\\(["\\/])/gu, "$1")
      .toLowerCase(),
  );

/** What the transcript shows of a span, or of the trace itself. */
interface Shown {
  readonly spanId: string | null;
  readonly number: number | null;
  readonly text: string;
}

/** A quotation's parts: what the judge left out between them may be anything. */
const partsOf = (quotation: string): readonly string[] => comparable(quotation).split(leftOut);

/** Whether a text has the parts of a quotation in their order. */
const has = (text: string, parts: readonly string[]): boolean => {
  let from = 0;
  for (const part of parts) {
    const at = part.length < shortestQuote ? -1 : text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
};

const quotationsIn = (cited: string, rest: string): ReadonlySet<string> =>
  new Set(
    [cited, rest, rest.replace(label, ""), innerQuote.exec(rest)?.[1] ?? ""]
      .map((text) => oneSpaced(text.replace(marks, "")))
      .filter(({ length }) => length >= shortestQuote),
  );

/** A citation as a score's metadata has it. */
interface CheckedCitation {
  readonly text: string;
  readonly found: boolean;
  readonly span_id: string | null;
}

/** What a judge cited, and what the record has of it. */
export interface CheckedEvidence extends Evidence {
  readonly checked: readonly CheckedCitation[];
  /** The share that was found, 0 to 1; null of nothing. */
  readonly found: number | null;
  /** All that was quoted speaks to the judge: the verdict rests on nothing else. */
  readonly tampering: boolean;
}

/**
 * Looks citations up in a transcript as it was shown: a quotation has to stand there, but for its case, its spaces and what the
 * judge left out of it, and a span's number has to be one of the transcript's. What does not is dropped and counted.
 */
export const evidenceIn = (sections: readonly Section[]): ((cited: Json | undefined) => CheckedEvidence | null) => {
  const shown: readonly Shown[] = [...Map.groupBy(sections, ({ span }) => span?.number ?? null)].map(
    ([number, own]): Shown => ({
      spanId: own[0]?.span?.id ?? null,
      number,
      text: comparable(own.map(({ head, body }) => `${head} ${body}`).join(" ")),
    }),
  );

  const lookUp = (cited: string): Citation | null => {
    const named = numbered.exec(cited);
    const rest = cited.slice(named?.[0].length ?? 0);
    const span = named === null ? undefined : shown.find(({ number }) => number === Number(named[1]));
    if (span !== undefined && (onlyLabel.test(rest) || otherNumbers.test(rest))) {
      return { span_id: span.spanId, quote: null };
    }
    const places = span === undefined ? shown : [span, ...shown];
    for (const quotation of quotationsIn(cited, rest)) {
      const parts = partsOf(quotation);
      const place = places.find(({ text }) => has(text, parts));
      if (place !== undefined) return { span_id: place.spanId, quote: clip(quotation, longestQuote) };
    }
    return null;
  };

  return (cited) => {
    if (!Array.isArray(cited)) return null;
    const texts = cited.filter((each) => typeof each === "string");
    const looked = texts.slice(0, mostCited).map((text) => ({ text, citation: lookUp(text) }));
    const found = looked.flatMap(({ citation }) => citation ?? []);
    const quoted = looked.flatMap(({ text, citation }) => (citation !== null && citation.quote === null ? [] : [text]));
    return {
      cited: found,
      dropped: texts.length - found.length,
      checked: looked.map(({ text, citation }) => ({
        text: clip(text, longestQuote),
        found: citation !== null,
        span_id: citation?.span_id ?? null,
      })),
      found: looked.length === 0 ? null : rounded(found.length / looked.length),
      tampering: quoted.length > 0 && quoted.every(addressesJudge),
    };
  };
};
