import { dirname } from "node:path";
import { accessKeyOf, localSecret } from "../iam/access-key.ts";
import { awsLocation } from "../template/arn.ts";
import type { FunctionDefinition } from "./function-definition.ts";

/** Addresses of the local AWS services by the SDK's service id: `DYNAMODB`, `SQS`. */
export type Endpoints = Readonly<Record<string, string>>;

/** Builds the complete environment of a function: the template's variables and those that Lambda adds, none of the shell. */
export const functionEnvironment = (
  { name, file, memory, handler, environment }: FunctionDefinition,
  endpoints: Endpoints,
  compileCache: string,
): Record<string, string> => ({
  ...environment,
  ...Object.fromEntries(Object.entries(endpoints).map(([service, url]) => [`AWS_ENDPOINT_URL_${service}`, url])),
  AWS_REGION: awsLocation.region,
  AWS_DEFAULT_REGION: awsLocation.region,
  // The key id identifies the calling function to the local services.
  AWS_ACCESS_KEY_ID: accessKeyOf(name),
  AWS_SECRET_ACCESS_KEY: localSecret,
  AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
  LAMBDA_TASK_ROOT: dirname(file),
  _HANDLER: `index.${handler}`,
  TZ: ":UTC",
  LANG: "en_US.UTF-8",
  NODE_COMPILE_CACHE: compileCache,
});
