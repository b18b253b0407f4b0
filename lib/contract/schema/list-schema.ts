import * as v from "valibot";
import { maxViolations } from "../../domain/refusal.ts";

/**
 * Like valibot's `array`, but stops validating after `maxViolations` issues, the most that a reply lists: the issues of a
 * million items would not fit in a function's memory.
 */
export const arrayOf = <Item extends v.GenericSchema>(item: Item): v.ArraySchema<Item, undefined> => {
  const schema = v.array(item);
  const runSchema = schema["~run"].bind(schema);
  const runUntilLimit: typeof runSchema = (dataset, config) => {
    const { value: input } = dataset;
    if (!Array.isArray(input) || input.length <= maxViolations) return runSchema(dataset, config);
    const values: v.InferOutput<Item>[] = [];
    const issues: v.InferIssue<Item>[] = [];
    for (let start = 0; start < input.length && issues.length < maxViolations; start += maxViolations) {
      const block = runSchema({ value: input.slice(start, start + maxViolations) }, config);
      for (const issue of block.issues ?? []) {
        const place = issue.path?.[0];
        if (place?.type === "array") Object.assign(place, { input, key: place.key + start });
        issues.push(issue);
      }
      if (block.typed) for (const value of block.value) values.push(value);
    }
    const [first, ...otherIssues] = issues;
    return first === undefined
      ? { typed: true, value: values }
      : { typed: false, value: input, issues: [first, ...otherIssues] };
  };
  return { ...schema, "~run": runUntilLimit };
};
