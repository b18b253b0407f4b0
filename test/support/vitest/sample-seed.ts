/** Seed of the samples of this run: `SAMPLE_SEED`, or the number of the day, so that a repeated run draws the same cases, and the runs of eight days draw all. */
export const sampleSeed = process.env["SAMPLE_SEED"] ?? String(Math.floor(Date.now() / 86_400_000));
