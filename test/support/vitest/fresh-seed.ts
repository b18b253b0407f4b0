/**
 * The seed of a random test: a fresh one at each run, so that runs add up, and always the same where a change is judged by
 * whether its tests pass (`CI`): what luck finds there would be blamed on the change.
 */
export const freshSeed = (): number => (process.env["CI"] === undefined ? Math.floor(Math.random() * 1e9) : 20_261_121);
