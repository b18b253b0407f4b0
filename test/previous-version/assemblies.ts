import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Assembly, Resource } from "../../infra/local/template/template.ts";

const functionType = "AWS::Lambda::Function";
const tableType = "AWS::DynamoDB::Table";
const mappingType = "AWS::Lambda::EventSourceMapping";
const scheduleType = "AWS::Scheduler::Schedule";

/** An assembly with some of its resources replaced. */
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
 * An assembly whose functions nobody calls but the API: what lies in tables and streams stays as it is. It has no schedules:
 * the runtime calls what is scheduled at its start, and a sweeper takes tables that are being filled for the remains of dead writers.
 */
export const quiet = ({ template, assets }: Assembly): Assembly => {
  const called = Object.entries(template.Resources).filter(([, { Type }]) => Type !== scheduleType);
  return withResources({ template: { ...template, Resources: Object.fromEntries(called) }, assets }, (resource) =>
    resource.Type === mappingType ? { ...resource, Properties: { ...resource.Properties, Enabled: false } } : resource,
  );
};

/** An assembly whose tables delete nothing by the machine's clock: the functions, whose clock is another, tell what has expired. */
export const withoutExpiry = (assembly: Assembly): Assembly =>
  withResources(assembly, (resource) => {
    if (resource.Type !== tableType) return resource;
    const { TimeToLiveSpecification: _, ...Properties } = resource.Properties ?? {};
    return { ...resource, Properties };
  });

/** An assembly with another text in the place of each occurrence of one. */
export const withText = ({ template, assets }: Assembly, text: string, other: string): Assembly => ({
  template: JSON.parse(
    JSON.stringify(template).replaceAll(JSON.stringify(text).slice(1, -1), JSON.stringify(other).slice(1, -1)),
  ) as Assembly["template"],
  assets,
});

/** An assembly whose functions have a variable of another value, where they have it. */
export const withVariable = (assembly: Assembly, name: string, value: string): Assembly =>
  withResources(assembly, (resource) => {
    const environment = resource.Properties?.["Environment"] as { readonly Variables?: object } | undefined;
    if (resource.Type !== functionType || !Object.hasOwn(environment?.Variables ?? {}, name)) return resource;
    const Variables = { ...environment?.Variables, [name]: value };
    return { ...resource, Properties: { ...resource.Properties, Environment: { Variables } } };
  });

/** The logical ids of an assembly's functions: those that streams, queues and schedules call, and those that the API does. */
export const functionIds = ({ template: { Resources } }: Assembly) => {
  const callers = Object.values(Resources).filter(({ Type }) => Type === mappingType || Type === scheduleType);
  const called = JSON.stringify(callers);
  const all = Object.keys(Resources).filter((id) => Resources[id]?.Type === functionType);
  return {
    background: all.filter((id) => called.includes(`"${id}"`)),
    api: all.filter((id) => !called.includes(`"${id}"`)),
  };
};

/** The name of the one function whose name has a part. */
export const functionNamed = ({ template: { Resources } }: Assembly, part: string): string => {
  const found = Object.keys(Resources).filter((id) => Resources[id]?.Type === functionType && id.includes(part));
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} functions are named ${part}.`);
  return found[0];
};

/** What repairs what a dead process left. */
export const sweeperOf = (assembly: Assembly): string => functionNamed(assembly, "SweepWorker");

/** Whose a function is, where it is not its stack's own. */
export const otherVersion = "the other version's";

const codeKey = (resource: Resource | undefined): string =>
  (resource?.Properties?.["Code"] as { readonly S3Key?: string } | undefined)?.S3Key ?? "";

/** A function of another assembly, with a key of its own for its bundle: all of them may have chosen the same. */
const borrowed = (other: Assembly, id: string, name = "other") => {
  const resource = other.template.Resources[id];
  const asset = other.assets.get(codeKey(resource));
  if (resource === undefined || asset === undefined) throw new Error(`The other version has no function ${id}.`);
  const key = `${name}-${codeKey(resource)}`;
  // Log groups are the stack's that runs it, which may have others.
  const { LoggingConfig: _, ...others } = resource.Properties ?? {};
  const Properties = { ...others, Code: { S3Key: key } };
  return { resource: { ...resource, Properties, Metadata: { [otherVersion]: true } }, key, asset };
};

/**
 * What a deployment has made of a stack half way: some of its functions are another version's, all else is its own.
 *
 * @param ids of functions; those that the other version does not have stay as they are.
 */
export const withFunctionsOf = (assembly: Assembly, other: Assembly, ids: readonly string[]): Assembly => {
  const theirs = ids.filter((id) => other.template.Resources[id] !== undefined);
  const found = new Map(theirs.map((id) => [id, borrowed(other, id)]));
  const mixed = withResources(assembly, (resource, id) => found.get(id)?.resource ?? resource);
  const bundles = [...found.values()].map(({ key, asset }): [string, string] => [key, asset]);
  return { ...mixed, assets: new Map([...assembly.assets, ...bundles]) };
};

/** An assembly with a function of another version beside its own, which nobody calls. */
export const withFunctionBeside = (
  { template, assets }: Assembly,
  other: Assembly,
  id: string,
  name: string,
): Assembly => {
  const { resource, key, asset } = borrowed(other, id, name);
  return {
    template: { ...template, Resources: { ...template.Resources, [name]: resource } },
    assets: new Map([...assets, [key, asset]]),
  };
};

/** An assembly in which no queue and no stream calls a function. */
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

/** The time that is left is what the machine's clock says. */
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
 * An assembly whose functions have a clock that is behind the machine's. A bundle is loaded after the clock is set, and is
 * what it is.
 *
 * @param directory where the files that set the clock are written.
 * @param ahead milliseconds, 0 or less.
 */
export const withClock = ({ template, assets }: Assembly, directory: string, ahead: number): Assembly => {
  if (ahead > 0) throw new RangeError("The clock of functions can only be behind the machine's.");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "clock.mjs"), clock(ahead));
  const own = [...assets].map(([key, asset]): [string, string] => {
    const to = join(directory, key);
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, "index.mjs"), clocked(pathToFileURL(join(asset, "index.mjs")).href));
    return [key, to];
  });
  return { template, assets: new Map(own) };
};
