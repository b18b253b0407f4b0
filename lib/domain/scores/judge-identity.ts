/** The identity of a judge: scores with the same `id` come from the same prompt, answered by the same model. */
export interface JudgeIdentity {
  /** Judge model and prompt version: `<provider>/<model>#<version>`. */
  readonly id: string;
  /** Provider of the model; null if the model's name does not contain it. */
  readonly provider: string | null;
  readonly model: string;
  /**
   * Prompt fingerprint: changes with the rendering of traces, the questions, or the computation of the score from the
   * answers.
   */
  readonly version: string;
}

/** Builds a judge's identity. @param model `<provider>/<model>` as requested. @param version must not contain `#`. */
export const judgeIdentity = (model: string, version: string): JudgeIdentity => {
  const slash = model.indexOf("/");
  const provider = slash === -1 ? null : model.slice(0, slash);
  return { id: `${model}#${version}`, provider, model: model.slice(slash + 1), version };
};

/** Parses the id of a judge's identity. */
export const judgeOfId = (id: string): JudgeIdentity => {
  const end = id.lastIndexOf("#");
  return judgeIdentity(id.slice(0, end), id.slice(end + 1));
};
