import { isPlainObject } from "../parts/is-object.ts";
import type { MetricForm } from "./form.ts";

const texts = [
  "name",
  "target_type",
  "kind",
  "description",
  "instructions",
  "rule",
  "otherwise",
  "threshold",
  "model",
  "check",
  "fold",
];
const lists = ["scale", "statements", "evidence", "examples"];

/** True if a stored draft has the fields of a metric form. */
export const isForm = (value: unknown): value is MetricForm =>
  isPlainObject(value) &&
  texts.every((name) => typeof value[name] === "string") &&
  lists.every((name) => Array.isArray(value[name]));
