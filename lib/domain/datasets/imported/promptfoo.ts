import { derivedUuid } from "../../access/identity.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { maxItems, maxRequestBytes } from "../dataset.ts";

/** What a test makes an item of. */
interface ImportedContent {
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

const optionsOf = ({ options }: JsonObject): JsonObject => objectOr(options, "options");

/** Joins tests as promptfoo does: later variables, options and metadata win, and all assertions hold. */
const joined = (tests: readonly JsonObject[]): JsonObject => ({
  ...Object.assign({}, ...tests),
  ...(tests.some(({ options }) => options !== undefined) && { options: Object.assign({}, ...tests.map(optionsOf)) }),
  vars: Object.assign({}, ...tests.map(({ vars }) => objectOr(vars, "vars"))),
  metadata: Object.assign({}, ...tests.map(({ metadata }) => objectOr(metadata, "metadata"))),
  assert: tests.flatMap((test) => objectsIn(test["assert"])),
});

/** Returns one set of variables for each combination of the values of lists, as promptfoo does. */
const combinations = (vars: JsonObject): readonly JsonObject[] => {
  const lists = Object.entries(vars).map(([name, value]) => [name, Array.isArray(value) ? value : [value]] as const);
  const [emptyName] = lists.find(([, values]) => values.length === 0) ?? [];
  if (emptyName !== undefined) throw new Unreadable(`Its var "${emptyName}" is an empty list, which makes no item`);
  if (lists.reduce((product, [, values]) => product * values.length, 1) > maxItems)
    throw new Unreadable(`Its vars have more than ${maxItems} combinations`);
  return lists.reduce<readonly JsonObject[]>(
    (sets, [name, values]) => sets.flatMap((set) => values.map((value: Json) => ({ ...set, [name]: value }))),
    [{}],
  );
};

/** True if promptfoo fills something into a variable: into a text, and the environment into any value. */
const isTemplate = (value: Json): boolean =>
  typeof value === "string" ? /\{[{%#]/u.test(value) : /\{\{-?\s{0,9}env\b/u.test(JSON.stringify(value));

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
  if (/\{[{%#]/u.test(value.replaceAll(/\{\{\s{0,9}[\w-]+\s{0,9}\}\}/gu, "")))
    throw new Unreadable("Its expected answer is a template with more than names of vars");
  return text;
};

/** Returns the items of a test one by one: together they can be far larger than the test. */
const itemsOf = (test: JsonObject): IteratorObject<ImportedContent> => {
  const { vars: sentVars, metadata, assert, ...rest } = test;
  const vars = objectOr(sentVars, "vars");
  const asserts = objectsIn(assert);
  const single = asserts.flatMap((each) => (each["type"] === "assert-set" ? objectsIn(each["assert"]) : [each]));
  const { $ref: reference } = [test, vars, ...single].find(({ $ref }) => $ref !== undefined) ?? {};
  if (reference !== undefined)
    throw new Unreadable(`It has the $ref ${JSON.stringify(reference)}: put there what it refers to`);
  const answers = answerTypes.flatMap((type) => single.filter((each) => each["type"] === type));
  const answer = answers.find(({ value }) => value !== undefined && value !== null)?.["value"] ?? null;
  if (isFile(answer) || Object.values(vars).some(isFile))
    throw new Unreadable("It names a file: put the file's content into the configuration");
  const [template] = Object.entries(vars).find(([, value]) => [value].flat().some(isTemplate)) ?? [];
  if (template !== undefined) throw new Unreadable(`Its var "${template}" is a template: put the text itself there`);
  const kept = asserts.length > 0 ? { ...rest, assert: asserts } : rest;
  return (optionsOf(test)["disableVarExpansion"] === true ? [vars] : combinations(vars)).values().map((input) => ({
    input,
    expected_output: filled(answer, input),
    metadata: { ...objectOr(metadata, "metadata"), ...(Object.keys(kept).length > 0 && { promptfoo: kept }) },
  }));
};

/**
 * Returns the items of a promptfoo configuration: one for each test, scenario and combination of variables, with the variables as input,
 * the value of an assertion such as `equals` as the expected answer, and description and all assertions as metadata. Their ids follow from
 * input and expected answer, and for equal ones from their order, so that a configuration that is sent again makes no further items.
 *
 * @returns also what cannot be read; its tests are no items.
 */
export const promptfooItems = (config: JsonObject) => {
  const flaws: ConfigFlaw[] = [];
  const items: (ImportedContent & { readonly id: string })[] = [];
  const occurrences = new Map<string, number>();
  let size = 0;

  const add = (item: ImportedContent): void => {
    const question = JSON.stringify([item.input, item.expected_output]);
    // Combinations share their values: their texts can be far longer than the configuration.
    size += question.length;
    if (size > maxRequestBytes)
      throw new Unreadable(`With it the items are larger than ${maxRequestBytes / 1024 ** 2} MiB`);
    const ordinal = occurrences.get(question) ?? 0;
    occurrences.set(question, ordinal + 1);
    items.push({ id: derivedUuid("promptfoo", question, `${ordinal}`), ...item });
    if (items.length > maxItems) throw new Unreadable(`With it the configuration has more than ${maxItems} items`);
  };

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
      const withoutAsserts = optionsOf(test)["disableDefaultAsserts"] === true && { assert: [] };
      itemsOf(joined(isObject(defaults) ? [{ ...defaults, ...withoutAsserts }, test] : [test])).forEach(add);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      flaws.push({ path, message: error.message });
      if (items.length > maxItems || size > maxRequestBytes) break;
    }
  }
  return { items, flaws };
};
