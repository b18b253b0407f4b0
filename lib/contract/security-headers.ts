/** Headers of every reply; `nosniff` makes browsers rely on the declared content type. */
export const securityHeaders = { "X-Content-Type-Options": "nosniff" } as const;

/** Headers of replies that contain a secret, so that no cache stores them. */
export const secretHeaders = { "Cache-Control": "no-store" } as const;
