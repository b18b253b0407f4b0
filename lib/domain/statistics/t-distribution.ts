import { gammaln } from "simple-statistics";

/** Relative precision of the functions of this file. */
const precision = 1e-14;

/** Smallest magnitude of a term of a continued fraction, in place of a division by zero. */
const tiny = 1e-300;

const awayFromZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);

/**
 * Computes the regularized incomplete beta function by its continued fraction (modified Lentz's method). It converges
 * fast for x below (a + 1) / (a + b + 2); the symmetry of the function serves the others.
 */
const incompleteBeta = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const logFactor = gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x);
  let [numerator, denominator] = [1, 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))];
  let fraction = denominator;
  let change = 0;
  for (let m = 1; Math.abs(change - 1) > precision && m < 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      denominator = 1 / awayFromZero(1 + term * denominator);
      numerator = awayFromZero(1 + term / numerator);
      change = denominator * numerator;
      fraction *= change;
    }
  }
  return (Math.exp(logFactor) * fraction) / a;
};

/** Returns the probability that a t-distributed value lies at least as far from zero as `t`, on either side. */
export const twoSidedTailOfT = (t: number, df: number): number => incompleteBeta(df / (df + t * t), df / 2, 0.5);

/**
 * Returns the quantile of Student's t distribution by Newton's method from below, where it converges monotonically.
 *
 * @param probability at least 0.5 and below 1.
 * @param df degrees of freedom, not necessarily a whole number.
 */
export const quantileOfT = (probability: number, df: number): number => {
  const logDensityAtZero = gammaln((df + 1) / 2) - gammaln(df / 2) - Math.log(df * Math.PI) / 2;
  let t = 0;
  for (let step = Infinity, rounds = 0; Math.abs(step) > precision * t && rounds < 100; rounds += 1) {
    const density = Math.exp(logDensityAtZero - ((df + 1) / 2) * Math.log1p((t * t) / df));
    step = (probability - 1 + twoSidedTailOfT(t, df) / 2) / density;
    t += step;
  }
  return t;
};

/** Returns the largest number of heads in `tosses` of a coin that fewer come up with at most this probability. */
export const quantileOfHeads = (probability: number, tosses: number): number => {
  let [low, high] = [0, tosses];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const isReached = middle >= tosses || incompleteBeta(0.5, tosses - middle, middle + 1) >= probability;
    if (isReached) high = middle;
    else low = middle + 1;
  }
  return low;
};
