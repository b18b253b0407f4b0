import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { issuerName, localAudience } from "../../infra/local/issuer.ts";
import { type LocalOptions, type LocalStack, startLocal } from "../../infra/local/local-stack.ts";
import type { Assembly } from "../../infra/local/template/template.ts";
import { withClock, withText } from "./assemblies.ts";
import type { Place } from "./people.ts";

/** Placeholder in an assembly for the URL of the issuer's keys, which is chosen at each start. */
export const jwksPlaceholder = "http://127.0.0.1:1/keys-of-the-issuer";

/** Settings with which `npm start` synthesizes the stack, with raised limits. */
export const startContext = {
  stage: "local",
  judgeModel: "offline/rules",
  embeddingModel: "offline/words",
  limitFactor: 100,
  jwt: { issuer: issuerName, jwksUri: jwksPlaceholder, audiences: [localAudience] },
};

/** Options for starting a stack. */
interface Opening extends Omit<Partial<LocalOptions>, "synthesize"> {
  /** Directory of the data. */
  readonly directory: string;
  /** Cloud assembly of `npm start`, with `jwksPlaceholder`. */
  readonly assembly: Assembly;
  /** Directory for temporary files. */
  readonly work: string;
  /** Offset of the functions' clock from the machine's in milliseconds, 0 or negative. */
  readonly ahead?: number;
}

/** Starts a stack on existing data; its schedules never fire without a scheduler clock. */
export const openStack = async ({ assembly, work, ahead = 0, ...options }: Opening): Promise<Place> => {
  const stackDirectory = mkdtempSync(join(work, "stack-"));
  const stack = await startLocal({
    port: 0,
    sharedThreads: true,
    schedulerClock: () => 0,
    ...options,
    synthesize: async (_directory, { jwksUri }) =>
      withClock(withText(assembly, jwksPlaceholder, jwksUri), join(stackDirectory, "clocked"), ahead),
  });
  return { stack, directory: options.directory, now: () => Date.now() + ahead };
};

/** Physical table names of a stack by logical name. */
export const tablesOf = ({ environments }: Pick<LocalStack, "environments">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    environments
      .flatMap((environment) => Object.entries(environment))
      .filter(([variable]) => variable.startsWith("TABLE_"))
      .map(([variable, name]) => [variable.slice("TABLE_".length).toLowerCase(), name]),
  );
