import type { Picture } from "../providers/provider.ts";

/** What is sent of a picture at most, and of all of a question, bytes: less than any provider takes. */
const [largest, largestTogether] = [3_750_000, 10_000_000];

/** How the base64 of kinds begins that judges see; what a neighbour says of it is not believed. */
const kinds = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
] as const satisfies readonly (readonly [string, Picture["type"]])[];

/** `RIFF`, four bytes of length, `WEBP`. */
const webp = /^UklGR.{6}V0VCU/u;

const kindOf = (data: string): Picture["type"] | undefined =>
  kinds.find(([start]) => data.startsWith(start))?.[1] ?? (webp.test(data.slice(0, 16)) ? "image/webp" : undefined);

/** The pictures of a trace that a judge is sent: the first ones, each once, as many as it may have. */
export class Album {
  readonly pictures: Picture[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #most: number;
  #left = largestTogether;

  /** @param most pictures; 0: the judge does not see. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The number of a picture, from 1; null of what is none or is not sent. @param data base64. */
  numberOf(data: string): number | null {
    if (this.#most === 0) return null;
    const known = this.#numbers.get(data);
    if (known !== undefined) return known;
    const type = kindOf(data);
    const bytes = (data.length * 3) / 4;
    const isWhole = /^[A-Za-z0-9+/]+={0,2}$/u.test(data) && data.length % 4 === 0;
    if (
      type === undefined ||
      !isWhole ||
      bytes > largest ||
      bytes > this.#left ||
      this.pictures.length === this.#most
    ) {
      return null;
    }
    this.#left -= bytes;
    const number = this.pictures.push({ type, data });
    this.#numbers.set(data, number);
    return number;
  }
}
