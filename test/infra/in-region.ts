import { Template } from "aws-cdk-lib/assertions";
import { resolverOf } from "../../infra/local/template/intrinsics.ts";

/** Returns the resources of a type as CloudFormation makes them in a Region: conditions and references are resolved. */
export const inRegion = (template: Template, type: string, region = "eu-central-1") => {
  const text = JSON.stringify(template.toJSON()).replaceAll('{"Ref":"AWS::Region"}', JSON.stringify(region));
  const resources = resolverOf(JSON.parse(text))
    .resources(type)
    .map(({ id, properties }) => [id, { Type: type, Properties: properties }] as const);
  const resolved = Template.fromJSON({ Resources: Object.fromEntries(resources) });
  return Object.values(resolved.findResources(type)).map(({ Properties }) => Properties);
};
