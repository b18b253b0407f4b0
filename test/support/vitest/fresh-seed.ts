/**
 * Seed of a randomized test: new for each run, so that coverage grows, but constant with `CI` set, so that a change is
 * not blamed for an unlucky draw.
 */
export const freshSeed = (): number => (process.env["CI"] === undefined ? Math.floor(Math.random() * 1e9) : 20_261_121);
