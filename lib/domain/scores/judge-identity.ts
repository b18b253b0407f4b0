/** Who judged, and by which words: scores with the same `id` come from the same question, put to the same model. */
export interface JudgeIdentity {
  /** `<provider>/<model>#<version>`. */
  readonly id: string;
  /** Null where the model's name does not tell it. */
  readonly provider: string | null;
  readonly model: string;
  /** Changes when the same trace would be shown, asked about or reckoned with in another way. */
  readonly version: string;
}

/** @param model as it was asked, `<provider>/<model>`. @param version without a `#`. */
export const judgeIdentity = (model: string, version: string): JudgeIdentity => {
  const slash = model.indexOf("/");
  const provider = slash === -1 ? null : model.slice(0, slash);
  return { id: `${model}#${version}`, provider, model: model.slice(slash + 1), version };
};

/** The judge that an id names. */
export const judgeOfId = (id: string): JudgeIdentity => {
  const end = id.lastIndexOf("#");
  return judgeIdentity(id.slice(0, end), id.slice(end + 1));
};
