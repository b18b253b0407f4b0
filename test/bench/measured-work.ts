/** Runs work, prints its measurements as a JSON line (`Measured` of judge-process.ts), and ends the process. */
export const measureWork = async (work: () => Promise<void>, scored: () => Promise<number>): Promise<never> => {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  const { maxRSS } = process.resourceUsage();
  console.log(
    JSON.stringify({ seconds, cpu: (user + system) / 1_000_000, megabytes: maxRSS / 1024, scored: await scored() }),
  );
  process.exit();
};
