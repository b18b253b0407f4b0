import { type Coding, compressed } from "./compression.ts";
import { tagOfText } from "./entity-tag.ts";

/** A text that answers many requests; its ETag and its compressed forms are computed once. */
export class FixedText {
  readonly text: string;
  readonly bytes: number;
  readonly tag: string;
  readonly #forms = new Map<Coding, Promise<Buffer>>();

  constructor(text: string) {
    this.text = text;
    this.bytes = Buffer.byteLength(text);
    this.tag = tagOfText(text);
  }

  compressedAs(coding: Coding): Promise<Buffer> {
    const form = this.#forms.get(coding) ?? compressed(this.text, coding, true);
    this.#forms.set(coding, form);
    return form;
  }
}
