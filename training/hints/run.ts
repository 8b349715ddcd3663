/**
 * `npm run train -- hints`: makes src/proactive/hint-weights.json again from projects of authors who saw
 * neither code nor examples (eval/hints/offers/development.json) and moments of our own; with `--check`
 * it only tells how well projects are judged by what is learned from the others.
 */
import { writeFileSync } from 'node:fs';
import {
  COMMAND_MOMENTS,
  HARDER_MOMENTS,
  KNOWN,
  MOMENTS,
  UNSEEN_MOMENTS,
} from '../../__tests__/fixtures/hint-moments.js';
import { readProjects } from '../../eval/hints/offers/measure.js';
import { componentMentions } from '../../src/hints/index.js';
import { meaning } from '../../src/proactive/gate/features.js';
import {
  compareHints,
  type HintMoment,
  type HintWeights,
  type HintWords,
  likelyHints,
  likest,
  occasionOf,
  signsOf,
} from '../../src/proactive/gate/hint-gate.js';
import {
  type Features,
  logitOf,
  opens,
  type Regression,
  rarityIn,
  type Signs,
  sumOfSigns,
} from '../../src/proactive/gate/weights.js';
import { regression } from '../gate/regression.js';
import { learnSigns, rounded } from '../signs.js';

const TARGET = new URL('../../src/proactive/hint-weights.json', import.meta.url);
const SOURCE = new URL('../../eval/hints/offers/development.json', import.meta.url);

/** All chosen by judging projects by the others (`--check`); the threshold is the lowest that is right in 90 %. */
const PENALTY = 10;
const SIGN_PENALTY = 6;
const LEAST_SIGN = 0.02;
const THRESHOLD = 0.6;
/** Parts of the projects, each judged by what is learned from the others. */
const PARTS = 5;
const CHECKED_PARTS = 6;
/** As `hintMatch.max_results`. */
const MOST = 2;

const around = {
  rarity: rarityIn({ size: 0, documentFrequency: () => 0 }),
  meaning,
  opens,
};

interface Turn {
  project: string;
  moment: HintMoment;
  hints: (HintWords & { id: string })[];
  want: readonly string[];
  may: readonly string[];
  features: readonly Features[];
}
type Told = Omit<HintWords, 'isNamed'> & { id: string };

const KIND = {
  message: 'message',
  intent_stated: 'stated',
  task_start: 'stated',
  action_planned: 'planned',
  action_completed: 'failed',
} as const;

function turnOf(
  moment: HintMoment,
  told: readonly Told[],
  more: Pick<Turn, 'project' | 'want' | 'may'>,
): Turn {
  const components = [...new Set(told.map(({ component }) => component))];
  const said = `${moment.text}\n${moment.error ?? ''}`;
  const named = new Set(componentMentions(said, components).map(({ name }) => name));
  const hints = told.map((hint) => ({ ...hint, isNamed: named.has(hint.component) }));
  return { ...more, moment, hints, features: compareHints(moment, hints, around) };
}

function strangers(): Turn[] {
  return readProjects(SOURCE).flatMap(({ project, hints, turns }) =>
    turns
      // What succeeded brings no hint, as it is routed.
      .filter(({ kind, error }) => kind !== 'action_completed' || error !== undefined)
      .map(({ kind, text, error, want, may }) =>
        turnOf({ kind: KIND[kind], text, error }, hints, { project, want, may }),
      ),
  );
}

function own(): Turn[] {
  const all = Object.entries(KNOWN).flatMap(([component, keys]) =>
    Object.entries(keys).map(
      ([key, [value = '', ...tags]]): Told => ({
        id: `${component}/${key}`,
        ...{ component, key, value, tags },
      }),
    ),
  );
  const one = all.filter(({ component }) => component === 'http-proxy');
  const said = [...MOMENTS, ...HARDER_MOMENTS, ...UNSEEN_MOMENTS].map((each) => ({
    ...each,
    moment: { kind: 'message', text: each.text } as const,
  }));
  const run = COMMAND_MOMENTS.map(({ error, ...each }) => ({
    ...each,
    moment: { kind: error === undefined ? 'planned' : 'failed', text: each.text, error } as const,
  }));
  return [...said, ...run].map(({ moment, store, hints }) =>
    turnOf(moment, store === 'one' ? one : all, { project: 'own', want: hints, may: [] }),
  );
}

const isWanted = ({ want }: Turn) => want.length > 0;

interface Example {
  features: Features;
  label: boolean;
}

function headOf(examples: readonly Example[]): Regression {
  const names = Object.keys(examples[0]?.features ?? {}).sort();
  const head = regression(
    examples.map(({ features }) => Float64Array.from(names, (name) => features[name] ?? 0)),
    examples.map(({ label }) => (label ? 1 : 0)),
    examples.map(() => 1),
    PENALTY,
  );
  return {
    bias: rounded(head.bias),
    features: names.map((name, at) => [
      name,
      rounded(head.mean[at] ?? 0),
      rounded(head.spread[at] ?? 1),
      rounded(head.weights[at] ?? 0),
    ]),
  };
}

/** Which hint is meant, where one is. */
function learnWhich(turns: readonly Turn[]): Regression {
  const examples = turns.filter(isWanted).flatMap(({ hints, features, want, may }) =>
    hints.flatMap(({ id }, at) => {
      const label = want.includes(id);
      if (!label && may.includes(id)) return [];
      return [{ features: features[at] ?? {}, label }];
    }),
  );
  return headOf(examples);
}

const signsIn = ({ moment, hints, features }: Turn): Set<string> =>
  signsOf(moment, hints[likest(features)] as HintWords);

/** Whether a turn wants any hint, by its words. */
const learnOccasions = (turns: readonly Turn[]): Signs =>
  learnSigns(
    turns.map((turn) => ({ signs: signsIn(turn), label: isWanted(turn) })),
    SIGN_PENALTY,
    LEAST_SIGN,
  );

/** Projects in parts: every n-th of them. */
function partsOf(turns: readonly Turn[], count: number): (readonly [Turn[], Turn[]])[] {
  const names = [...new Set(turns.map(({ project }) => project))];
  return Array.from({ length: count }, (_, part) => {
    const isIn = ({ project }: Turn) => names.indexOf(project) % count === part;
    return [turns.filter(isIn), turns.filter((turn) => !isIn(turn))] as const;
  });
}

function learn(turns: readonly Turn[]): HintWeights {
  // What the first two say of a turn is learned from other projects, else it would be trusted too much.
  const examples = partsOf(turns, PARTS).flatMap(([judged, others]) => {
    const [which, signs] = [learnWhich(others), learnOccasions(others)];
    return judged
      .filter((turn) => isWanted(turn) || turn.may.length === 0)
      .map((turn): Example => {
        const logits = turn.features.map((features) => logitOf(which, features));
        const features = occasionOf(
          turn.moment,
          turn.features,
          logits,
          sumOfSigns(signs, signsIn(turn)),
        );
        return { features, label: isWanted(turn) };
      });
  });
  return {
    made: `${turns.length} turns, penalties ${PENALTY} and ${SIGN_PENALTY}`,
    threshold: THRESHOLD,
    which: learnWhich(turns),
    occasion: headOf(examples),
    signs: learnOccasions(turns),
  };
}

/** Precision and recall of turns by weights that were learned without their projects. */
function check(): void {
  const [turns, mine] = [strangers(), own()];
  const judged = partsOf(turns, CHECKED_PARTS).flatMap(([some, others]) => {
    const weights = learn([...others, ...mine]);
    return some.map((turn) => ({
      turn,
      likely: likelyHints(turn.moment, turn.hints, around, weights),
    }));
  });
  const wanted = turns.reduce((sum, { want }) => sum + want.length, 0);
  for (const threshold of [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75]) {
    const found = judged.flatMap(({ turn, likely }) =>
      likely
        .map((probability, at) => ({ turn, probability, id: turn.hints[at]?.id ?? '' }))
        .filter(({ probability }) => probability >= threshold)
        .sort((a, b) => b.probability - a.probability)
        .slice(0, MOST),
    );
    const right = found.filter(({ turn, id }) => turn.want.includes(id)).length;
    const wrong = found.filter(({ turn, id }) => ![...turn.want, ...turn.may].includes(id)).length;
    const figures = [right / Math.max(1, right + wrong), right / wanted];
    const [precision, recall] = figures.map((figure) => figure.toFixed(2));
    console.log(`${threshold}: precision ${precision}, recall ${recall}`);
  }
}

export function run(argv: string[]): number {
  if (argv.length > 0 && argv.join() !== '--check') {
    console.error('npm run train -- hints [--check]');
    return 2;
  }
  if (argv.length > 0) check();
  else {
    writeFileSync(TARGET, `${JSON.stringify(learn([...strangers(), ...own()]), null, 1)}\n`);
  }
  return 0;
}
