import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { dayOf, instantAt } from "../instant.ts";
import { Refusal, type Violation } from "../refusal.ts";

/** Seconds that a code of the CLI's sign-in is good for. */
export const codeSeconds = 120;

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** What is stored of a code: its SHA-256, in hex. */
export const hashOfCode = (code: string): string => sha256(code).toString("hex");

/** A new code: 256 random bits. */
export const newCode = (): { readonly code: string; readonly hash: string } => {
  const code = randomBytes(32).toString("base64url");
  return { code, hash: hashOfCode(code) };
};

/** Whether a challenge is the verifier's: the unpadded base64url of its SHA-256 (RFC 7636, S256). */
export const verifies = (verifier: string, challenge: string): boolean =>
  timingSafeEqual(sha256(sha256(verifier).toString("base64url")), sha256(challenge));

interface CodeRequest {
  readonly code_challenge_method: string;
  readonly expires_days: number;
}

/** Checks what the sign-in asks for beyond its form. @throws Refusal `invalid` naming everything that is not supported. */
export const checkCodeRequest = ({ code_challenge_method, expires_days }: CodeRequest): void => {
  const flaws = [
    code_challenge_method !== "S256" && [
      "code_challenge_method",
      "Unsupported code_challenge_method. Only 'S256' is allowed.",
    ],
    expires_days !== 90 && ["expires_days", "Only a 90-day key lifetime is supported for the CLI."],
  ];
  const violations = flaws.flatMap((flaw): Violation[] => {
    if (flaw === false) return [];
    const [field = "", msg = ""] = flaw;
    return [{ loc: ["body", field], msg, type: "value_error" }];
  });
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
};

const maxNameLength = 255;

/** What the key of a command line is called. @param now epoch milliseconds. */
export const cliKeyName = (label: string | null, now: number): string => {
  const given = label?.trim() ?? "";
  const name = `assay-cli — ${given === "" ? "cli" : given} — ${dayOf(instantAt(now))}`;
  // A pair of surrogates is not cut in two.
  return name.slice(0, maxNameLength).replace(/[\ud800-\udbff]$/u, "");
};
