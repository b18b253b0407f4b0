import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalOptions, type LocalStack, startLocal } from "../../../infra/local/local-stack.ts";
import { tableNames, tableVariable } from "../../../lib/dynamo/table.ts";
import { bearerToken } from "../../../infra/local/bearer-token.ts";
import { bootstrap } from "../../../infra/local/bootstrap.ts";
import { synthesize, synthesizeForDevelopment } from "../../../infra/local/synth.ts";
import { sharedBuilds } from "./shared-builds.ts";

/** An organization with an API key and its owner. */
export interface Tenant {
  readonly apiKey: string;
  readonly bearerToken: string;
  readonly projectId: string;
  readonly projectName: string;
}

/** Connection data of a running service; serializable, to be passed to other processes. */
export interface Service {
  readonly baseUrl: string;
  readonly tenant: Tenant;
  /** A second organization that shares nothing with the first. */
  readonly stranger: Tenant;
  /** Physical names that no reply may contain. */
  readonly hidden: readonly string[];
}

/** A running service started for a test. */
export interface RunningService extends Service {
  readonly stack: LocalStack;
  readonly directory: string;
  close(): Promise<void>;
}

const tenantsOf = async (stack: LocalStack, directory: string): Promise<Pick<Service, "tenant" | "stranger">> => {
  const ground = { environments: stack.environments, dynamoDbUrl: stack.endpoints.DYNAMODB };
  const stranger = await bootstrap(mkdtempSync(join(directory, "stranger-")), ground);
  const strangerToken = await bearerToken(stack.issuer, stranger);
  return {
    tenant: { ...stack.credentials, bearerToken: stack.bearerToken },
    stranger: { ...stranger, bearerToken: strangerToken },
  };
};

/**
 * Starts the whole service in a temporary directory that is removed on close. Its functions share code and two threads, unless
 * `sharedThreads` is false: tests that kill or time out a function, and figures, need the bundles that are deployed and a sandbox for
 * each function. By default the limit factor is 100, so that no test reaches a rate limit by chance. Each further combination of
 * settings is synthesized once, which takes seconds.
 */
export const startService = async (options: Partial<LocalOptions> = {}): Promise<RunningService> => {
  const directory = mkdtempSync(join(tmpdir(), "assay-api-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  try {
    const { sharedThreads = true } = options;
    const synthesis = sharedThreads ? synthesizeForDevelopment : synthesize;
    const shared = { directory, port: 0, limitFactor: 100, builds: sharedBuilds, sharedThreads, synthesize: synthesis };
    const stack = await startLocal({ ...shared, ...options });
    const hidden = tableNames.flatMap((table) =>
      stack.environments.flatMap((environment) => environment[tableVariable(table)] ?? []),
    );
    return {
      baseUrl: stack.baseUrl,
      ...(await tenantsOf(stack, directory)),
      hidden: [...new Set(hidden)],
      stack,
      directory,
      close: async () => {
        await stack.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
};
