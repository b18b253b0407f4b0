import { asText } from "../host/as-text.ts";
import { awsLocation } from "./arn.ts";
import { explicitName, physicalOf, type PhysicalResource } from "./physical.ts";
import type { Resource, Template } from "./template.ts";

const pseudo: Readonly<Record<string, string | undefined>> = {
  "AWS::Region": awsLocation.region,
  "AWS::AccountId": awsLocation.account,
  "AWS::Partition": awsLocation.partition,
  "AWS::URLSuffix": "amazonaws.com",
  "AWS::StackName": "assay-local",
  "AWS::StackId": "assay-local",
};

/** Result of `AWS::NoValue`; a property or list element with this value is removed. */
const noValue = Symbol("AWS::NoValue");

type Arguments = readonly unknown[];

/** Resolves the values of a CloudFormation template. */
export interface Resolver {
  /** Replaces every intrinsic function in a value. @throws Error that names an unknown function, id or attribute. */
  resolve(value: unknown): unknown;
  /** Sets the results of `Ref` and `Fn::GetAtt` for a resource, or the value of a pseudo parameter. Called by services for what they have created. */
  describe(logicalId: string, physical: PhysicalResource): void;
  /** Returns the resource's name: the name in its properties, else its logical id. */
  nameOf(logicalId: string): string;
  /** Lists the resources of some types whose condition holds, with resolved properties. */
  resources(...types: readonly string[]): { id: string; resource: Resource; properties: Record<string, unknown> }[];
}

/**
 * Creates the resolver of a template.
 *
 * Not supported: `Fn::ImportValue`, `Fn::Transform`, `Fn::GetAZs`, `Fn::Cidr`, parameter values (only
 * defaults), dynamic references (`{{resolve:...}}` stays text).
 */
export const resolverOf = (template: Template): Resolver => {
  const describedResources = new Map<string, PhysicalResource>();

  const resourceOf = (id: string): Resource => {
    const resource = template.Resources[id];
    if (resource === undefined) throw new Error(`The template has no resource ${id}.`);
    return resource;
  };

  const nameOf = (id: string): string => {
    const templateName = explicitName(resourceOf(id));
    return templateName === undefined ? id : String(resolve(templateName));
  };

  const physical = (id: string): PhysicalResource =>
    describedResources.get(id) ?? physicalOf(resourceOf(id).Type, nameOf(id));

  const ref = (name: string): unknown => {
    if (name === "AWS::NoValue") return noValue;
    const pseudoValue = describedResources.get(name)?.ref ?? pseudo[name];
    if (pseudoValue !== undefined) return pseudoValue;
    const parameter = template.Parameters?.[name];
    if (parameter === undefined) return physical(name).ref;
    if (parameter.Default === undefined) throw new Error(`The template's parameter ${name} has no default.`);
    return parameter.Type === "CommaDelimitedList" ? asText(parameter.Default).split(",") : parameter.Default;
  };

  const attribute = (id: string, name: string): string => {
    const attributeValue = physical(id).attributes[name];
    if (attributeValue === undefined)
      throw new Error(`The local runtime does not support ${id}.${name} (${resourceOf(id).Type}).`);
    return attributeValue;
  };

  const substitute = (text: string, variables: Readonly<Record<string, unknown>>): string =>
    text.replace(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
      if (literal !== "") return `\${${name}}`;
      if (variables[name] !== undefined) return asText(variables[name]);
      const dot = name.indexOf(".");
      return dot === -1 ? String(ref(name)) : attribute(name.slice(0, dot), name.slice(dot + 1));
    });

  const conditionHolds = (name: unknown): boolean => resolve(template.Conditions?.[String(name)] ?? false) === true;

  const functions: Readonly<Record<string, (argument: unknown) => unknown>> = {
    Ref: (name) => ref(String(name)),
    Condition: conditionHolds,
    "Fn::GetAtt": (argument) => {
      const [id, name] = Array.isArray(argument)
        ? (argument as Arguments).map(String)
        : String(argument).split(/\.(.*)/s);
      return attribute(id ?? "", name ?? "");
    },
    "Fn::Join": (argument) => {
      const [separator, parts] = resolve(argument) as [string, unknown[]];
      return parts.map(String).join(separator);
    },
    "Fn::Sub": (argument) => {
      const [text, variables] = Array.isArray(argument) ? (argument as Arguments) : [argument, {}];
      return substitute(String(text), resolve(variables ?? {}) as Record<string, unknown>);
    },
    "Fn::Select": (argument) => {
      const [index, list] = resolve(argument) as [number | string, unknown[]];
      return list[Number(index)];
    },
    "Fn::Split": (argument) => {
      const [separator, text] = resolve(argument) as [string, string];
      return text.split(separator);
    },
    "Fn::Base64": (argument) => Buffer.from(String(resolve(argument))).toString("base64"),
    "Fn::FindInMap": (argument) => {
      const [map, first, second] = resolve(argument) as [string, string, string];
      return template.Mappings?.[map]?.[first]?.[second];
    },
    "Fn::If": (argument) => {
      const [condition, valueIfTrue, valueIfFalse] = argument as Arguments;
      return resolve(conditionHolds(condition) ? valueIfTrue : valueIfFalse);
    },
    "Fn::Equals": (argument) => {
      const [first, second] = resolve(argument) as Arguments;
      return String(first) === String(second);
    },
    "Fn::And": (argument) => (resolve(argument) as Arguments).every((value) => value === true),
    "Fn::Or": (argument) => (resolve(argument) as Arguments).includes(true),
    "Fn::Not": (argument) => (resolve(argument) as Arguments)[0] !== true,
  };

  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve).filter((element) => element !== noValue);
    if (value === null || typeof value !== "object") return value;
    const entries = Object.entries(value);
    const [firstEntry] = entries;
    if (firstEntry !== undefined && entries.length === 1) {
      const call = functions[firstEntry[0]];
      // `Condition` is also a key of policy statements; it is a function only if its value is a condition name.
      if (call !== undefined && (firstEntry[0] !== "Condition" || typeof firstEntry[1] === "string"))
        return call(firstEntry[1]);
      if (firstEntry[0].startsWith("Fn::")) throw new Error(`The local runtime does not support ${firstEntry[0]}.`);
    }
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, resolve(inner)] as const).filter(([, inner]) => inner !== noValue),
    );
  };

  return {
    resolve: (value) => {
      const resolved = resolve(value);
      return resolved === noValue ? undefined : resolved;
    },
    describe: (id, physical) => void describedResources.set(id, physical),
    nameOf,
    resources: (...types) =>
      Object.entries(template.Resources)
        .filter(([, resource]) => types.includes(resource.Type))
        .filter(([, resource]) => resource.Condition === undefined || conditionHolds(resource.Condition))
        .map(([id, resource]) => ({
          id,
          resource,
          properties: resolve(resource.Properties ?? {}) as Record<string, unknown>,
        })),
  };
};
