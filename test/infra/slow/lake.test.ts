import { readFileSync } from "node:fs";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { missingLayer } from "../../../infra/lake/layer.ts";
import { synthesize, synthesizeAnew } from "../synthesize.ts";

const [bucket] = Object.values(synthesize({}).template.findResources("AWS::S3::Bucket"));

test("the bucket of files is private, encrypted and kept when the stack is deleted, and does not keep what is unfinished", () => {
  expect(bucket).toMatchObject({
    DeletionPolicy: expect.stringMatching(/^Retain/u),
    UpdateReplacePolicy: "Retain",
    Properties: {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: expect.arrayContaining([
          expect.objectContaining({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: "Enabled" }),
          expect.objectContaining({ Prefix: "snapshots/", ExpirationInDays: 1, Status: "Enabled" }),
        ]),
      },
    },
  });
  expect(Object.values(synthesize({}).template.findResources("AWS::S3::BucketPolicy"))).toMatchObject([
    {
      Properties: {
        PolicyDocument: {
          Statement: [{ Action: "s3:*", Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }],
        },
      },
    },
  ]);
});

test("without DuckDB's layer the stack synthesizes with a sentence, and nobody starts the writer", () => {
  const { stack, template } = synthesizeAnew({}, undefined, undefined, null);
  const variables = (id: string): object =>
    Object.entries(template.findResources("AWS::Lambda::Function")).find(([each]) => each.startsWith(id))?.[1]
      .Properties.Environment.Variables;

  Annotations.fromStack(stack).hasWarning("*", Match.stringLikeRegexp(missingLayer.slice(0, 50)));
  for (const id of ["EvaluationSweep", "ApiRouteslistExportDays"])
    expect(variables(id)).toMatchObject({ LAKE_BUCKET: expect.anything() });
  for (const id of ["EvaluationSweep", "ApiRouteslistExportDays"])
    expect(variables(id)).not.toHaveProperty("LAKE_WRITER");
  expect(template.findResources("AWS::Lambda::LayerVersion")).toEqual({});
  expect(Object.keys(synthesize({}).template.findResources("AWS::Lambda::LayerVersion"))).toHaveLength(1);
});

test("the layer has the version of DuckDB that the tests run, by the same sums", () => {
  const packagesOf = (folder: string) =>
    (
      JSON.parse(readFileSync(`${folder}package-lock.json`, "utf8")) as {
        readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
      }
    ).packages;
  const [installed, layers] = [packagesOf(""), packagesOf("infra/lake/layer/nodejs/")];
  const names = Object.keys(layers).filter((name) => name.startsWith("node_modules/@duckdb/"));

  expect(names).toContain("node_modules/@duckdb/node-bindings-linux-arm64");
  expect(names.map((name) => layers[name]?.integrity)).toEqual(names.map((name) => installed[name]?.integrity));
});
