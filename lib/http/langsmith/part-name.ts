import { canonicalUuid } from "../../domain/text.ts";

/** Lists of a batch, by which the names of its parts begin. */
export const kinds = ["post", "patch", "feedback"] as const;

type Kind = (typeof kinds)[number];

/** Fields of a run that the SDKs send as parts of their own. */
const separateFields = new Set(["inputs", "outputs", "events", "extra", "error", "serialized", "attachments"]);

/** Name of a part of a form, read: a run or feedback, a field of a run, or an attachment of a run. */
export type PartName =
  | { readonly kind: Kind; readonly id: string; readonly field: string | null }
  | { readonly kind: "attachment"; readonly id: string; readonly field: string };

const uuidAndField = /^([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})(?:\.(.+))?$/isu;

/** Splits what is behind the kind. An id that is no UUID may contain dots, but not end like a field of a run. */
const idAndField = (kind: Kind, text: string): { readonly id: string; readonly field: string | null } => {
  const [, id, field = null] = uuidAndField.exec(text) ?? [];
  if (id !== undefined) return { id: canonicalUuid(id), field };
  const dot = text.lastIndexOf(".");
  const suffix = text.slice(dot + 1);
  return kind !== "feedback" && dot > 0 && separateFields.has(suffix)
    ? { id: text.slice(0, dot), field: suffix }
    : { id: text, field: null };
};

/** Reads the name of an attachment. Names of the SDKs' attachments have no dots; an id that is no UUID has none here. */
const attachmentOf = (text: string): PartName | null => {
  const [, id, field] = uuidAndField.exec(text) ?? /^([^.]+)\.(.+)$/su.exec(text) ?? [];
  return id === undefined || field === undefined ? null : { kind: "attachment", id, field };
};

/**
 * Reads the name of a part, such as `post.0193e3f2-5b1c-7000-8000-0123456789ab.inputs`; null for one with another beginning or another
 * field.
 */
export const partNameOf = (name: string): PartName | null => {
  const dot = name.indexOf(".");
  const [prefix, text] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
  if (text === "") return null;
  if (prefix === "attachment") return attachmentOf(text);
  const kind = kinds.find((each) => each === prefix);
  if (kind === undefined) return null;
  const { id, field } = idAndField(kind, text);
  return field !== null && (kind === "feedback" || !separateFields.has(field)) ? null : { kind, id, field };
};
