/** Prints a ratio and its limit; a ratio above it lets the command fail at its end. */
export const checkRatio = (name: string, value: number, peer: number, limit: number): void => {
  const ratio = value / peer;
  console.log(`${name}: ${ratio.toFixed(2)} times, at most ${limit}`);
  if (!(ratio <= limit)) {
    console.error(`The ratio of ${name} is above its limit.`);
    process.exitCode = 1;
  }
};
