import * as v from "valibot";
import { comparableEmail } from "../domain/access/email.ts";

/** Who may make organizations, as set at deploy time: whoever one of these holds for. Nobody when there are none. */
export const organizationCreators = v.object({
  /** Values by claim; a token has to name one of them. */
  claims: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  /** Domains of verified addresses. */
  emailDomains: v.exactOptional(v.array(v.string())),
});

type OrganizationCreators = v.InferOutput<typeof organizationCreators>;

type Claims = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A claim by its name, or by a path of names: `realm_access.roles`. */
const claimAt = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split(".")
        .reduce<unknown>((at, part) => (isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined), claims);

const namesOneOf = (value: unknown, wanted: readonly string[]): boolean =>
  [value].flat().some((one) => (typeof one === "string" || typeof one === "boolean") && wanted.includes(String(one)));

/**
 * Whether a user may make organizations, the one of a first sign-in among them.
 *
 * @param rules everybody may when absent.
 * @param email the user's verified address.
 */
export const mayOrganize = (rules: OrganizationCreators | undefined, claims: Claims, email: string | null): boolean => {
  if (rules === undefined) return true;
  const { claims: byClaim = {}, emailDomains = [] } = rules;
  const domain = email === null ? null : comparableEmail(email).split("@").at(-1);
  return (
    Object.entries(byClaim).some(([name, wanted]) => namesOneOf(claimAt(claims, name), wanted)) ||
    (domain !== null && domain !== undefined && emailDomains.includes(domain))
  );
};

/** As the authorizer asks it of a token. */
export type MayOrganize = (claims: Claims, email: string | null) => boolean;
