/**
 * Entry point of a campaign in a mutant's source tree: `node hunt.ts <campaign> <first seed> <seeds>`. Prints the first
 * violation as JSON, or null.
 */
import { findViolation, hunts, type HuntName } from "./hunts.ts";

const [name = "", seed = "1", seeds = "50"] = process.argv.slice(2);
const isHunt = (text: string): text is HuntName => Object.hasOwn(hunts, text);
if (!isHunt(name)) throw new Error(`There is no campaign ${name}.`);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// Workers log every injected failure.
console.log = () => undefined;
print(JSON.stringify(await findViolation(name, Number(seed), Number(seeds))));
process.exit();
