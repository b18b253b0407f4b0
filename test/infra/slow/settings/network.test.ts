import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { everySetting } from "../../settings/every-setting.ts";
import { list, statements } from "../../policies.ts";
import { synthesize } from "../../synthesize.ts";

const only = (template: Template, type: string) => {
  const resourcesOfType = Object.values(template.findResources(type));
  expect(resourcesOfType).toHaveLength(1);
  return resourcesOfType[0]?.Properties;
};
const api = (template: Template) => only(template, "AWS::ApiGateway::RestApi");

let plain: Template;
let every: Template;
beforeAll(() => {
  plain = synthesize({ stage: "prod" }).template;
  every = synthesize(everySetting).template;
});

test("by default the API is regional, open to every address, and answers at the address that AWS assigned", () => {
  expect(api(plain)).toMatchObject({ EndpointConfiguration: { Types: ["REGIONAL"] } });
  expect(api(plain)).not.toHaveProperty("Policy");
  expect(api(plain)).not.toHaveProperty("DisableExecuteApiEndpoint");
});

const anybody = { Principal: { AWS: "*" }, Action: "execute-api:Invoke", Resource: "execute-api:/*" };

test("a caller from an address that is not allowed does not reach the authorizer", () => {
  expect(api(every).Policy.Statement).toEqual([
    { Effect: "Allow", ...anybody },
    {
      Effect: "Deny",
      ...anybody,
      Condition: { NotIpAddress: { "aws:SourceIp": ["203.0.113.0/24", "2001:db8::/32", "198.51.100.7"] } },
    },
  ]);
});

test("a private API is reached through the listed VPC endpoints, and checks the caller's address behind them", () => {
  const { template } = synthesize({
    endpointType: "private",
    vpcEndpointIds: ["vpce-0123456789abcdef0"],
    allowedAddresses: ["10.0.0.0/8"],
  });

  expect(api(template).EndpointConfiguration).toEqual({
    Types: ["PRIVATE"],
    VpcEndpointIds: ["vpce-0123456789abcdef0"],
  });
  // With this mode the names of the endpoint itself, and a Host header, are refused.
  expect(api(template).EndpointAccessMode).toBe("STRICT");
  expect(template.findOutputs("ApiUrl")["ApiUrl"]?.["Description"]).toContain("private DNS");
  expect(api(template).Policy.Statement).toEqual([
    { Effect: "Allow", ...anybody },
    { Effect: "Deny", ...anybody, Condition: { StringNotEquals: { "aws:SourceVpce": ["vpce-0123456789abcdef0"] } } },
    { Effect: "Deny", ...anybody, Condition: { NotIpAddress: { "aws:VpcSourceIp": ["10.0.0.0/8"] } } },
  ]);
});

test("a change of the allowed callers makes a new deployment of the stage", () => {
  const deployment = (template: Template) => only(template, "AWS::ApiGateway::Stage").DeploymentId.Ref;

  expect(deployment(synthesize({ stage: "prod", allowedAddresses: ["203.0.113.0/24"] }).template)).not.toBe(
    deployment(plain),
  );
});

test("a custom domain leads to the stage over modern TLS, is the address in the outputs, and may be the only one", () => {
  const name = only(every, "AWS::ApiGateway::DomainName");
  const mapping = only(every, "AWS::ApiGateway::BasePathMapping");

  expect(name).toMatchObject({
    DomainName: "traces.example.com",
    RegionalCertificateArn: everySetting.domain.certificateArn,
    SecurityPolicy: api(every).SecurityPolicy,
    EndpointAccessMode: "STRICT",
  });
  const [stage] = Object.keys(every.findResources("AWS::ApiGateway::Stage"));
  expect(mapping).toMatchObject({ DomainName: { Ref: expect.any(String) }, Stage: { Ref: stage } });
  expect(mapping).not.toHaveProperty("BasePath");
  expect(every.findOutputs("*")["ApiUrl"]?.Value).toBe("https://traces.example.com");
  expect(every.findOutputs("*")["DomainTarget"]?.Value["Fn::GetAtt"][1]).toBe("RegionalDomainName");
  expect(api(every).DisableExecuteApiEndpoint).toBe(true);
});

test("only judges and previews run in the operator's network, and their code may not create network interfaces", () => {
  const joined = Object.entries(every.findResources("AWS::Lambda::Function")).filter(
    ([, { Properties }]) => Properties.VpcConfig !== undefined,
  );
  const allowed = statements(every).filter(({ Action }) => list(Action).includes("ec2:CreateNetworkInterface"));

  const network = { SubnetIds: ["subnet-0123456789abcdef0"], SecurityGroupIds: ["sg-0123456789abcdef0"] };
  expect(joined.map(([id, { Properties }]) => [id, Properties.VpcConfig]).toSorted()).toEqual([
    [expect.stringMatching(/^ApiRoutespreviewOwnMetric/u), network],
    [expect.stringMatching(/^EvaluationJudgeSlice/u), network],
  ]);
  const ofEach = (role: RegExp) => [
    [expect.stringMatching(role), "Allow"],
    [expect.stringMatching(role), "Deny"],
  ];
  expect(allowed.map(({ role, Effect }) => [role, Effect]).toSorted()).toEqual([
    ...ofEach(/^ApiRoutespreviewOwnMetric/u),
    ...ofEach(/^EvaluationJudgeSlice/u),
  ]);
  const denied = allowed.filter(({ Effect }) => Effect === "Deny");
  const condition = { ArnLike: { "lambda:SourceFunctionArn": expect.anything() } };
  expect(denied.map(({ Condition }) => Condition)).toMatchObject([condition, condition]);
  expect(JSON.stringify(plain.toJSON())).not.toContain("ec2:");
});
