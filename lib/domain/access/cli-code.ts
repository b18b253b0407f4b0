import { truncate } from "../text.ts";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { dayOf, instantAt } from "../instant.ts";
import { Refusal, type Violation } from "../refusal.ts";

/** Seconds that an authorization code of the CLI sign-in is valid. */
export const codeLifetimeSeconds = 120;

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Returns the stored form of an authorization code: its SHA-256 in hex. */
export const hashOfCode = (code: string): string => sha256(code).toString("hex");

/** Creates an authorization code of 256 random bits. */
export const newCode = (): { readonly code: string; readonly hash: string } => {
  const code = randomBytes(32).toString("base64url");
  return { code, hash: hashOfCode(code) };
};

/** True if a PKCE code challenge belongs to the verifier: the unpadded base64url of its SHA-256 (RFC 7636, S256). */
export const matchesChallenge = (verifier: string, challenge: string): boolean =>
  timingSafeEqual(sha256(sha256(verifier).toString("base64url")), sha256(challenge));

interface CodeRequest {
  readonly code_challenge_method: string;
  readonly expires_days: number;
}

/** Checks the values of a CLI sign-in request. @throws Refusal `invalid` listing every unsupported value. */
export const checkCodeRequest = ({ code_challenge_method, expires_days }: CodeRequest): void => {
  const problems = [
    code_challenge_method !== "S256" && [
      "code_challenge_method",
      "Unsupported code_challenge_method. Only 'S256' is allowed.",
    ],
    expires_days !== 90 && ["expires_days", "Only a 90-day key lifetime is supported for the CLI."],
  ];
  const violations = problems.flatMap((problem): Violation[] => {
    if (problem === false) return [];
    const [field = "", msg = ""] = problem;
    return [{ loc: ["body", field], msg, type: "value_error" }];
  });
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
};

const maxNameLength = 255;

/**
 * Builds the name of the API key that the CLI sign-in creates, at most 255 UTF-16 units.
 *
 * @param now epoch milliseconds.
 */
export const cliKeyName = (label: string | null, now: number): string => {
  const trimmedLabel = label?.trim() ?? "";
  return truncate(
    `assay-cli — ${trimmedLabel === "" ? "cli" : trimmedLabel} — ${dayOf(instantAt(now))}`,
    maxNameLength,
  );
};
