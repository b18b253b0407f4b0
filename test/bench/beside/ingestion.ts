import Table from "cli-table3";
import { median } from "../median.ts";
import { exportAll, makeSpans } from "./exports.ts";
import { cpuOf, peerProgram, type Program, startAssay, startMlflow, untilIdle } from "./programs.ts";
import { checkRatio } from "./ratio.ts";

/** Traces of an export, spans of a trace, exports of a round, and the most CPU time beside MLflow's. */
const shapes = [
  { traces: 200, spans: 2, exports: 4, limit: 1.5 },
  { traces: 10, spans: 10, exports: 16, limit: 1.2 },
  { traces: 1, spans: 100, exports: 16, limit: 1 },
] as const;

const rounds = 3;

/** Megabytes of the whole service after the load. */
const memoryLimit = 700;

const measureRound = async (program: Program, { traces, spans, exports }: (typeof shapes)[number]) => {
  const batches = Array.from({ length: exports }, () => makeSpans(traces, spans));
  const before = cpuOf(program.usage());
  const from = performance.now();
  const failures = await exportAll(program, batches);
  const seconds = (performance.now() - from) / 1000;
  await untilIdle(program);
  return { cpu: cpuOf(program.usage()) - before, seconds, failures };
};

/** Prints the CPU time of ingestion beside MLflow's, in one run with alternating rounds; the first round of each warms it up. */
export const benchIngestionBeside = async (): Promise<void> => {
  const peer = peerProgram("BENCH_MLFLOW", "mlflow");
  if (peer === null) return;
  const programs = { assay: await startAssay(), mlflow: await startMlflow(peer) };
  try {
    const head = ["an export", "", "CPU ms a span", "seconds a round", "failed exports"];
    const table = new Table({ head, style: { head: [], border: [] } });
    for (const shape of shapes) {
      const name = `${shape.traces} traces of ${shape.spans} spans`;
      const results = { assay: [] as number[], mlflow: [] as number[] };
      const others = { assay: { seconds: 0, failures: 0 }, mlflow: { seconds: 0, failures: 0 } };
      for (let round = 0; round <= rounds; round += 1) {
        for (const key of ["assay", "mlflow"] as const) {
          const { cpu, seconds, failures } = await measureRound(programs[key], shape);
          if (round > 0) results[key].push((cpu * 1000) / (shape.traces * shape.spans * shape.exports));
          others[key] = { seconds, failures: others[key].failures + failures };
        }
      }
      for (const key of ["assay", "mlflow"] as const) {
        const { seconds, failures } = others[key];
        table.push([name, key, median(results[key]).toFixed(2), seconds.toFixed(1), failures]);
      }
      checkRatio(`ingestion of ${name}`, median(results.assay), median(results.mlflow), shape.limit);
    }
    console.log(table.toString());
    const megabytes = programs.assay.usage().reduce((sum, each) => sum + each.megabytes, 0);
    checkRatio("memory after the load, beside its limit", megabytes, memoryLimit, 1);
  } finally {
    await Promise.all([programs.assay.stop(), programs.mlflow.stop()]);
  }
};
