import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Assembly, Resource } from "../../infra/local/template/template.ts";
import { otherVersion } from "./assemblies.ts";

interface FunctionProperties {
  readonly Code: { readonly S3Key: string };
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
}

/** The parts of an API method that determine its function and response mode. */
interface Method {
  readonly "x-amazon-apigateway-integration"?: { readonly uri?: unknown; readonly responseTransferMode?: string };
}

interface Route {
  /** Name as in a function's event: `GET /traces/{trace_id}`. */
  readonly name: string;
  readonly functionId: string;
  readonly streams: boolean;
}

const propertiesOf = (resource: Resource | undefined): FunctionProperties =>
  resource?.Properties as unknown as FunctionProperties;

const isOthers = (resource: Resource | undefined): boolean => resource?.Metadata?.[otherVersion] === true;

const routesOf = (api: Resource): readonly Route[] => {
  const body = api.Properties?.["Body"] as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  };
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { "x-amazon-apigateway-integration": integration }]) => {
      // A mock integration has no function.
      if (integration?.uri === undefined) return [];
      const uri = JSON.stringify(integration.uri);
      const functionId = /"Fn::GetAtt":\["(\w+)","Arn"\]/u.exec(uri)?.[1];
      if (functionId === undefined) throw new Error(`It is not known which function ${method} ${path} calls: ${uri}`);
      const streams = integration?.responseTransferMode === "STREAM";
      return [{ name: `${method.toUpperCase()} ${path}`, functionId, streams }];
    }),
  );
};

/** Source of a bundle that passes each event to its route's handler, which is loaded on first use. */
const bundleOf = (handlers: Readonly<Record<string, string>>, streams: boolean): string => `
const handlers = ${JSON.stringify(handlers)};
const hand = async (event, ...rest) => {
  const { handler } = await import(handlers[event.httpMethod + " " + event.resource]);
  return handler(event, ...rest);
};
export const handler = ${streams ? "awslambda.streamifyResponse(hand)" : "hand"};
`;

const apiOf = ({ template }: Assembly): readonly [id: string, api: Resource] => {
  const restApi = Object.entries(template.Resources).find(([, { Type }]) => Type === "AWS::ApiGateway::RestApi");
  if (restApi === undefined) throw new Error("The assembly has no API.");
  return restApi;
};

/** API functions that read, and API functions that write, by method. */
export const functionsByMethod = (assembly: Assembly) => {
  const routes = routesOf(apiOf(assembly)[1]);
  const ids = (reads: boolean): readonly string[] =>
    routes.filter(({ name }) => name.startsWith("GET ") === reads).map(({ functionId }) => functionId);
  return { reading: ids(true), writing: ids(false) };
};

/**
 * An assembly whose API uses two functions per version, one of them for streamed replies, with all handlers in them;
 * starting each of 90 functions once would take longer than the requests.
 * @param directory directory for their bundles.
 */
export const withOneFunction = (assembly: Assembly, directory: string): Assembly => {
  const { template, assets } = assembly;
  const { Resources } = template;
  const [apiId, api] = apiOf(assembly);
  const routes = routesOf(api);
  let text = JSON.stringify(api);
  const functionResources: Record<string, Resource> = {};
  const bundles: [string, string][] = [];
  const nameOf = ({ functionId, streams }: Route): string =>
    `${streams ? "AllThatStreams" : "AllThatAnswers"}${isOthers(Resources[functionId]) ? "OfTheOther" : ""}`;
  for (const [id, groupRoutes] of Map.groupBy(routes, nameOf)) {
    const [first] = groupRoutes;
    if (first === undefined) continue;
    const handlers = groupRoutes.map(({ name, functionId }): [string, string] => {
      const asset = assets.get(propertiesOf(Resources[functionId]).Code.S3Key) ?? "";
      return [name, pathToFileURL(join(asset, "index.mjs")).href];
    });
    const Variables = Object.assign(
      {},
      ...groupRoutes.map(({ functionId }) => propertiesOf(Resources[functionId]).Environment?.Variables),
    ) as object;
    const to = join(directory, id);
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, "index.mjs"), bundleOf(Object.fromEntries(handlers), first.streams));
    bundles.push([id, to]);
    const resource = Resources[first.functionId] as Resource;
    const Properties = { ...resource.Properties, Code: { S3Key: id }, MemorySize: 1_769, Environment: { Variables } };
    functionResources[id] = { ...resource, Properties };
    for (const { functionId } of groupRoutes) text = text.replaceAll(`"${functionId}"`, `"${id}"`);
  }
  return {
    template: { ...template, Resources: { ...Resources, ...functionResources, [apiId]: JSON.parse(text) as Resource } },
    assets: new Map([...assets, ...bundles]),
  };
};
