/** Headers of every reply: a browser takes it for what it says it is, and for nothing else. */
export const securityHeaders = { "X-Content-Type-Options": "nosniff" } as const;

/** Of a reply that holds a secret: nobody on its way keeps it. */
export const secretHeaders = { "Cache-Control": "no-store" } as const;
