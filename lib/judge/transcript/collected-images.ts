import type { Picture } from "../providers/provider.ts";

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

/** Collects the pictures of a trace that are sent to a judge: each once, in order, up to a number and a size. */
export class CollectedImages {
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
    const isWhole = /^[A-Za-z0-9+/]+={0,2}$/u.test(data) && data.length % 4 === 0;
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
