import { mutantsOf, type Mutant } from "./mutant.ts";

const [queueTests, setTests, trustTests, drawTests, correctionTests, statisticsTests] = [
  ["test/store/labels/label-queue.test.ts"],
  ["test/api/labels/label-sets.test.ts"],
  ["test/api/labels/trust.test.ts"],
  ["test/api/labels/draws.test.ts"],
  ["test/api/labels/corrected-rates.test.ts"],
  [
    "test/unit/domain/labels/correction.test.ts",
    "test/unit/domain/labels/oracles.test.ts",
    "test/unit/domain/labels/simulation.test.ts",
  ],
] as const;

/** Mutants of label sets, their queue, and what their labels become. */
export const labels: readonly Mutant[] = [
  ...mutantsOf("lib/store/labels/sets.ts", queueTests, {
    "the condition that nobody has changed the queue of a label set since it was read": [
      'when: "rev = :before",',
      'when: "rev = :before OR attribute_exists(rev)",',
    ],
    "hiding a label set that is being deleted": ["set.isDeleted ? null", "set.revision < 0 ? null"],
    "the mark of a label set that is being closed, by which the sweep finds it": [
      'state.status === "CLOSING"',
      'state.status === "CLOSED"',
    ],
  }),
  ...mutantsOf("lib/store/labels/erase.ts", queueTests, {
    "the mark of a label set whose project is being deleted: people go on labelling": [
      '"SET x = :true, rev = rev + :one"',
      '"SET y = :true, z = :one"',
    ],
  }),
  ...mutantsOf("lib/domain/labels/queue.ts", queueTests, {
    "the leases of others in the room of an item": ["labels + (leased.get(place)?.length ?? 0)", "labels"],
    "the end of a lease": ["({ until }) => until > now)", "({ until }) => until > 0)"],
    "the room of an item when a lease has run out": [
      "takenBy(queue, place, person, now) >= queue.width",
      "takenBy(queue, place, person, now) >= 99",
    ],
    "the lease of a person who labels": ["(needsLease && lease === undefined)", "(needsLease && lease === null)"],
    "passing over what a person has labelled": [" || hasLabelled(queue, place, person)) continue;", ") continue;"],
  }),
  ...mutantsOf("lib/store/labels/publish.ts", queueTests, {
    "the ids of scores, which follow from their labels": [
      'derivedUuid("label-score", set, ',
      'derivedUuid("label-score", String(Math.random()), set, ',
    ],
    "the place up to which labels are published, which another closer may have moved": [
      'state.status !== "CLOSING" || state.publishedTo !== from',
      "state.publishedTo < 0",
    ],
  }),
  ...mutantsOf("lib/maintenance/close-label-sets.ts", queueTests, {
    "the turns of other label sets after one that fails": ["failures.push(error);", "throw error;"],
  }),
  ...mutantsOf("lib/store/scores/creation.ts", setTests, {
    "the content that a label was about": ["content.version !== contentVersion)", "content.version < 0)"],
  }),
  ...mutantsOf("lib/handlers/labels/queue.ts", setTests, {
    "the check that a label set is open": ['if (state.status !== "OPEN") throw', "if (state.status === null) throw"],
    "checking all lines of an upload before the first is stored": ["    await store(set, 0, sent.length);\n", ""],
  }),
  ...mutantsOf("lib/http/labels/reply.ts", ["test/api/labels/labellers.test.ts"], {
    "the word that a labeller's blindness is enforced": [
      'keyAccess === "label" ? "enforced"',
      'keyAccess === null ? "enforced"',
    ],
  }),
  ...mutantsOf("lib/handlers/labels/trust.ts", trustTests, {
    "the content of a verdict": ["score.content_version === version &&", ""],
    "the judge of a verdict": ["name === null || judge.id === name", "name !== judge.model || judge.id === name"],
  }),
  ...mutantsOf("lib/evaluation/start/label-metrics.ts", trustTests, {
    "the text of a metric when a set was made": ["?? null) === textHash", "?? textHash) !== null"],
  }),
  ...mutantsOf("lib/domain/labels/draw.ts", drawTests, {
    "the order of a draw by scores": [".toSorted((a, b) => Number(a[by]) - Number(b[by]))", ""],
    "taking traces that pass and that fail in turns": ["passed === false", "passed === true"],
  }),
  ...mutantsOf("lib/domain/labels/correction.ts", [...statisticsTests, ...correctionTests], {
    "the judges that labels are about": ["judges.size === 0 || judges.has(judge)", "judge !== null"],
    "the preference for labels of random items": ["Number(b.isRandom) - Number(a.isRandom) || ", ""],
    "the preference for the largest set of labels": [
      "labelCounts(b.confusion).all - labelCounts(a.confusion).all",
      "labelCounts(a.confusion).all - labelCounts(b.confusion).all",
    ],
    "leaving several judges uncorrected": ["judges.size > 1", "judges.size > 99"],
  }),
  ...mutantsOf("lib/store/scores/units/read.ts", correctionTests, {
    "leaving scores of people out of a judge's rate": [
      'withJudges && source === "AUTOMATED"',
      'withJudges && source !== "PROGRAMMATIC"',
    ],
  }),
  ...mutantsOf("lib/handlers/labels/trust.ts", correctionTests, {
    "the draw of a set whose labels correct rates": ["isRandom: set.isRandom", "isRandom: true"],
  }),
  ...mutantsOf("lib/handlers/labels/create.ts", correctionTests, {
    "listed traces, which are no random sample": ["body.trace_ids == null && [", "["],
    "score filters, which select no random sample": ["(names = []) => names.length === 0", "() => true"],
  }),
  ...mutantsOf("lib/handlers/labels/create.ts", drawTests, {
    "the random places of what a draw takes": [
      "shuffled(drawOrder(body.draw, candidates).slice(0, body.size))",
      "drawOrder(body.draw, candidates).slice(0, body.size)",
    ],
  }),
  ...mutantsOf("lib/store/labels/sets.ts", correctionTests, {
    "the corrections by a set that is deleted": ["await trust.forget(project, name, id)", "void name"],
  }),
  ...mutantsOf("lib/domain/labels/corrected-rate.ts", statisticsTests, {
    "the effective number of verdicts in sessions": ["effectiveCount(verdicts), level95", "verdicts.count, level95"],
    "the test of a judge's skill": ["floor.lower <= 0", "floor.lower <= -1"],
  }),
];
