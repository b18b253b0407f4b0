/**
 * Adds doubles up, in any number, with the error of one addition: what each addition drops is added up beside it (Neumaier's
 * variant of Kahan's sum). A sum beyond the largest double is infinite.
 */
export class ExactSum {
  #sum = 0;
  #dropped = 0;

  add(value: number): void {
    const next = this.#sum + value;
    this.#dropped += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - next + value : value - next + this.#sum;
    this.#sum = next;
  }

  /** The sum and what additions to it have dropped: added to another sum one by one, they are this sum. */
  get parts(): readonly [sum: number, dropped: number] {
    return [this.#sum, this.#dropped];
  }

  get value(): number {
    return Number.isFinite(this.#sum) ? this.#sum + this.#dropped : this.#sum;
  }
}
