/**
 * What is given, if it has no key that is not known. Objects that were made by spreading escape the compiler's own check,
 * and what reads them by name ignores what it does not know.
 */
export type NothingElse<Known, Given> = Given & { readonly [Key in Exclude<keyof Given, keyof Known>]: never };
