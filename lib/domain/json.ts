/** Any JSON value. Numbers that a double would change are `JSON.rawJSON` objects and serialize as they were written. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };
