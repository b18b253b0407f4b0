/**
 * The same text in one piece. A text that was put together holds on to all that it was put together from, and a part of a
 * text to the whole of it: an id of 36 characters takes 371 bytes instead of 67. For what is kept by the million.
 *
 * @param text without lone surrogates, as everything is that was stored.
 */
export const flatText = (text: string): string => Buffer.from(text, "utf8").toString("utf8");

/** What the characters of a text take of memory, or less. Two bytes for each where one is no ASCII. */
export const textBytes = (text: string): number =>
  Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
