import type { ErrorCode } from "../domain/error-codes.ts";

/** Where the documentation's page says what an error is, below the service's address. */
export const errorPlace = (code: ErrorCode): string => `/docs#error-${code}`;
