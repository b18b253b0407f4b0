/** Validation error of a form field. */
export interface Problem {
  /** Path of the field, such as `statements.0.text`. */
  readonly field: string;
  readonly message: string;
}
