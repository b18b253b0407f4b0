/**
 * The type `Actual` if it has no keys besides those of `Allowed`, else a type error. The compiler's own check misses
 * extra keys of objects built by spreading, and code that reads keys by name would silently ignore them.
 */
export type ExactKeys<Allowed, Actual> = Actual & { readonly [Key in Exclude<keyof Actual, keyof Allowed>]: never };
