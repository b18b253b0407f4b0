/** An answer that is told by less than itself: who has it already is not sent it, and it need not be made. */
export class Identified<Answer> {
  /** JSON values from which the answer follows, with the code; never of a newer state than the answer's. */
  readonly identity: readonly unknown[];
  readonly read: () => Answer | Promise<Answer>;

  constructor(identity: readonly unknown[], read: () => Answer | Promise<Answer>) {
    this.identity = identity;
    this.read = read;
  }
}
