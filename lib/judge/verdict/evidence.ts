import type { Citation, Evidence } from "../../domain/scores/evidence.ts";
import type { Json } from "../../domain/json.ts";
import { rounded } from "../../domain/scores/score.ts";
import { clip } from "../transcript/clip.ts";
import type { TranscriptSection } from "../transcript/shorten.ts";
import { addressesJudge } from "./tampering.ts";

/** Maximum number of citations checked per answer; a prompt requests five, or one or two per statement. */
export const maxCitations = 10;
const maxQuoteLength = 300;
/** Minimum characters of a quotation; shorter texts occur everywhere. */
const minQuoteLength = 4;

/** A span number at the beginning of a citation: `#3`, `span 3`, `[#3`, or the beginning of the span's line. */
const leadingSpanNumber = /^[\s([]*(?:[b-z]{4}\s+)?(?:span\s+#?|#)(\d+)\b/iu;
/** Further span numbers of a citation such as `#3, #5`, of which only the first number is kept. */
const furtherNumbers = /^(?:\s*(?:,|and|to|-|–|\/)?\s*(?:span\s+)?#?\d+)+\s*$/iu;
/** A label between a span's number and the quotation. */
const partLabel = /^[^:"“]{0,40}:\s*/u;
const onlyLabel = /^[\s\])}.,:;-]*(?:input|output|error|metadata|parameters)?[\s\])}.,:;-]*$/iu;
const quotationMarks = /^[\s"'`“”‘’«»]+|[\s"'`“”‘’«»]+[.,;]?$/gu;
const innerQuote = /["“«`]([^"“”«»`]+)["”»`]/u;
const omission = /\s*(?:\[?\.{3}\]?|…)\s*/u;

const oneSpaced = (text: string): string => text.replace(/\s+/gu, " ").trim();
/** Normalises case, spaces and JSON escapes: judges quote JSON with and without them. */
const comparable = (text: string): string =>
  oneSpaced(
    text
      .replace(/\\[nrt]/gu, " ")
      .replace(/\\(["\\/])/gu, "$1")
      .toLowerCase(),
  );

/** Text of a span in the transcript, or of the trace itself. */
interface SpanText {
  readonly spanId: string | null;
  readonly number: number | null;
  readonly text: string;
}

/** Splits a quotation at its ellipses; any text may stand between the parts. */
const partsOf = (quotation: string): readonly string[] => comparable(quotation).split(omission);

/** True if a text contains the parts of a quotation in their order. */
const containsInOrder = (text: string, parts: readonly string[]): boolean => {
  let from = 0;
  for (const part of parts) {
    const at = part.length < minQuoteLength ? -1 : text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
};

const quotationsIn = (citation: string, quotation: string): ReadonlySet<string> =>
  new Set(
    [citation, quotation, quotation.replace(partLabel, ""), innerQuote.exec(quotation)?.[1] ?? ""]
      .map((text) => oneSpaced(text.replace(quotationMarks, "")))
      .filter(({ length }) => length >= minQuoteLength),
  );

/** A checked citation as stored in a score's metadata. */
interface CheckedCitation {
  readonly text: string;
  readonly found: boolean;
  readonly span_id: string | null;
}

/** Citations of a judge, checked against the material. */
export interface CheckedEvidence extends Evidence {
  readonly checked: readonly CheckedCitation[];
  /** Share of the checked citations found in the material, 0 to 1; null without citations. */
  readonly foundShare: number | null;
  /** True if every quotation addresses the judge: the verdict rests on an attempt to influence it. */
  readonly tampering: boolean;
}

/**
 * Creates a function that checks citations against the transcript shown to the judge. A quotation must occur in it, ignoring
 * case, spaces and omitted parts; a span number must exist. Other citations are dropped and counted.
 */
export const evidenceIn = (
  sections: readonly TranscriptSection[],
): ((cited: Json | undefined) => CheckedEvidence | null) => {
  const spanTexts: readonly SpanText[] = [...Map.groupBy(sections, ({ span }) => span?.number ?? null)].map(
    ([number, spanSections]): SpanText => ({
      spanId: spanSections[0]?.span?.id ?? null,
      number,
      text: comparable(spanSections.map(({ head, body }) => `${head} ${body}`).join(" ")),
    }),
  );

  const locate = (citation: string): Citation | null => {
    const spanNumber = leadingSpanNumber.exec(citation);
    const quotedText = citation.slice(spanNumber?.[0].length ?? 0);
    const span = spanNumber === null ? undefined : spanTexts.find(({ number }) => number === Number(spanNumber[1]));
    if (span !== undefined && (onlyLabel.test(quotedText) || furtherNumbers.test(quotedText))) {
      return { span_id: span.spanId, quote: null };
    }
    const candidates = span === undefined ? spanTexts : [span, ...spanTexts];
    for (const quotation of quotationsIn(citation, quotedText)) {
      const parts = partsOf(quotation);
      const citedText = candidates.find(({ text }) => containsInOrder(text, parts));
      if (citedText !== undefined) return { span_id: citedText.spanId, quote: clip(quotation, maxQuoteLength) };
    }
    return null;
  };

  return (cited) => {
    if (!Array.isArray(cited)) return null;
    const texts = cited.filter((each) => typeof each === "string");
    const checked = texts.slice(0, maxCitations).map((text) => ({ text, citation: locate(text) }));
    const citations = checked.flatMap(({ citation }) => citation ?? []);
    const quotations = checked.flatMap(({ text, citation }) =>
      citation !== null && citation.quote === null ? [] : [text],
    );
    return {
      cited: citations,
      dropped: texts.length - citations.length,
      checked: checked.map(({ text, citation }) => ({
        text: clip(text, maxQuoteLength),
        found: citation !== null,
        span_id: citation?.span_id ?? null,
      })),
      foundShare: checked.length === 0 ? null : rounded(citations.length / checked.length),
      tampering: quotations.length > 0 && quotations.every(addressesJudge),
    };
  };
};
