import Table from "cli-table3";
import type { Route } from "../../lib/contract/route.ts";
import { routes } from "../../lib/contract/routes.ts";
import { startDatabase } from "../support/database/database.ts";
import { calledFunctions } from "../support/loads/called-functions.ts";
import { largestBodies, type Load, loadsOf, type Shape } from "../support/loads/loads.ts";

/** Seconds of a request until its calls end. */
const requestSeconds = 25;

/** Memory in MB at which Lambda gives a function one whole processor. */
const processorMemory = 1_769;

const defaultMemory = 512;

/** Bytes of the large documents, nearly as many as a trace may have. */
const largeBytes = 31_000_000;

/** Runs `work` and returns its CPU seconds, and the most MB of heap and buffers that it had in use beyond those before it. */
const consumption = async (work: () => Promise<unknown>) => {
  const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const [before, cpu] = [used(), process.cpuUsage()];
  let peak = before;
  const watch = (): void => {
    peak = Math.max(peak, used());
  };
  const watching = setInterval(watch, 1);
  await work();
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(watching);
  watch();
  return { seconds: (user + system) / 1e6, megabytes: (peak - before) / 2 ** 20 };
};

/**
 * Measures requests with as many items as their lists may have: CPU, in seconds of the function's share of a processor, and memory. Marks
 * those above a third of the function's time or memory.
 */
export const benchBombs = async (): Promise<void> => {
  const database = await startDatabase();
  const functions = await calledFunctions(database);
  const loads: Readonly<Record<string, Load>> = await loadsOf(functions, largeBytes);
  const table = new Table({ head: ["", "items", "status", "CPU s", "of", "MB", "of", "lookups", ""] });
  const measure = async (route: Route, name: string, count: number, shape: Shape): Promise<void> => {
    const memory = route.memory ?? defaultMemory;
    const sent = await shape(count);
    let result: Awaited<ReturnType<typeof functions.measure>> | undefined;
    const { seconds, megabytes } = await consumption(async () => {
      result = await functions.measure(route, sent, { isSampled: false });
    });
    const lambdaSeconds = (seconds * processorMemory) / memory;
    const isAbove = lambdaSeconds > requestSeconds / 3 || megabytes > memory / 3;
    table.push([
      `${route.id}: ${name}`,
      count,
      result?.status ?? 0,
      lambdaSeconds.toFixed(1),
      requestSeconds,
      Math.round(megabytes),
      memory,
      result?.cost.lookups ?? 0,
      isAbove ? "above a third" : "",
    ]);
  };
  for (const [id, { largest = 100, shapes, readOnce }] of Object.entries(loads)) {
    const route = routes.find((each) => each.id === id);
    if (route === undefined) throw new Error(`There is no route ${id}.`);
    for (const [name, shape] of Object.entries({ ...shapes, ...readOnce })) await measure(route, name, largest, shape);
    for (const [name, { text }] of Object.entries(largestBodies)) await measure(route, name, 1, () => ({ text }));
  }
  console.log(table.toString());
  functions.close();
  await database.close();
};
