/**
 * Runs one operation on generated rows in a separate process: `node work.ts <name> <rows> <shape>`. Prints its outcome
 * as JSON.
 */
import { Refusal } from "../../../lib/domain/refusal.ts";
import { rowSource, type RowShape } from "./row-source.ts";
import { isWorkName, works } from "./works.ts";

const [name = "", rows = "0", shape = "usual"] = process.argv.slice(2);
const isShape = (text: string): text is RowShape => ["usual", "longIds", "tagged"].includes(text);
if (!isWorkName(name) || !isShape(shape)) throw new Error(`There is no work ${name} on rows that are ${shape}.`);

const outcome = async (): Promise<string> => {
  try {
    await works[name].run(rowSource(Number(rows), shape));
    return "done";
  } catch (error) {
    if (error instanceof Refusal && error.reason.kind === "invalid") return "refused";
    throw error;
  }
};

const result = await outcome();
const { maxRSS, userCPUTime } = process.resourceUsage();
process.stdout.write(
  JSON.stringify({ ended: result, megabytes: Math.round(maxRSS / 1024), seconds: userCPUTime / 1e6 }),
);
