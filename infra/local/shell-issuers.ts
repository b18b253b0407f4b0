import * as v from "valibot";
import { type IssuerSettings, jwtSetting } from "../settings/sign-in-settings.ts";
import { written } from "../settings/values.ts";

/**
 * The issuers that the shell's `JWT` names, as the setting `jwt` is written.
 *
 * @throws Error with one sentence when it cannot be read.
 */
export const shellIssuers = ({ JWT }: Readonly<Record<string, string | undefined>>): readonly IssuerSettings[] => {
  if (JWT === undefined || JWT === "") return [];
  const read = v.safeParse(written(jwtSetting), JWT);
  if (read.success) return [read.output].flat();
  const [{ message }] = read.issues;
  const path = v.getDotPath(read.issues[0]);
  throw new Error(`JWT${path === null ? "" : `.${path}`} ${message}.`);
};
