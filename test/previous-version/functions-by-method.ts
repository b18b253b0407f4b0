import type { Assembly } from "../../infra/local/template/template.ts";

/** The part of an API method that names its function. A mock integration has none. */
interface Method {
  readonly "x-amazon-apigateway-integration"?: { readonly uri?: unknown };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Method>>>>;

/** Logical ids of the functions that answer an API's GET requests, and of those that answer all others. */
export const functionsByMethod = ({ template }: Assembly) => {
  const restApi = Object.values(template.Resources).find(({ Type }) => Type === "AWS::ApiGateway::RestApi");
  if (restApi?.Properties === undefined) throw new Error("The assembly has no API.");
  const { paths } = restApi.Properties["Body"] as { readonly paths: Paths };
  const methods = Object.values(paths).flatMap((path) => Object.entries(path));
  const ids = (reads: boolean): readonly string[] =>
    methods.flatMap(([method, { "x-amazon-apigateway-integration": integration }]) => {
      const [, functionId] = /"Fn::GetAtt":\["(\w+)","Arn"\]/u.exec(JSON.stringify(integration?.uri) ?? "") ?? [];
      return functionId !== undefined && (method === "get") === reads ? [functionId] : [];
    });
  return { reading: ids(true), writing: ids(false) };
};
