import { type Coding, compressed } from "./compression.ts";
import { tagOfText } from "./entity-tag.ts";

/** A text that answers many requests; its ETag and its compressed forms are computed once. */
export class FixedText {
  readonly text: string;
  readonly bytes: number;
  readonly tag: string;
  /** Headers of its replies, which replace those of the route. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #forms = new Map<Coding, Promise<Buffer>>();

  constructor(text: string, headers: Readonly<Record<string, string>> = {}) {
    this.text = text;
    this.bytes = Buffer.byteLength(text);
    this.tag = tagOfText(text);
    this.headers = headers;
  }

  compressedAs(coding: Coding): Promise<Buffer> {
    const form = this.#forms.get(coding) ?? compressed(this.text, coding, true);
    this.#forms.set(coding, form);
    return form;
  }
}
