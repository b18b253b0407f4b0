import { hasAtMost } from "../characters.ts";
import { isObject, toDouble, type Json, type JsonObject } from "../json.ts";
import { deepestCheck, longestText, mostConditions, textParts, type Check, type Condition } from "./check.ts";
import { longestPattern, mostInstructions } from "./pattern.ts";
import { conditionTypes, preparedCondition } from "./prepare-condition.ts";

/** What is wrong with a check: where, and in a sentence. */
export interface CheckFlaw {
  readonly path: readonly (string | number)[];
  readonly msg: string;
}

/** Characters of a schema as JSON. */
const longestSchema = 8000;

type Path = CheckFlaw["path"];
type Flaws = CheckFlaw[];

/** Reads a field; adds to the flaws what is wrong with it. */
type Field = (given: Json | undefined, path: Path, flaws: Flaws) => Json;

const field =
  (fallback: Json | undefined, flawOf: (given: Json) => string | null): Field =>
  (given, path, flaws) => {
    const is = given === undefined || given === null ? fallback : toDoubleJson(given);
    if (is === undefined) flaws.push({ path, msg: "Field required" });
    else if (is !== fallback) {
      const flaw = flawOf(is);
      if (flaw !== null) flaws.push({ path, msg: flaw });
    }
    return is ?? null;
  };

const toDoubleJson = (given: Json): Json => {
  const double = toDouble(given);
  return typeof double === "number" ? double : given;
};

const text = (most: number, fallback?: Json): Field =>
  field(fallback, (given) =>
    typeof given === "string" && given !== "" && hasAtMost(given, most)
      ? null
      : `Input should be a text of 1 to ${most} characters`,
  );

const choice = (options: readonly string[], fallback: Json): Field =>
  field(fallback, (given) =>
    typeof given === "string" && options.includes(given) ? null : `Input should be one of ${options.join(", ")}`,
  );

const flag = field(false, (given) => (typeof given === "boolean" ? null : "Input should be a valid boolean"));

const number = (least: number, most: number, fallback: Json = null): Field =>
  field(fallback, (given) =>
    typeof given === "number" && given >= least && given <= most
      ? null
      : `Input should be a number from ${least} to ${most}`,
  );

const schema = field(null, (given) => {
  if (!isObject(given)) return "Input should be a valid dictionary";
  return JSON.stringify(given).length > longestSchema
    ? `Input should have at most ${longestSchema} characters as JSON`
    : null;
});

const ofText = { of: choice(textParts, "output"), span: text(longestText, null) };
const sought = { text: text(longestText), ignore_case: flag };
const within = (most: number) => ({ min: number(0, most), max: number(0, most) });
const [mostCount, mostAmount] = [1_000_000, 1e12] as const;

/** The fields of each type of condition. */
const fields: Readonly<Record<Condition["type"], Readonly<Record<string, Field>>>> = {
  matches: { ...ofText, pattern: text(longestPattern), ignore_case: flag },
  contains: { ...ofText, ...sought },
  lacks: { ...ofText, ...sought },
  length: { ...ofText, ...within(mostAmount) },
  json: { ...ofText, schema },
  latency_ms: within(mostAmount),
  cost_usd: within(mostAmount),
  tokens: within(mostAmount),
  tool_calls: { tool: text(longestText, null), ...within(mostCount) },
  required_tool: { tool: text(longestText) },
  tool_before: { tool: text(longestText), before: text(longestText) },
  error_rate: { over: choice(["spans", "tools"], "spans"), ...within(1) },
  retries: { tool: text(longestText, null), ...within(mostCount) },
  documents_cited: { min: number(0, mostCount, 1), min_share: number(0, 1, 0) },
};

const isType = (given: string): given is Condition["type"] => Object.hasOwn(fields, given);

class Reader {
  readonly flaws: Flaws = [];
  #conditions = 0;
  #instructions = 0;

  read(given: Json | undefined, path: Path, depth = 1): Check {
    // What stands for what cannot be read: nobody gets it, for there is a flaw then.
    const none: Check = { all: [] };
    const refuse = (msg: string, at: Path = path): Check => {
      this.flaws.push({ path: at, msg });
      return none;
    };
    if (!isObject(given)) return refuse("Input should be a valid dictionary");
    if (depth > deepestCheck) return refuse(`Checks nest at most ${deepestCheck} deep`);
    const kinds = ["all", "any", "not", "type"].filter((key) => given[key] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) return refuse("Input should have exactly one of all, any, not, type");
    if (kind === "type") return this.#condition(given, path) ?? none;
    this.#unknown(given, [kind], path);
    if (kind === "not") return { not: this.read(given["not"], [...path, "not"], depth + 1) };
    const list = given[kind];
    if (!Array.isArray(list) || list.length === 0) return refuse("List should have at least 1 item", [...path, kind]);
    if (list.length > mostConditions)
      return refuse(`List should have at most ${mostConditions} items`, [...path, kind]);
    const parts = list.map((each: Json, place) => this.read(each, [...path, kind, place], depth + 1));
    return kind === "all" ? { all: parts } : { any: parts };
  }

  #unknown(given: JsonObject, known: readonly string[], path: Path): void {
    for (const key of Object.keys(given)) {
      if (!known.includes(key)) this.flaws.push({ path: [...path, key], msg: `Known here are: ${known.join(", ")}` });
    }
  }

  #condition(given: JsonObject, path: Path): Condition | null {
    const { type } = given;
    if (typeof type !== "string" || !isType(type)) {
      this.flaws.push({ path: [...path, "type"], msg: `Input should be one of ${conditionTypes.join(", ")}` });
      return null;
    }
    this.#conditions += 1;
    if (this.#conditions === mostConditions + 1) {
      this.flaws.push({ path, msg: `A check has at most ${mostConditions} conditions` });
    }
    if (this.#conditions > mostConditions) return null;
    const before = this.flaws.length;
    this.#unknown(given, ["type", ...Object.keys(fields[type])], path);
    const read = Object.fromEntries(
      Object.entries(fields[type]).map(([key, readField]) => [key, readField(given[key], [...path, key], this.flaws)]),
    );
    this.#bounds(read, path);
    if (this.flaws.length > before) return null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each of its fields was read by the table of its type.
    const condition = { type, ...read } as unknown as Condition;
    this.#prepare(condition, path);
    return condition;
  }

  #bounds({ min, max }: JsonObject, path: Path): void {
    if (min === undefined || max === undefined) return;
    if (min === null && max === null) this.flaws.push({ path: [...path, "min"], msg: "Give min, max or both" });
    if (typeof min === "number" && typeof max === "number" && min > max) {
      this.flaws.push({ path: [...path, "max"], msg: "Input should be at least min" });
    }
  }

  #prepare(condition: Condition, path: Path): void {
    if (this.#instructions > mostInstructions) return;
    const prepared = preparedCondition(condition);
    const at = [...path, condition.type === "json" ? "schema" : "pattern"];
    if (typeof prepared === "string") {
      this.flaws.push({ path: at, msg: `Input cannot be used: ${prepared}` });
      return;
    }
    this.#instructions += prepared.size;
    if (this.#instructions > mostInstructions) {
      const msg = `The patterns of a check are compiled to at most ${mostInstructions} instructions, all together: shorten them, or their repetitions`;
      this.flaws.push({ path: at, msg });
    }
  }
}

/** A check out of data: bounded in depth, in conditions and in what its patterns can take. */
export const readCheck = (
  given: Json | undefined,
): { readonly check: Check; readonly flaws: null } | { readonly check: null; readonly flaws: readonly CheckFlaw[] } => {
  const reader = new Reader();
  const check = reader.read(given, []);
  return reader.flaws.length === 0 ? { check, flaws: null } : { check: null, flaws: reader.flaws };
};
