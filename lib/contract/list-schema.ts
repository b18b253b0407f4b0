import * as v from "valibot";
import { mostViolations } from "../domain/refusal.ts";

/**
 * valibot's array, but that it stops looking once so many things are wrong that a reply lists no more of them: what is wrong
 * with a million items would take more memory than a function has.
 */
export const arrayOf = <Item extends v.GenericSchema>(item: Item): v.ArraySchema<Item, undefined> => {
  const schema = v.array(item);
  const run = schema["~run"].bind(schema);
  const runUntilFull: typeof run = (dataset, config) => {
    const { value: input } = dataset;
    if (!Array.isArray(input) || input.length <= mostViolations) return run(dataset, config);
    const values: v.InferOutput<Item>[] = [];
    const issues: v.InferIssue<Item>[] = [];
    for (let start = 0; start < input.length && issues.length < mostViolations; start += mostViolations) {
      const block = run({ value: input.slice(start, start + mostViolations) }, config);
      for (const issue of block.issues ?? []) {
        const place = issue.path?.[0];
        if (place?.type === "array") Object.assign(place, { input, key: place.key + start });
        issues.push(issue);
      }
      if (block.typed) for (const value of block.value) values.push(value);
    }
    const [first, ...others] = issues;
    return first === undefined
      ? { typed: true, value: values }
      : { typed: false, value: input, issues: [first, ...others] };
  };
  return { ...schema, "~run": runUntilFull };
};
