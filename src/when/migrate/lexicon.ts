/**
 * The English that a title of a decision is made of: enough to say which of its words is the verb.
 * General vocabulary of software work, in dictionary form; what stands nowhere here is a noun.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Verbs that are hardly ever nouns: at the start of a title they are an order. */
export const PURE_VERBS = words(
  `abandon abstract accept achieve acknowledge acquire activate adapt add address adjust adopt advertise
  aggregate agree align allocate allow analyze annotate append apply approve archive argue arrange ask
  assemble assert assign associate assume attach authenticate authorize automate avoid await balance be
  become begin behave belong bind bootstrap borrow bring buy calculate calibrate call cancel capture carry
  categorize centralize chain choose clarify classify clean clear clone close coerce collapse collect combine
  compare compile complete compose compress compute concatenate configure confirm connect consider
  consolidate construct consult consume contain continue control convert coordinate correct correlate create
  customize debug decide declare decode decompose decouple decrypt deduce deduplicate defer define degrade
  delegate delete deliver demand denormalize deny depend deploy deprecate derive describe deserialize
  destroy detect determine develop diagnose differentiate disable discard discover dispatch display dispose
  distinguish distribute divide do duplicate eliminate embed emit enable encapsulate encode encourage encrypt
  enforce enrich ensure enter enumerate escalate establish estimate evaluate evict evolve examine exclude
  execute expand expect expire explain explore expose express extend extract fail fall favor find finish fix
  flatten follow forbid fork formalize free freeze gather generate get give go grant grow guarantee handle
  have help hide hold identify ignore illustrate implement improve include increase incorporate infer inform
  inherit initialize initiate inject inline insert inspect instantiate instrument integrate interact intercept
  interpret introduce invalidate invert invoke isolate iterate join justify keep know label learn leave let
  leverage limit localize locate lose maintain make manage manipulate maximize mean measure memoize
  migrate minimize mitigate mix modify monitor mount move mutate navigate negotiate normalize notify observe obtain
  occur omit open operate optimize orchestrate organize override overwrite own paginate parallelize parse
  partition perform permit persist postpone prefer prepare present preserve prevent prioritize produce prohibit
  promote propagate propose protect prove provide provision prune publish pull push put quantize raise randomize
  reach read rebase recall receive recognize recommend reconcile reconnect record recover recreate redact
  redeploy redirect reduce refactor refer refresh refuse register reject relate rely remain remember remove rename
  render renew reorder reorganize repair repeat replace replicate replay represent reproduce require
  reschedule reserve resolve respect respond restore restrict resume retain rethrow retire retrieve
  return reuse revert revise revoke rewrite rotate run sanitize satisfy save say scaffold see seek segregate
  select send separate serialize serve set share shorten show simplify simulate skip snooze solve specify
  speed spawn stabilize standardize start stay stop store strip subscribe substitute succeed suggest
  summarize supply suppress surface suspend synchronize take teach tear tell terminate think throttle throw
  toggle tokenize transcribe transform translate transmit traverse treat troubleshoot truncate trust tune turn
  understand undo unify uninstall unsubscribe unwrap use validate vary verify visit visualize wait warm
  warn wrap write yield`,
);

/** Verbs whose bare form is also the noun of the act: "a split", "a retry", "the module split". */
export const ACTS = words(
  `access audit backup boot deploy reuse break build bump catch change check cleanup commit copy crash debounce delay
  design diff download drain drop dump escape export fetch filter flush format import install launch lint
  load lookup merge mutation overflow parse patch ping poll preload prefetch probe purge rebuild release
  reload replay reset restart retry review rollback rollout search seek shutdown sort split start startup
  stop sync tear teardown transfer transition update upgrade downgrade upload vendor setup layout`,
);

/** Things that are verbs, too: "log errors", but "log level". */
export const THINGS = words(
  `alias batch benchmark block bundle cache comment count debate document edit estimate flag gate group guard
  guide hash hook index key link list lock log map mark mask match mirror mock model name nest note order
  package page phrase pin plan point port post print process profile program project prompt proxy query queue
  quote rank rate reference report request route sample scale schedule scope score script seed shape ship
  shard sign signal snapshot spike stack stage state store stream structure stub stage style support switch
  tag target template test thread time trace track trigger type value version view watch weight work zip`,
);

/** Adjectives that have no suffix to be known by. */
export const ADJECTIVES = words(
  `absolute active adaptive async big blue broad clean cold concurrent consistent current custom dark deep
  default direct dirty dry dual eager early efficient empty explicit external fast final fine first flaky flat full
  green hard high hot idempotent implicit independent inline intelligent internal large last late lazy lean
  lightweight live local long loose low main manual minimal mixed modern modular multiple native new next noisy old
  only open opaque outer parallel partial permanent persistent plain pretty prior private progressive proper
  public pure quick random raw rapid red regular remote resilient safe secure shallow shared short silent
  similar simple single slow small smart smooth soft sparse stale stable static strict strong structured
  thin tight transparent unique unit upper urgent valid weak wide zero`,
);

/** Nouns that end like adjectives. */
export const NOT_ADJECTIVES = words(
  `approval archive boundary credential directive executable goal interval journal logic material metric
  narrative perspective portal primitive proposal removal renewal disposal retrieval rival signal table terminal topic
  traffic traversal trial tutorial variable initiative objective`,
);

/** Words in -ing that are no activity. */
export const ING_NOUNS = words(
  `anything being bring ceiling during earring evening everything finding heading king meeting morning
  nothing ping ring setting sibling something spelling spring sting string swing thing warning wing`,
);

/** Words in -ing that say what kind of thing it is: "missing files" is nothing one does. */
export const ING_ADJECTIVES = words(
  `breaking competing conflicting corresponding dangling existing failing following incoming increasing
  leading long-running matching missing ongoing outgoing outstanding pending remaining running surrounding
  trailing underlying upcoming`,
);

/** Nouns without a plural. */
export const MASS_NOUNS = words(
  `access advice auth authentication authorization bandwidth behavior capacity code concurrency config content
  context coverage data documentation equipment feedback hardware help history html http infrastructure
  information input isolation json knowledge latency logic markdown memory metadata money music output
  ownership performance persistence prose progress quality research safety security software sql state
  storage stuff syntax telemetry text throughput traffic usage work xml yaml advice css whitespace sync
  debt user-input error-prone drift boilerplate`,
);

/** Nouns that look as if they named an act of their verb, and name a thing. */
export const THING_NOUNS = words(
  `action addition application argument assignment collection comment communication component condition
  convention direction document edition element environment exception expression extension function
  increment instruction message moment option package partition permission portion position
  presentation production question relation requirement section segment sentence session solution statement
  station subscription transaction transition version performance reference sequence sentence difference
  preference message page stage language image storage-class implement instrument supplement`,
);

/** Phrasal nouns that name a thing. */
export const PHRASAL_THINGS = words(
  `callback feedback input layout output payback throughput timeout workaround standup markup mockup`,
);

export const ARTICLES = words('a an the our your my its their this that these those some any');
export const NEGATIONS = words('never not no dont don without');
export const MODALS = words('must should can may shall will would need needs cannot');
export const COPULAS = words('is are was were be gets get');
export const PREPOSITIONS = words(
  `about above across after against along alongside among around as at before behind below beneath beside
  between beyond by despite during for from in inside into like near of off on onto out outside over per
  since through throughout to toward towards under until upon using versus via vs when where while with
  within without`,
);
export const CONJUNCTIONS = words('and or but nor so because if than then unless whether plus');
const ADVERBS = words(
  `again all always asynchronously away back both by case each early either every everything everywhere
  fast first here how instead it just last late less more most never no not nothing now on once one only
  often out per rarely them there things together twice two three up us what when which who why you`,
);

/** Behind a word that may be verb or noun, such a word says that it was the verb. */
export function followsVerb(word: string): boolean {
  return ARTICLES.has(word) || ADVERBS.has(word) || word === 'before' || word === 'after';
}

export function isVerb(word: string): boolean {
  const plain = word.replace(PREFIX, '');
  return [word, plain].some((one) => PURE_VERBS.has(one) || ACTS.has(one) || THINGS.has(one));
}

/** Makes another verb of a verb: `autocommit`, `prefilter`. */
const PREFIX = /^(?:auto|re|pre|un|de|over|mis|cross)(?=[a-z]{3})/;

/** Word that only holds others together. */
export function isFunctionWord(word: string): boolean {
  return (
    ARTICLES.has(word) ||
    PREPOSITIONS.has(word) ||
    CONJUNCTIONS.has(word) ||
    MODALS.has(word) ||
    COPULAS.has(word) ||
    NEGATIONS.has(word)
  );
}
