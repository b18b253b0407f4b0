import type { Violation } from "../domain/refusal.ts";
import { maxObjectKeys } from "../domain/traces/limits.ts";

/**
 * Returns a violation for the first value of a parsed body that cannot be stored unchanged: text that is not well-formed
 * Unicode, or an object with too many keys. Free-form parts are checked too.
 */
export const unstorableValue = (body: unknown): Violation | null => {
  const pending: { value: unknown; loc: readonly (string | number)[] }[] = [{ value: body, loc: ["body"] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, loc } = next;
    if (typeof value === "string") {
      if (!value.isWellFormed()) return { loc, msg: "Text should be well-formed Unicode", type: "string_unicode" };
    } else if (Array.isArray(value)) {
      for (const [index, child] of value.entries()) {
        if (typeof child === "string" || typeof child === "object")
          pending.push({ value: child, loc: [...loc, index] });
      }
    } else if (typeof value === "object" && value !== null && !JSON.isRawJSON(value)) {
      const entries = Object.entries(value);
      if (entries.length > maxObjectKeys) {
        return { loc, msg: `Object should have at most ${maxObjectKeys} keys`, type: "too_many_keys" };
      }
      for (const [key, child] of entries) {
        if (!key.isWellFormed()) return { loc, msg: "Keys should be well-formed Unicode", type: "string_unicode" };
        if (typeof child === "string" || typeof child === "object") pending.push({ value: child, loc: [...loc, key] });
      }
    }
  }
  return null;
};
