import { inflateRawSync } from "node:zlib";

/** First byte of a text that was deflated with a dictionary. No deflate stream begins so: block type 3 is reserved. */
const dictionaryMark = 0b111;

/** Bytes of output that zlib reserves: its default of 16 KB costs more than inflating. */
const inflatedBytes = (packed: Uint8Array): number => Math.max(1024, 4 * packed.length);

/**
 * A form of short texts that resemble each other: deflate refers to a dictionary instead of storing what they share.
 *
 * @param words the dictionary, below 32 KB, the most frequent at its end. **It never changes**, as stored texts are
 *   unreadable without it: another one needs another first byte.
 */
export const dictionaryTexts = (words: string) => {
  const dictionary = Buffer.from(words);

  return {
    /**
     * Inflates a text, deflated with the dictionary or, as earlier builds stored it, without.
     *
     * @throws Error when the bytes are not a packed text.
     */
    unpack: (packed: Uint8Array): string => {
      const options = { chunkSize: inflatedBytes(packed) };
      const inflated =
        packed[0] === dictionaryMark
          ? inflateRawSync(packed.subarray(1), { ...options, dictionary })
          : inflateRawSync(packed, options);
      return inflated.toString("utf8");
    },
  };
};
