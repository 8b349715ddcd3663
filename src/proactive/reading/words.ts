/** Words by which a message is understood: grammar and the verbs of work, in lower case and base form. */

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** What is done to a thing so that it is another afterwards. */
export const CHANGES = set(`
  abort accelerate adapt add adjust align allow alter annotate append apply archive assign attach automate
  backfill backport batch benchmark bind block boost bootstrap branch bring build bump bundle cache cancel catch
  centralize change chunk clean cleanup clear clone close coerce collapse combine comment commit compile
  complete compress compute configure connect consolidate containerize convert copy correct cover create cut
  cap capture debounce decouple decrease decrypt deduplicate default defer define delay delete deny deploy
  deprecate design detach develop disable disconnect dispatch dockerize document downgrade draft drop dump
  duplicate edit eliminate embed enable encapsulate encode encrypt enforce enhance enlarge ensure equip erase
  escape exclude execute expand expose export extend extract factor fetch fill filter finalize finish fix flatten
  flip flush force fork format freeze gate generate grant group guard handle harden hide hoist hook implement
  import improve include increase index initialize inject inline insert install instrument integrate
  introduce invalidate invert isolate kill launch limit link lint load localize lock log lower maintain make
  mark mask memoize merge migrate minify minimize mock modernize modify modularize mount move mute normalize
  offload omit optimize order organize overhaul override overwrite package paginate parallelize parameterize
  parse partition patch pause persist pin pipe polish populate port prefix prepare preload prerender prevent
  process promote protect prototype provide provision prune publish pull purge push put quote raise rearrange
  rebase rebuild recompile reconfigure recover recreate redact redeploy redesign redirect redo reduce refactor
  refresh regenerate register reimplement reindex reinstall relax release reload relocate remove rename
  render reorder reorganize repair replace replicate reseed reset reshape resize resolve restart restore
  restrict restructure retire retry reuse revert revise revoke rework rewrite roll rollback rotate route run
  sanitize save scaffold scale seed send separate serialize serve set setup share sharpen shorten shrink
  silence simplify skip solve sort speed spin split squash stabilize standardize start stop store stream
  streamline strip stub style subscribe submit support suppress swap switch sync tag terminate test
  throttle tidy tighten toggle track transform try turn translate transpile trigger trim truncate tune tweak type unblock
  undo uncomment unify uninstall unlock unpin unregister unsubscribe unwrap update upgrade upload upsert
  use validate vendor version virtualize ship round adopt address allocate amend calculate concatenate constrain dedupe delegate deliver
  detect discard double emit enrich evict fold hash highlight host hydrate ignore intercept join label lift map match
  mirror monitor nest nuke pad proxy query queue require scan scope script shard sign slim snapshot specify
  stage stash substitute tackle transfer unset vacuum yank allowlist blocklist warm whitelist widen wipe wire wrap write zip`);

/** What is found out; nothing is another afterwards, but it is work. */
export const INVESTIGATES = set(`
  investigate debug diagnose analyze analyse profile audit reproduce trace troubleshoot examine inspect
  review research explore evaluate bisect identify locate pinpoint compare measure triage verify assess
  determine figure`);

/** What is looked at, said or felt: neither a task nor an action. */
export const LOOKS = set(`
  show read view see look list print display explain describe tell summarize summarise recap clarify
  elaborate watch know understand learn hear listen talk discuss remember recall ask answer say speak wait think
  guess let be have go come leave thank wish hope like love enjoy feel
  help continue proceed begin believe imagine agree chat
  sing joke swim eat drink sleep walk mind stay sit relax quote
  wonder remind mean need want attend assume happen do point open
  recommend suggest propose advise estimate`);

/** Of these, what is a deed when it is proposed to be done to others. */
export const SAYINGS = set('show tell ask print display list explain describe have let quote');

/** What is looked for or made sure of; nothing is another afterwards, but it is work. */
export const SEARCHES = set('find search browse check confirm count look');

/** First words that are no verbs, whatever stands behind them. */
export const OPENERS = set(`
  about above after against all along although among and another any anybody anyone anything as at because
  before behind below beside besides between beyond both but by despite down during each either enough even
  every everybody everyone everything except few for from half hardly he her hers him his i if in inside instead
  into it its just less like many maybe me mine more most much my near neither never no nobody none nor
  not nothing of off on once one only onto or other others our out outside over past per perhaps quite
  rather several she since so some somebody someone something still such than that the their them then there
  these they this those though through till to too toward towards under unless until up upon us very via we
  well what whatever when whenever where wherever whether which while who whoever whose why with within
  without yet you your yours again always often sometimes usually never mostly maybe today yesterday tomorrow
  same another first second third last next yes no nope yeah hey hi hello sorry thanks good great nice bad cool
  wow ok okay sure fine right wrong true false`);

/** Verbs that are nouns as often: an order only where an order can stand. */
export const CLAUSE_VERBS = set('ensure verify check make confirm assume see let');

/** Behind the first word of an order; behind a noun they would make no sense. */
export const DETERMINERS = set(
  'a an the this that these those my our your his her its their all any some every each both no another it them us me everything something what whatever which sure more',
);

/** Verbs of a statement. */
export const FINITES = set(`
  look seem appear is are was were has had does did will would isn't aren't wasn't weren't hasn't doesn't didn't won't can't
  cannot couldn't fails looks works passes seems takes took broke breaks keeps gets got came went shows says
  needs ran stopped finished succeeded completed crashed crashes hangs throws threw exists lives happens happened
  makes helps matters doubled sounds causes requires costs could should might changed increased
  dropped decreased became becomes means ended starts started depends belongs contains returned returns`);
/** Forms that are statements only without a noun behind them: "build failed on CI", "fix failed tests". */
export const PARTICIPLES = set('failed passed broken failing timed passing');

/** Ends what the first verb governs: a finite verb behind it belongs to another clause. */
export const SUBORDINATORS = set(
  'that which whatever whichever who whose where because so if when whenever since as while until unless although though after before whether why how what',
);

/** Nothing by themselves: an order with only these does not say what is wanted. */
export const EMPTY = set(`
  it this that these those them they one ones thing things stuff something anything everything all both same
  again now then so there here way me us you we i my our your please too also just up down out off on in at
  to for of with by as ahead first next soon asap back away over the a an and or not no yes today tonight
  tomorrow right well better best more some any job work ok okay immediately already command commands sure is are
  was be do does did go try following above below quickly yourself myself still later once fine`);

const FOREIGN = set(`
  die sich bei sind oder noch auch nach bis sie unser unsere mehr wenn dass kannst könnte sollte muss mach mir uns man aus vom beim
  der das und ist nicht ein eine für mit auf bitte ich wir den dem zu im von wird kann
  des nos notre votre il ils peux peut faut mais ou ne sans tout cette ce ces aux leur
  le les une pour avec dans est et je nous vous pas du au sur que qui
  los nuestro puedes puede hay cuando esta este como más pero todos todas cada al
  el los las una para con por está que no es y en del se lo
  il gli che non per di è sono una con het een niet voor van en ik wij
  os não com uma por em do da proszę nie jest dla na się`);
const ENGLISH = set(
  'the a an is are was to and for of in it you we i that this with on my our be can not from at please do does what how has have should will would by when',
);

/**
 * Whether a sentence is in another language: by its small words, its letters or its script. Its grammar
 * is not known here, and its words look like English verbs ("Test", "Code").
 */
export function isForeign(words: readonly string[]): boolean {
  let foreign = 0;
  let english = 0;
  for (const word of words) {
    if (ENGLISH.has(word)) english += 1;
    if (FOREIGN.has(word)) foreign += 1;
    else if (!/[^ -~]/.test(word)) continue;
    else if (/[^\p{Script=Latin}\p{N}\P{L}]/u.test(word)) foreign += 2;
    else if (/[ßäöüñçãõąęłśżźćåøæîûêâôàèù]/.test(word)) foreign += 1;
  }
  return foreign >= 2 && foreign > english;
}

/** `adding` → `add`, `migrating` → `migrate`, `running` → `run`; `null` when no known verb is in it. */
export function verbOfGerund(word: string): string | null {
  return baseOf(word, 'ing');
}

/** `added` → `add`; regular forms and the commonest others. */
export function verbOfPast(word: string): string | null {
  return PASTS.get(word) ?? baseOf(word, 'ed');
}

const PASTS: ReadonlyMap<string, string> = new Map([
  ['built', 'build'],
  ['made', 'make'],
  ['ran', 'run'],
  ['wrote', 'write'],
  ['written', 'write'],
  ['rewrote', 'rewrite'],
  ['rewritten', 'rewrite'],
  ['rebuilt', 'rebuild'],
  ['sent', 'send'],
  ['split', 'split'],
  ['cut', 'cut'],
  ['put', 'put'],
  ['set', 'set'],
  ['reset', 'reset'],
  ['undid', 'undo'],
  ['hidden', 'hide'],
  ['hid', 'hide'],
  ['frozen', 'freeze'],
  ['overridden', 'override'],
  ['brought', 'bring'],
]);

function baseOf(word: string, ending: string): string | null {
  if (!word.endsWith(ending) || word.length < ending.length + 2) return null;
  const stem = word.slice(0, -ending.length);
  const candidates = [stem, `${stem}e`, stem.replace(/(.)\1$/, '$1')];
  if (ending === 'ed' && stem.endsWith('i')) candidates.push(`${stem.slice(0, -1)}y`);
  return candidates.find((verb) => isWork(verb)) ?? null;
}

/** Whether a verb is one of work; `re-index`, `rerun`, `undeploy` and `optimise` are, too. */
export function isWork(verb: string): boolean {
  if (CHANGES.has(verb) || INVESTIGATES.has(verb)) return true;
  const american = verb.replace(/is(e?)$/, 'iz$1');
  return CHANGES.has(american) || CHANGES.has(american.replace(/^(?:[a-z]{2,5}-|re|un|de)/, ''));
}
