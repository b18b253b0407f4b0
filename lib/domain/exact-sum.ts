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

  get value(): number {
    return Number.isFinite(this.#sum) ? this.#sum + this.#dropped : this.#sum;
  }
}
