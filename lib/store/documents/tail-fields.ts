/**
 * Numbers of the fields in the tail of a packed row; none is ever given to another field. Filters with the keys of usage have a
 * field of their own, so that an earlier version, which knows other keys, reads the document. Number 4 was a derivation by other
 * rules: rows of earlier versions have it, and count as rows without a derivation.
 */
export const tailFields = {
  facts: 1,
  spanIds: 2,
  ages: 3,
  usageSpanIds: 5,
  derivation: 6,
  ending: 7,
  spans: 10,
  preview: 11,
  metadata: 12,
  provenance: 13,
  firstError: 14,
} as const;
