import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Assembly, Resource } from "../../infra/local/template/template.ts";

const functionType = "AWS::Lambda::Function";
const tableType = "AWS::DynamoDB::Table";
const mappingType = "AWS::Lambda::EventSourceMapping";
const scheduleType = "AWS::Scheduler::Schedule";

/** An assembly with some resources replaced. */
const withResources = (
  { template, assets }: Assembly,
  replace: (resource: Resource, id: string) => Resource,
): Assembly => ({
  template: {
    ...template,
    Resources: Object.fromEntries(Object.entries(template.Resources).map(([id, each]) => [id, replace(each, id)])),
  },
  assets,
});

/**
 * An assembly whose functions are only called by the API, so that tables and streams are not changed in the background.
 * It has no schedules, as the runtime runs scheduled functions at its start, and a sweeper would clean up tables that
 * are being filled.
 */
export const withoutBackgroundWork = ({ template, assets }: Assembly): Assembly => {
  const keptResources = Object.entries(template.Resources).filter(([, { Type }]) => Type !== scheduleType);
  return withResources(
    { template: { ...template, Resources: Object.fromEntries(keptResources) }, assets },
    (resource) =>
      resource.Type === mappingType
        ? { ...resource, Properties: { ...resource.Properties, Enabled: false } }
        : resource,
  );
};

/** An assembly whose tables have no time to live, as its functions run with a different clock than the machine. */
export const withoutExpiry = (assembly: Assembly): Assembly =>
  withResources(assembly, (resource) => {
    if (resource.Type !== tableType) return resource;
    const { TimeToLiveSpecification: _, ...Properties } = resource.Properties ?? {};
    return { ...resource, Properties };
  });

/** An assembly with every occurrence of a text replaced. */
export const withText = ({ template, assets }: Assembly, text: string, replacement: string): Assembly => ({
  template: JSON.parse(
    JSON.stringify(template).replaceAll(JSON.stringify(text).slice(1, -1), JSON.stringify(replacement).slice(1, -1)),
  ) as Assembly["template"],
  assets,
});

/** An assembly whose functions have another value of an environment variable, where they have the variable. */
export const withVariable = (assembly: Assembly, name: string, value: string): Assembly =>
  withResources(assembly, (resource) => {
    const environment = resource.Properties?.["Environment"] as { readonly Variables?: object } | undefined;
    if (resource.Type !== functionType || !Object.hasOwn(environment?.Variables ?? {}, name)) return resource;
    const Variables = { ...environment?.Variables, [name]: value };
    return { ...resource, Properties: { ...resource.Properties, Environment: { Variables } } };
  });

/**
 * Logical ids of an assembly's functions: those called by streams, queues and schedules, and those called by the API.
 */
export const functionIds = ({ template: { Resources } }: Assembly) => {
  const callers = Object.values(Resources).filter(({ Type }) => Type === mappingType || Type === scheduleType);
  const callerText = JSON.stringify(callers);
  const functionIdsOfStack = Object.keys(Resources).filter((id) => Resources[id]?.Type === functionType);
  return {
    background: functionIdsOfStack.filter((id) => callerText.includes(`"${id}"`)),
    api: functionIdsOfStack.filter((id) => !callerText.includes(`"${id}"`)),
  };
};

/** Name of the only function whose name contains a text. */
export const functionNamed = ({ template: { Resources } }: Assembly, part: string): string => {
  const functionIds = Object.keys(Resources).filter((id) => Resources[id]?.Type === functionType && id.includes(part));
  if (functionIds[0] === undefined || functionIds.length > 1)
    throw new Error(`${functionIds.length} functions are named ${part}.`);
  return functionIds[0];
};

/** Name of the sweeper, which repairs data left by crashed processes. */
export const sweeperOf = (assembly: Assembly): string => functionNamed(assembly, "SweepWorker");

const codeKey = (resource: Resource | undefined): string =>
  (resource?.Properties?.["Code"] as { readonly S3Key?: string } | undefined)?.S3Key ?? "";

/** A function of another assembly, with a new key for its bundle, as keys may collide. */
const functionOfOther = (otherAssembly: Assembly, id: string, name = "other") => {
  const resource = otherAssembly.template.Resources[id];
  const asset = otherAssembly.assets.get(codeKey(resource));
  if (resource === undefined || asset === undefined) throw new Error(`The other version has no function ${id}.`);
  const key = `${name}-${codeKey(resource)}`;
  // Log groups belong to the running stack.
  const { LoggingConfig: _, ...otherProperties } = resource.Properties ?? {};
  const Properties = { ...otherProperties, Code: { S3Key: key } };
  return { resource: { ...resource, Properties }, key, asset };
};

/** True for a role that API Gateway assumes to call functions, of which today's version may lack some. */
const isInvokeRole = ({ Properties }: Resource): boolean =>
  JSON.stringify(Properties?.["AssumeRolePolicyDocument"] ?? "").includes("apigateway.amazonaws.com");

/**
 * An assembly with the log groups and the functions' roles of both versions: CloudFormation deletes the previous ones at the end of a
 * deployment. The gateway is today's.
 */
const withRolesOf = ({ template, assets }: Assembly, otherAssembly: Assembly): Assembly => {
  const roles = Object.entries(otherAssembly.template.Resources).filter(
    ([, resource]) =>
      (resource.Type === "AWS::IAM::Role" && !isInvokeRole(resource)) || resource.Type === "AWS::Logs::LogGroup",
  );
  return { template: { ...template, Resources: { ...Object.fromEntries(roles), ...template.Resources } }, assets };
};

/** An assembly with the workers of both versions: CloudFormation deletes those that only the previous one has at the end of a deployment. */
const withWorkersOf = (assembly: Assembly, otherAssembly: Assembly): Assembly => {
  const { Resources } = assembly.template;
  const mappings = Object.entries(otherAssembly.template.Resources).filter(
    ([id, { Type }]) => Type === mappingType && Resources[id] === undefined,
  );
  const workers = mappings.map(([, { Properties }]) => {
    const id = (Properties?.["FunctionName"] as { readonly Ref: string } | undefined)?.Ref ?? "";
    return { id, ...functionOfOther(otherAssembly, id, "removed") };
  });
  return {
    template: {
      ...assembly.template,
      Resources: {
        ...Resources,
        ...Object.fromEntries(mappings),
        ...Object.fromEntries(workers.map(({ id, resource }) => [id, resource])),
      },
    },
    assets: new Map([...assembly.assets, ...workers.map(({ key, asset }): [string, string] => [key, asset])]),
  };
};

/**
 * An assembly in the middle of a deployment: some functions are from the other version, everything else is unchanged.
 * @param ids ids of the functions to replace; functions missing in the other version are unchanged. With workers among them those that
 *   only the other version has are added.
 */
export const withFunctionsOf = (newAssembly: Assembly, otherAssembly: Assembly, ids: readonly string[]): Assembly => {
  const hasWorkers = functionIds(newAssembly).background.some((id) => ids.includes(id));
  const assembly = hasWorkers ? withWorkersOf(newAssembly, otherAssembly) : newAssembly;
  const theirs = ids.filter((id) => otherAssembly.template.Resources[id] !== undefined);
  const assetsById = new Map(theirs.map((id) => [id, functionOfOther(otherAssembly, id)]));
  const mixed = withResources(
    withRolesOf(assembly, otherAssembly),
    (resource, id) => assetsById.get(id)?.resource ?? resource,
  );
  const bundles = [...assetsById.values()].map(({ key, asset }): [string, string] => [key, asset]);
  return { ...mixed, assets: new Map([...assembly.assets, ...bundles]) };
};

/** An assembly with an additional function from another version, which nothing calls. */
export const withFunctionBeside = (assembly: Assembly, otherAssembly: Assembly, id: string, name: string): Assembly => {
  const { template, assets } = withRolesOf(assembly, otherAssembly);
  const { resource, key, asset } = functionOfOther(otherAssembly, id, name);
  return {
    template: { ...template, Resources: { ...template.Resources, [name]: resource } },
    assets: new Map([...assets, [key, asset]]),
  };
};

/** An assembly in which no queue or stream calls a function. */
export const withoutCallsOf = (assembly: Assembly, functionId: string): Assembly =>
  withResources(assembly, (resource) =>
    resource.Type === mappingType && JSON.stringify(resource.Properties).includes(`"${functionId}"`)
      ? { ...resource, Properties: { ...resource.Properties, Enabled: false } }
      : resource,
  );

const clock = (ahead: number): string => `
export const ahead = ${ahead};
const Machine = Date;
globalThis.Date = class Date extends Machine {
  constructor(...given) {
    if (given.length === 0) super(Machine.now() + ahead);
    else super(...given);
  }
  static now() {
    return Machine.now() + ahead;
  }
};
`;

/** The remaining time of a call uses the machine's clock. */
const clocked = (bundle: string): string => `
import { ahead } from "../clock.mjs";
import { handler as given } from ${JSON.stringify(bundle)};
const handled = (...all) => {
  const context = all.pop();
  const getRemainingTimeInMillis = () => context.getRemainingTimeInMillis() + ahead;
  return given(...all, { ...context, getRemainingTimeInMillis });
};
export const handler = Object.assign(handled, given);
`;

/**
 * An assembly whose functions have a clock behind the machine's. Bundles are loaded unchanged after the clock is set.
 * @param directory directory for the files that set the clock.
 * @param ahead clock offset in milliseconds, 0 or negative.
 */
export const withClock = ({ template, assets }: Assembly, directory: string, ahead: number): Assembly => {
  if (ahead > 0) throw new RangeError("The clock of functions can only be behind the machine's.");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "clock.mjs"), clock(ahead));
  const assetEntries = [...assets].map(([key, asset]): [string, string] => {
    const to = join(directory, key);
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, "index.mjs"), clocked(pathToFileURL(join(asset, "index.mjs")).href));
    return [key, to];
  });
  return { template, assets: new Map(assetEntries) };
};
