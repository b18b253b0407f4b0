import { unreadNote } from "../../domain/telemetry-notes.ts";
import type { Exchange } from "../../http/exchange.ts";

/** Warns of the fields of a request's body that its schema does not have. */
export const warnOfUnread = (
  { body, warn }: Pick<Exchange, "warn"> & { readonly body: object },
  { entries }: { readonly entries: object },
): void => {
  const note = unreadNote("the body", [body], Object.keys(entries));
  if (note !== null) warn(note);
};
