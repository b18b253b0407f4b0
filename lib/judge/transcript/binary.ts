import { toDouble, type Json, isObject, type JsonObject } from "../../domain/json.ts";
import type { Picture } from "../providers/provider.ts";
import { bytesOfHex, bytesOfNumbers, bytesOfObject, replaceBytesInText } from "./byte-forms.ts";
import { charactersOf, hasRun } from "./character-run.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";

/** Minimum length of an embedding vector; shorter arrays of numbers are ordinary data. */
const minVectorLength = 128;
/** Minimum share of non-integers in a vector; measurements and counts have fewer. */
const minFractionShare = 0.9;

/** True for an array of numbers that looks like an embedding vector. */
const isVector = (value: readonly Json[]): boolean => {
  if (value.length < minVectorLength) return false;
  let [numbers, fractions] = [0, 0];
  for (const each of value) {
    const number = toDouble(each);
    if (typeof number !== "number") return false;
    numbers += 1;
    if (!Number.isInteger(number)) fractions += 1;
  }
  return fractions >= numbers * minFractionShare;
};

/** Returns the placeholder of a vector with `count` numbers. */
const numbersText = (count: number): string => `[${count.toLocaleString("en-US")} numbers, not shown]`;

// Bounded repetitions, so that matching takes linear time on any text.
const number = String.raw`-?\d{1,20}\.\d{1,25}(?:[eE][-+]?\d{1,3})?`;
const run = new RegExp(String.raw`\[?${number}(?:\s{0,4},\s{0,4}${number}){${minVectorLength - 1},}\]?`, "gu");

/** Replaces vectors in a text (embedded JSON, logs) by placeholders. */
const withoutNumbers = (text: string): string =>
  text.length < minVectorLength * 4 ? text : text.replace(run, (vector) => numbersText(vector.split(",").length));

/** Maximum bytes of one picture and of all pictures of a question: below the limits of every provider. */
const [maxPictureBytes, maxTotalBytes] = [3_750_000, 10_000_000];

/** First base64 characters of supported picture types; the media type in the trace is not trusted. */
const kinds = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
] as const satisfies readonly (readonly [string, Picture["type"]])[];

/** Base64 of a WebP header: `RIFF`, four bytes of length, `WEBP`. */
const webp = /^UklGR.{6}V0VCU/u;

const kindOf = (data: string): Picture["type"] | undefined =>
  kinds.find(([start]) => data.startsWith(start))?.[1] ?? (webp.test(data.slice(0, 16)) ? "image/webp" : undefined);

/** A search for what is no digit: a pattern of all digits would remember each of millions for a step back. */
const otherThanBase64 = /[^A-Za-z0-9+/]/u;
const base64Padding = /={1,2}$/u;

/** Collects the pictures of a trace that are sent to a judge: each once, in order, up to a number and a size. */
class CollectedImages {
  readonly pictures: Picture[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #maxPictures: number;
  #remainingBytes = maxTotalBytes;

  /** @param maxPictures maximum number of pictures; 0 for a model without vision. */
  constructor(maxPictures: number) {
    this.#maxPictures = maxPictures;
  }

  /**
   * Adds a picture unless it is present, and returns its number, from 1; null if the data is not a supported picture or a limit is
   * reached.
   *
   * @param data base64.
   */
  numberOf(data: string): number | null {
    if (this.#maxPictures === 0) return null;
    const existingNumber = this.#numbers.get(data);
    if (existingNumber !== undefined) return existingNumber;
    const type = kindOf(data);
    const bytes = (data.length * 3) / 4;
    const isWhole = data.length % 4 === 0 && !otherThanBase64.test(data.replace(base64Padding, ""));
    if (
      type === undefined ||
      !isWhole ||
      bytes > maxPictureBytes ||
      bytes > this.#remainingBytes ||
      this.pictures.length === this.#maxPictures
    ) {
      return null;
    }
    this.#remainingBytes -= bytes;
    const number = this.pictures.push({ type, data });
    this.#numbers.set(data, number);
    return number;
  }
}

/** Minimum characters of encoded data to replace; shorter runs are ids, hashes and keys. */
const minEncodedLength = 200;

const dataUrl = /data:(?<type>[\w.+-]+\/[\w.+-]+)(?:;[\w=."-]+)*;base64,[A-Za-z0-9+/=_-]*/gu;
const unwrappedBase64 = /[A-Za-z0-9+/_-]{200,}={0,2}/gu;
/**
 * Base64 in lines, as in MIME and PEM, also with line breaks escaped as `\n`. It is searched at the starts of runs only: at each character
 * of a run of megabytes it would take seconds.
 */
const wrappedBase64 = /(?<=^|\\n|[^A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|\\n)){3,}[A-Za-z0-9+/]{0,76}={0,2}/gu;

/** Start of a reference to media that Langfuse's SDKs took out of a value to upload them. */
const mediaReferenceStart = "@@@langfuseMedia:";
const mediaReference =
  /@@@langfuseMedia:type=(?<type>[\w.+-]{1,80}\/[\w.+-]{1,80})\|id=[\w-]{1,80}\|source=\w{1,80}@@@/gu;

/** Minimum length of a line of base64; a text without so long a run of base64 digits contains no base64 data. */
const minLineLength = 60;

const base64Digits = charactersOf(/[A-Za-z0-9+/_-]/u);

/** First base64 characters of well-known file types. */
const fileSignatures = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp or audio/wav"],
  ["JVBERi0", "application/pdf"],
  ["SUQz", "audio/mpeg"],
  ["//uQ", "audio/mpeg"],
  ["T2dnU", "audio/ogg"],
  ["ZkxhQ", "audio/flac"],
  ["AAAAIGZ0eX", "video/mp4"],
  ["UEsDB", "application/zip"],
  ["H4sI", "application/gzip"],
] as const;

const typeOf = (data: string): string | undefined => fileSignatures.find(([start]) => data.startsWith(start))?.[1];

const bytesOf = (data: string): number => Math.floor((data.replace(/[^A-Za-z0-9+/_-]/gu, "").length * 3) / 4);

const placeholder = (type: string, data: string, images: CollectedImages): string => {
  const number = images.numberOf(data);
  return `[${type}, ${bytesOf(data).toLocaleString("en-US")} bytes, ${number === null ? "not shown" : `picture ${number}`}]`;
};

/** Returns the placeholder of bytes that were written in another form than base64. */
const bytesPlaceholder = (form: string, bytes: Buffer, images: CollectedImages): string => {
  const data = bytes.toString("base64");
  return placeholder(typeOf(data) ?? form, data, images);
};

/** True if a text mixes capitals, small letters and digits like base64 data; words, paths and numbers do not. */
const isEncoded = (data: string): boolean => {
  const sample = data.slice(0, 160);
  const count = (kind: RegExp): number => sample.match(kind)?.length ?? 0;
  return count(/[A-Z]/gu) >= 20 && count(/[a-z]/gu) >= 20 && count(/\d/gu) >= 8;
};

/**
 * Replaces data URLs, long base64 runs and bytes in other forms in a text by placeholders such as `[image/png, 90,000 bytes, not shown]`: a judge
 * cannot read them, and each takes thousands of tokens.
 *
 * @param type media type from a neighbouring field of the text, if any.
 */
const replaceBinaryInText = (value: string, images: CollectedImages, type?: string): string => {
  const text = value.includes(mediaReferenceStart) ? value.replace(mediaReference, "[$<type>, not stored]") : value;
  if (text.length < minEncodedLength && !text.startsWith("data:")) return text;
  const replaceRun = (data: string): string => {
    const kind = type ?? typeOf(data);
    const hexBytes = kind === undefined ? bytesOfHex(data) : null;
    if (hexBytes !== null) return bytesPlaceholder("hex", hexBytes, images);
    return kind === undefined && !isEncoded(data) ? data : placeholder(kind ?? "base64", data, images);
  };
  const readableText = replaceBytesInText(withoutNumbers(text), (form, bytes) => bytesPlaceholder(form, bytes, images));
  const result = readableText.replace(dataUrl, (url: string, mediaTypeOfUrl: string) =>
    placeholder(mediaTypeOfUrl, url.slice(url.indexOf(",") + 1), images),
  );
  return hasRun(result, base64Digits, minLineLength)
    ? result.replace(wrappedBase64, replaceRun).replace(unwrappedBase64, replaceRun)
    : result;
};

const mediaType = /^(?:image|audio|video|application|text)\/[\w.+-]+$/u;

/** Returns the media type of an object's data from fields such as `media_type` or `mimeType`; undefined without any. */
const typeBeside = (value: Readonly<Record<string, Json>>): string | undefined => {
  const namedType = ["media_type", "mediaType", "mimeType", "mime_type", "contentType"]
    .map((key) => value[key])
    .find((each) => typeof each === "string" && mediaType.test(each));
  if (typeof namedType === "string") return namedType;
  const { format, data } = value;
  return typeof format === "string" && typeof data === "string" && /^[a-z0-9]{2,5}$/u.test(format)
    ? `audio/${format}`
    : undefined;
};

/** Maximum nesting depth that is searched for binary data; the search is recursive. */
const maxDepth = 200;

/** Replaces binary data in a value; returns the same object if it has none. */
const replaceBinary = (value: Json, images: CollectedImages, type?: string, depth = 0): Json => {
  if (typeof value === "string") return replaceBinaryInText(value, images, type);
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value) || depth > maxDepth) return value;
  if (Array.isArray(value)) {
    if (isVector(value)) return numbersText(value.length);
    const bytes = bytesOfNumbers(value);
    if (bytes !== null) return bytesPlaceholder("bytes", bytes, images);
    const items = value.map((item: Json) => replaceBinary(item, images, undefined, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const objectBytes = bytesOfObject(value);
  if (objectBytes !== null) return bytesPlaceholder("bytes", objectBytes, images);
  const mediaTypeOfData = typeBeside(value);
  let hasChanged = false;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    const readableItem = replaceBinary(item, images, typeof item === "string" ? mediaTypeOfData : undefined, depth + 1);
    hasChanged ||= readableItem !== item;
    return [key, readableItem];
  });
  return hasChanged ? Object.fromEntries(entries) : value;
};

const replaceBinaryInObject = (value: JsonObject, images: CollectedImages): JsonObject => {
  const result = replaceBinary(value, images);
  return isObject(result) ? result : value;
};

const replaceBinaryInSpan = (span: Span, images: CollectedImages): Span => ({
  ...span,
  input: replaceBinary(span.input, images),
  output: replaceBinary(span.output, images),
  error: span.error === null ? null : replaceBinaryInText(span.error, images),
  metadata: replaceBinaryInObject(span.metadata, images),
  model_parameters: span.model_parameters === null ? null : replaceBinaryInObject(span.model_parameters, images),
});

/**
 * Replaces binary data in a trace by placeholders and collects its pictures. `[image/png, 90,000 bytes, not shown]` replaces
 * data, `[1,536 numbers, not shown]` a vector, `[image/png, 90,000 bytes, picture 1]` a picture that is sent with the question.
 *
 * @param maxPictures maximum number of pictures to send.
 */
export const traceWithPictures = (
  trace: Trace,
  maxPictures: number,
): { readonly trace: Trace; readonly pictures: readonly Picture[] } => {
  const images = new CollectedImages(maxPictures);
  const readableTrace = {
    ...trace,
    input: replaceBinary(trace.input, images),
    output: replaceBinary(trace.output, images),
    metadata: replaceBinaryInObject(trace.metadata, images),
    spans: trace.spans.map((span) => replaceBinaryInSpan(span, images)),
  };
  return { trace: readableTrace, pictures: images.pictures };
};

/** Replaces binary data in a trace by placeholders, pictures included. */
export const withoutBinaryData = (trace: Trace): Trace => traceWithPictures(trace, 0).trace;
