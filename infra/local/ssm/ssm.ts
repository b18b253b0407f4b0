import { serveJson, ServiceError } from "../host/json-server.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import { arn } from "../template/arn.ts";

/** Parameter values by name. */
export type Parameters = ReadonlyMap<string, string>;

/**
 * Starts the JSON API of SSM's Parameter Store: GetParameter and GetParameters.
 *
 * Not supported: all other operations (PutParameter, paths, history, labels, policies); values are never encrypted, so
 * `WithDecryption` changes nothing; every version is 1.
 */
export const startSsm = async (parameters: Parameters): Promise<Endpoint> => {
  const parameter = (name: string) => {
    const value = parameters.get(name);
    const ARN = arn("ssm", `parameter${name.startsWith("/") ? "" : "/"}${name}`);
    return value === undefined
      ? undefined
      : { Name: name, Type: "String", Value: value, Version: 1, ARN, DataType: "text" };
  };
  const operations: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => unknown>> = {
    GetParameter: ({ Name }) => {
      const result = parameter(String(Name));
      if (result === undefined) throw new ServiceError("ParameterNotFound", `Parameter ${String(Name)} not found.`);
      return { Parameter: result };
    },
    GetParameters: ({ Names }) => {
      const names = (Names as string[]).map((name) => ({ name, result: parameter(name) }));
      return {
        Parameters: names.flatMap(({ result }) => (result === undefined ? [] : [result])),
        InvalidParameters: names.filter(({ result }) => result === undefined).map(({ name }) => name),
      };
    },
  };
  return serveJson(({ headers, body }) => {
    const name = String(headers["x-amz-target"]).split(".")[1] ?? "";
    const operation = operations[name];
    if (operation === undefined)
      throw new ServiceError("UnknownOperationException", `The local SSM does not support ${name}.`);
    return operation(body);
  });
};
