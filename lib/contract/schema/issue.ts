import type { BaseIssue } from "valibot";

/** Returns the field and the message of a schema's issue in an item that is parsed apart from its body. */
export const issueOf = ({
  path,
  message,
}: BaseIssue<unknown>): { readonly field: string; readonly message: string } => ({
  field: path?.map(({ key }) => String(key)).join(".") ?? "",
  message,
});
