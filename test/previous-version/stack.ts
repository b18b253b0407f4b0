import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { issuerName, localAudience } from "../../infra/local/issuer.ts";
import { type LocalOptions, type LocalStack, startLocal } from "../../infra/local/local-stack.ts";
import type { Assembly } from "../../infra/local/template/template.ts";
import { withClock, withText } from "./assemblies.ts";
import { withOneFunction } from "./one-function.ts";
import type { Place } from "./people.ts";

/** Stands in an assembly, the fixture's too, for the address of the issuer's keys, which each start chooses anew. */
const placeholder = "http://127.0.0.1:1/keys-of-the-issuer";

/** The settings that `npm start` synthesizes the stack with, its limits far off. */
export const startContext = {
  stage: "local",
  judgeModel: "offline/rules",
  embeddingModel: "offline/words",
  limitFactor: 100,
  jwt: { issuer: issuerName, jwksUri: placeholder, audiences: [localAudience] },
};

/** What a stack is started with. */
interface Opening extends Omit<Partial<LocalOptions>, "synthesize"> {
  /** Where its data lies. */
  readonly directory: string;
  /** Synthesized with `startContext`. */
  readonly assembly: Assembly;
  /** A directory for what is written beside it. */
  readonly work: string;
  /** Milliseconds by which the functions' clock is ahead of the machine's, 0 or less. */
  readonly ahead?: number;
}

/** Starts a stack on some data; its schedules are never due unless it is given a clock. */
export const openStack = async ({ assembly, work, ahead = 0, ...options }: Opening): Promise<Place> => {
  const own = mkdtempSync(join(work, "stack-"));
  const stack = await startLocal({
    port: 0,
    warmFunctions: 200,
    schedulerClock: () => 0,
    ...options,
    synthesize: async (_directory, { jwksUri }) =>
      withClock(
        withOneFunction(withText(assembly, placeholder, jwksUri), join(own, "bundles")),
        join(own, "clocked"),
        ahead,
      ),
  });
  return { stack, directory: options.directory, now: () => Date.now() + ahead };
};

/** The tables of a stack: physical names by the names that its functions know them by. */
export const tablesOf = ({ environments }: Pick<LocalStack, "environments">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    environments
      .flatMap((environment) => Object.entries(environment))
      .filter(([variable]) => variable.startsWith("TABLE_"))
      .map(([variable, name]) => [variable.slice("TABLE_".length).toLowerCase(), name]),
  );
