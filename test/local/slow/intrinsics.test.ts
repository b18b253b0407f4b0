import { expect, test } from "vitest";
import { resolverOf } from "../../../infra/local/template/intrinsics.ts";
import type { Template } from "../../../infra/local/template/template.ts";

const template: Template = {
  Parameters: { Size: { Type: "Number", Default: 3 }, Asked: { Type: "String" } },
  Mappings: { Map: { one: { two: "found" } } },
  Conditions: {
    Yes: { "Fn::Equals": [{ Ref: "Size" }, "3"] },
    No: { "Fn::Not": [{ Condition: "Yes" }] },
    Both: { "Fn::And": [{ Condition: "Yes" }, { Condition: "No" }] },
  },
  Resources: {
    Worker: { Type: "AWS::Lambda::Function" },
    Named: {
      Type: "AWS::DynamoDB::Table",
      Properties: { TableName: { "Fn::Join": ["-", ["a", { Ref: "AWS::Region" }]] } },
    },
    Skipped: { Type: "AWS::DynamoDB::Table", Condition: "No" },
  },
};

test.each([
  ["plain values", { a: [1, null, true] }, { a: [1, null, true] }],
  ["Ref of a resource", { Ref: "Worker" }, "Worker"],
  ["Ref of a named resource", { Ref: "Named" }, "a-us-east-1"],
  ["Ref of a parameter", { Ref: "Size" }, 3],
  ["Ref of a pseudo parameter", { Ref: "AWS::AccountId" }, "000000000000"],
  ["GetAtt", { "Fn::GetAtt": ["Worker", "Arn"] }, "arn:aws:lambda:us-east-1:000000000000:function:Worker"],
  ["GetAtt as text", { "Fn::GetAtt": "Worker.Arn" }, "arn:aws:lambda:us-east-1:000000000000:function:Worker"],
  ["Join over lists inside", { "Fn::Join": ["", ["x", { Ref: "Worker" }, "y"]] }, "xWorkery"],
  [
    "Sub",
    { "Fn::Sub": "${AWS::Partition}:${Worker}:${Worker.Arn}:${!Kept}" },
    "aws:Worker:arn:aws:lambda:us-east-1:000000000000:function:Worker:${Kept}",
  ],
  ["Sub with values", { "Fn::Sub": ["${Own}", { Own: { Ref: "Worker" } }] }, "Worker"],
  ["Select and Split", { "Fn::Select": [1, { "Fn::Split": ["-", "a-b-c"] }] }, "b"],
  ["FindInMap", { "Fn::FindInMap": ["Map", "one", "two"] }, "found"],
  ["If", { "Fn::If": ["Yes", { Ref: "Worker" }, "other"] }, "Worker"],
  ["If with a condition made of conditions", { "Fn::If": ["Both", 1, 2] }, 2],
  ["NoValue takes its property away", { a: { "Fn::If": ["No", 1, { Ref: "AWS::NoValue" }] }, b: 2 }, { b: 2 }],
  ["NoValue takes its element away", [1, { Ref: "AWS::NoValue" }], [1]],
  [
    "a policy's Condition is no function",
    { Condition: { StringEquals: { a: "b" } } },
    { Condition: { StringEquals: { a: "b" } } },
  ],
])("%s", (_name, value, expected) => {
  expect(resolverOf(template).resolve(value)).toEqual(expected);
});

test.each([
  ["an unknown id", { Ref: "Nobody" }, "Nobody"],
  ["an unknown attribute", { "Fn::GetAtt": ["Worker", "Color"] }, "Worker.Color"],
  ["an unknown function", { "Fn::ImportValue": "x" }, "Fn::ImportValue"],
  ["a parameter without default", { Ref: "Asked" }, "Asked"],
])("%s is an error that names it", (_name, value, expectedName) => {
  expect(() => resolverOf(template).resolve(value)).toThrow(expectedName);
});

test("resources whose condition is false are absent", () => {
  const tableResources = resolverOf(template).resources("AWS::DynamoDB::Table");

  expect(tableResources.map(({ id }) => id)).toEqual(["Named"]);
});

test("an attribute reported by a service overrides the derived one", () => {
  const resolver = resolverOf(template);

  resolver.describe("Worker", { ref: "r", attributes: { Arn: "a" } });

  expect(resolver.resolve([{ Ref: "Worker" }, { "Fn::GetAtt": ["Worker", "Arn"] }])).toEqual(["r", "a"]);
});
