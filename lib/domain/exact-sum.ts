/**
 * Sums any number of doubles with the rounding error of a single addition (Neumaier's variant of Kahan summation). A
 * sum beyond the largest double is infinite.
 */
export class ExactSum {
  #sum = 0;
  #dropped = 0;

  add(value: number): void {
    const next = this.#sum + value;
    this.#dropped += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - next + value : value - next + this.#sum;
    this.#sum = next;
  }

  /** The sum and its compensation term. Adding both to another sum equals adding this sum's values. */
  get parts(): readonly [sum: number, dropped: number] {
    return [this.#sum, this.#dropped];
  }

  get value(): number {
    return Number.isFinite(this.#sum) ? this.#sum + this.#dropped : this.#sum;
  }
}
