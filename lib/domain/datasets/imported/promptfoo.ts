import { isObject, type Json, type JsonObject } from "../../json.ts";
import { maxItems } from "../dataset.ts";

/** An item that a test makes. */
interface ImportedItem {
  readonly input: Json;
  readonly expected_output: Json;
  readonly metadata: JsonObject;
}

/** Why a part of a configuration cannot be read; the message is a sentence. */
export interface ConfigFlaw {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A test with the place where it is. */
interface Test {
  readonly path: ConfigFlaw["path"];
  readonly test: JsonObject;
}

/** Types of assertions whose value is the expected answer or a part of it, the likeliest first; others stay in the metadata alone. */
const answerTypes = [
  "equals",
  "similar",
  "factuality",
  "model-graded-factuality",
  "levenshtein",
  "rouge-n",
  "bleu",
  "gleu",
  "meteor",
  "context-recall",
  "contains",
  "icontains",
  "starts-with",
];

class Unreadable extends Error {}

const isFile = (value: Json | undefined): boolean =>
  typeof value === "string" && /^(?:file|https?|huggingface|package):\/?\/?/u.test(value);

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const objectOr = (value: Json | undefined, what: string): JsonObject => {
  if (value === undefined || value === null) return {};
  if (!isObject(value))
    throw new Unreadable(`Its ${what} are no object: put the content of a file into the configuration`);
  return value;
};

/** Joins tests as promptfoo does: later variables and metadata win, and all assertions hold. */
const joined = (tests: readonly JsonObject[]): JsonObject => ({
  ...Object.assign({}, ...tests),
  vars: Object.assign({}, ...tests.map(({ vars }) => objectOr(vars, "vars"))),
  metadata: Object.assign({}, ...tests.map(({ metadata }) => objectOr(metadata, "metadata"))),
  assert: tests.flatMap((test) => objectsIn(test["assert"])),
});

/** Returns one set of variables for each combination of the values of lists, as promptfoo does. */
const combinations = (vars: JsonObject): readonly JsonObject[] => {
  const lists = Object.entries(vars).map(([name, value]) => [name, Array.isArray(value) ? value : [value]] as const);
  if (lists.reduce((product, [, values]) => product * values.length, 1) > maxItems)
    throw new Unreadable(`Its vars have more than ${maxItems} combinations`);
  return lists.reduce<readonly JsonObject[]>(
    (sets, [name, values]) => sets.flatMap((set) => values.map((value: Json) => ({ ...set, [name]: value }))),
    [{}],
  );
};

/** Fills variables into the value of an assertion. @throws Unreadable for other templates. */
const filled = (value: Json, vars: JsonObject): Json => {
  if (typeof value !== "string") return value;
  const valueOf = (name: string): Json => {
    const variable = vars[name];
    if (variable === undefined)
      throw new Unreadable(`Its expected answer needs "${name}", which is not among its vars`);
    return variable;
  };
  const [, only] = /^\s{0,9}\{\{\s{0,9}([\w-]+)\s{0,9}\}\}\s{0,9}$/u.exec(value) ?? [];
  if (only !== undefined) return valueOf(only);
  const text = value.replaceAll(/\{\{\s{0,9}([\w-]+)\s{0,9}\}\}/gu, (_, name: string) => {
    const variable = valueOf(name);
    return typeof variable === "string" ? variable : JSON.stringify(variable);
  });
  if (/\{\{|\{%/u.test(value.replaceAll(/\{\{\s{0,9}[\w-]+\s{0,9}\}\}/gu, "")))
    throw new Unreadable("Its expected answer is a template with more than names of vars");
  return text;
};

const itemsOf = (test: JsonObject): readonly ImportedItem[] => {
  const { vars, metadata, assert, ...rest } = test;
  const asserts = objectsIn(assert);
  const answers = answerTypes.flatMap((type) => asserts.filter((each) => each["type"] === type));
  const answer = answers.find(({ value }) => value !== undefined && value !== null)?.["value"] ?? null;
  if (isFile(answer) || Object.values(objectOr(vars, "vars")).some(isFile))
    throw new Unreadable("It names a file: put the file's content into the configuration");
  const kept = asserts.length > 0 ? { ...rest, assert: asserts } : rest;
  return combinations(objectOr(vars, "vars")).map((input) => ({
    input,
    expected_output: filled(answer, input),
    metadata: { ...objectOr(metadata, "metadata"), ...(Object.keys(kept).length > 0 && { promptfoo: kept }) },
  }));
};

/**
 * Returns the items of a promptfoo configuration: one for each test, scenario and combination of variables, with the variables as input,
 * the value of an assertion such as `equals` as the expected answer, and description and all assertions as metadata.
 *
 * @returns also what cannot be read; its tests are no items.
 */
export const promptfooItems = (config: JsonObject) => {
  const flaws: ConfigFlaw[] = [];
  const items: ImportedItem[] = [];

  const testsAt = (value: Json | undefined, path: ConfigFlaw["path"]): readonly Test[] => {
    const list: readonly Json[] = Array.isArray(value) ? value : [value ?? []].flat();
    return list.flatMap((test, at) => {
      if (isObject(test)) return [{ path: [...path, at], test }];
      flaws.push({
        path: Array.isArray(value) ? [...path, at] : path,
        message: "A test is an object: put the tests of a file into the configuration",
      });
      return [];
    });
  };

  const scenarios = testsAt(config["scenarios"], ["scenarios"]).flatMap(({ path, test: scenario }) =>
    testsAt(scenario["config"], [...path, "config"]).flatMap(({ test: data }) => {
      const ownTests = testsAt(scenario["tests"], [...path, "tests"]);
      return ownTests.length === 0
        ? [{ path, test: data }]
        : ownTests.map((each) => ({ path: each.path, test: joined([data, each.test]) }));
    }),
  );
  const tests = [...testsAt(config["tests"], ["tests"]), ...scenarios];
  const defaults = config["defaultTest"] ?? {};
  if (!isObject(defaults))
    flaws.push({ path: ["defaultTest"], message: "It is an object: put the file's content into the configuration" });
  if (tests.length === 0 && flaws.length === 0)
    flaws.push({ path: ["tests"], message: "The configuration has no tests" });
  for (const { path, test } of tests) {
    try {
      items.push(...itemsOf(joined(isObject(defaults) ? [defaults, test] : [test])));
      if (items.length > maxItems) throw new Unreadable(`With it the configuration has more than ${maxItems} items`);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      flaws.push({ path, message: error.message });
      if (items.length > maxItems) break;
    }
  }
  return { items, flaws };
};
