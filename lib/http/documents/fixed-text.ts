import { type Coding, compressed } from "./compression.ts";
import { tagOfText } from "./entity-tag.ts";

/** A text that is the answer to many requests: its tag is computed once, and so is each of its compressed forms. */
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

  compressed(coding: Coding): Promise<Buffer> {
    const form = this.#forms.get(coding) ?? compressed(this.text, coding, true);
    this.#forms.set(coding, form);
    return form;
  }
}
