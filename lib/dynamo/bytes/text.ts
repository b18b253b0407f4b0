import type { ByteReader } from "./reader.ts";
import type { ByteWriter } from "./writer.ts";
import storedWords from "./words.json" with { type: "json" };

/**
 * Dictionary of texts that many traces contain; a row stores a text's index. Indexes are stored: append words, never
 * move or remove one. The first 42 indexes take one byte.
 */
export const words: readonly string[] = storedWords;

const numbers = new Map(words.map((word, number) => [word, number]));

/** Returns the index of a dictionary word; undefined for any other text. */
const numberOfWord = (text: string): number | undefined => numbers.get(text);

const finalUuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Encodes a UUID of 36 characters as 16 bytes. */
export const uuidBytes = (id: string): Buffer => Buffer.from(id.replaceAll("-", ""), "hex");

/** Returns the UUID of 16 bytes, in lower case. */
export const uuidOf = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/**
 * Form of a stored text. A text is stored as a number and the bytes that follow it. The number is 0 for null, else 1
 * + 3 × (byte length, or number of a dictionary word) + form. Texts often end with a UUID, as in `session-…`: stored
 * as 16 bytes instead of 36.
 */
const forms = { plain: 0, beforeUuid: 1, word: 2 } as const;
const formCount = 3;

/** Writes a text or null. */
export const writeText = (writer: ByteWriter, text: string | null): void => {
  if (text === null) {
    writer.whole(0);
    return;
  }
  const word = numberOfWord(text);
  if (word !== undefined) {
    writer.whole(1 + word * formCount + forms.word);
    return;
  }
  const uuid = finalUuid.exec(text);
  const head = Buffer.from(uuid === null ? text : text.slice(0, uuid.index), "utf8");
  writer.whole(1 + head.length * formCount + (uuid === null ? forms.plain : forms.beforeUuid));
  writer.raw(head);
  if (uuid !== null) writer.raw(uuidBytes(uuid[0]));
};

/** Reads a text or null. @throws RangeError when the text is a dictionary word unknown to this version of the code. */
export const readText = (reader: ByteReader): string | null => {
  const tag = reader.whole();
  if (tag === 0) return null;
  const form = (tag - 1) % formCount;
  const number = (tag - 1 - form) / formCount;
  if (form !== forms.word) {
    const head = reader.text(number);
    return form === forms.plain ? head : head + uuidOf(reader.raw(16));
  }
  const word = words[number];
  if (word === undefined) throw new RangeError("The packed item has an unknown dictionary word.");
  return word;
};

/** Skips a text. */
export const skipText = (reader: ByteReader): void => {
  const tag = reader.whole();
  const form = (tag - 1) % formCount;
  if (tag === 0 || form === forms.word) return;
  reader.skip((tag - 1 - form) / formCount + (form === forms.plain ? 0 : 16));
};
