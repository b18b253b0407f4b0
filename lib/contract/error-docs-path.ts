import type { ErrorCode } from "../domain/error-codes.ts";

/** Returns the path of an error code's description on the documentation page: `/docs#error-<code>`. */
export const errorDocsPath = (code: ErrorCode): string => `/docs#error-${code}`;
