import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import type { Picture } from "../providers/provider.ts";
import { Album } from "./album.ts";
import { isVector, numbersText, withoutNumbers } from "./numbers.ts";

/** Shorter runs are left as they are: ids, hashes and keys. */
const shortest = 200;

const dataUrl = /data:(?<type>[\w.+-]+\/[\w.+-]+)(?:;[\w=."-]+)*;base64,[A-Za-z0-9+/=_-]*/gu;
const oneLine = /[A-Za-z0-9+/_-]{200,}={0,2}/gu;
/** As MIME and PEM write it, in JSON within a string too. */
const wrapped = /(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|\\n)){3,}[A-Za-z0-9+/]{0,76}={0,2}/gu;

/** What the shortest line of wrapped base64 has: a text without so many of its digits in a row holds neither kind. */
const shortestLine = 60;

/** Whether each character below 128 is a digit of base64, of the kind for addresses too. */
const digits = Array.from({ length: 128 }, (_, code) => /[A-Za-z0-9+/_-]/u.test(String.fromCharCode(code)));

const isDigit = (text: string, at: number): boolean => digits[text.charCodeAt(at)] === true;

/**
 * Whether a text has a line's digits in a row. Such a run covers one of any `shortestLine` places in a row, so that few are
 * looked at: the patterns look at each.
 */
const mayHoldBase64 = (text: string): boolean => {
  for (let place = shortestLine - 1; place < text.length; place += shortestLine) {
    if (!isDigit(text, place)) continue;
    let [from, to] = [place, place];
    while (to - from < shortestLine && isDigit(text, from - 1)) from -= 1;
    while (to - from < shortestLine && isDigit(text, to + 1)) to += 1;
    if (to - from + 1 >= shortestLine) return true;
  }
  return false;
};

/** How the base64 of well-known kinds of files begins. */
const beginnings = [
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

const typeOf = (data: string): string | undefined => beginnings.find(([start]) => data.startsWith(start))?.[1];

const bytesOf = (data: string): number => Math.floor((data.replace(/[^A-Za-z0-9+/_-]/gu, "").length * 3) / 4);

const placeholder = (type: string, data: string, album: Album): string => {
  const number = album.numberOf(data);
  return `[${type}, ${bytesOf(data).toLocaleString("en-US")} bytes, ${number === null ? "not shown" : `picture ${number}`}]`;
};

/** Encoded bytes mix capitals, small letters and digits; words, paths and numbers do not so much. */
const isEncoded = (data: string): boolean => {
  const sample = data.slice(0, 160);
  const count = (kind: RegExp): number => sample.match(kind)?.length ?? 0;
  return count(/[A-Z]/gu) >= 20 && count(/[a-z]/gu) >= 20 && count(/\d/gu) >= 8;
};

/**
 * A text in which data URLs and long runs of base64 are replaced by what they are: a judge reads nothing in them, and each
 * takes thousands of tokens. @param type the media type that the text's neighbours tell.
 */
const withoutBinary = (text: string, album: Album, type?: string): string => {
  if (text.length < shortest && !text.startsWith("data:")) return text;
  const replaced = (data: string): string => {
    const kind = type ?? typeOf(data);
    return kind === undefined && !isEncoded(data) ? data : placeholder(kind ?? "base64", data, album);
  };
  const shown = withoutNumbers(text).replace(dataUrl, (url: string, given: string) =>
    placeholder(given, url.slice(url.indexOf(",") + 1), album),
  );
  return mayHoldBase64(shown) ? shown.replace(wrapped, replaced).replace(oneLine, replaced) : shown;
};

const mediaType = /^(?:image|audio|video|application|text)\/[\w.+-]+$/u;

/** What an object says its data is of, as the protocols of model providers write it. */
const typeBeside = (value: Readonly<Record<string, Json>>): string | undefined => {
  const named = ["media_type", "mediaType", "mimeType", "mime_type", "contentType"]
    .map((key) => value[key])
    .find((each) => typeof each === "string" && mediaType.test(each));
  if (typeof named === "string") return named;
  const { format, data } = value;
  return typeof format === "string" && typeof data === "string" && /^[a-z0-9]{2,5}$/u.test(format)
    ? `audio/${format}`
    : undefined;
};

/** Beyond this nothing is looked for: the function recurses. */
const deepest = 200;

/** A value without binary data; the same object where it has none. */
const readable = (value: Json, album: Album, type?: string, depth = 0): Json => {
  if (typeof value === "string") return withoutBinary(value, album, type);
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value) || depth > deepest) return value;
  if (Array.isArray(value)) {
    if (isVector(value)) return numbersText(value.length);
    const items = value.map((item: Json) => readable(item, album, undefined, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const beside = typeBeside(value);
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    const shown = readable(item, album, typeof item === "string" ? beside : undefined, depth + 1);
    changed ||= shown !== item;
    return [key, shown];
  });
  return changed ? Object.fromEntries(entries) : value;
};

const readableObject = (value: JsonObject, album: Album): JsonObject => {
  const shown = readable(value, album);
  return isObject(shown) ? shown : value;
};

const readableSpan = (span: Span, album: Album): Span => ({
  ...span,
  input: readable(span.input, album),
  output: readable(span.output, album),
  error: span.error === null ? null : withoutBinary(span.error, album),
  metadata: readableObject(span.metadata, album),
  model_parameters: span.model_parameters === null ? null : readableObject(span.model_parameters, album),
});

/**
 * A trace as a judge may read it: `[image/png, 90,000 bytes, not shown]` stands in the place of binary data, `[1,536 numbers, not
 * shown]` in that of a vector, and `[image/png, 90,000 bytes, picture 1]` in that of a picture that is sent beside it.
 *
 * @param most pictures that are sent.
 */
export const traceWithPictures = (
  trace: Trace,
  most: number,
): { readonly trace: Trace; readonly pictures: readonly Picture[] } => {
  const album = new Album(most);
  const shown = {
    ...trace,
    input: readable(trace.input, album),
    output: readable(trace.output, album),
    metadata: readableObject(trace.metadata, album),
    spans: trace.spans.map((span) => readableSpan(span, album)),
  };
  return { trace: shown, pictures: album.pictures };
};

/** The same where no picture is sent. */
export const readableTrace = (trace: Trace): Trace => traceWithPictures(trace, 0).trace;
