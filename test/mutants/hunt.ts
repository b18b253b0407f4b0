/** Hunts a mutant in the tree it lies in, as a process of its own: `node hunt.ts <campaign> <first seed> <seeds>`. Prints what it found as JSON. */
import { huntDown, hunts, type HuntName } from "./hunts.ts";

const [name = "", seed = "1", seeds = "50"] = process.argv.slice(2);
const isHunt = (text: string): text is HuntName => Object.hasOwn(hunts, text);
if (!isHunt(name)) throw new Error(`There is no campaign ${name}.`);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// The workers log every failure that is made to happen.
console.log = () => undefined;
print(JSON.stringify(await huntDown(name, Number(seed), Number(seeds))));
process.exit();
