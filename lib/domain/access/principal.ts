/** Who sent a request, verified. A key speaks for its organization, a user for all that the user is a member of. */
export type Principal =
  | { readonly kind: "key"; readonly keyId: string; readonly organizationId: string }
  | { readonly kind: "user"; readonly userId: string };

export interface Project {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
}

/** A project as those who write into it find it. */
export interface CallersProject extends Project {
  /** Keys of traces' metadata that rows carry. */
  readonly metadataKeys: readonly string[];
}

/** The user who speaks; null for a key, which speaks for nobody in particular. */
export const userOf = (principal: Principal): string | null => (principal.kind === "user" ? principal.userId : null);
