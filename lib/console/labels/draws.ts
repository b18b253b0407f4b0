/** Titles of the orders in which the traces of a label set are drawn. */
export const draws = {
  random: "at random",
  stratified: "as many that pass as that fail",
  uncertain: "where the judge is least certain",
  lowest: "lowest scores first",
} as const;
