/**
 * The verbs a request can begin with, by what a time behind them means. "remind me … at 5pm" is when to
 * speak; "find a train … at 5pm" is what to look for. The base form alone is listed: "reminds" and
 * "reminded" are statements.
 */

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** Speaking to somebody at a time: the time is always the time to speak. */
export const REMIND = words(
  'remind notify nudge wake warn alert ping poke buzz nag bug prompt beep page dm message msg text holler',
);

/** Also nouns, or names of acts of our own: they need somebody to speak to. */
export const REMIND_NEEDS_OBJECT = words(
  'alert buzz prompt page dm message msg text bug call ring phone email mail warn beep page poke',
);

export const DELIVER = words(
  'tell send post say ask give show read share publish tweet broadcast announce report deliver forward play sing wish greet ' +
    'quiz congratulate praise motivate encourage inspire brief email mail fetch bring dm inform quote',
);

/** Verbs that are as often nouns: "watch party", "review session" begin no order. */
export const NOUN_LIKE = words(
  'check post backup report test review run watch update deploy build record track log monitor scan sync export import archive play ' +
    'share show study research plan list recap draft trade order book brief digest forecast ping load charge ring sound light cycle ' +
    'tune flag mark graph chart measure process release ship launch start stop close open cache index score rank rate vote mirror ' +
    'transfer invoice bill snapshot dump patch upgrade trigger query refresh water feed push pull press cook sale buy reply answer ' +
    'question quiz estimate balance hedge stake claim swap mint prompt email text message alert notice race dance practice',
);
/** Bare nouns that such a verb often takes as its object. */
const BARE_OBJECTS = words(
  'email mail inbox slack twitter discord telegram github news weather traffic production staging prod maintenance status disk memory cpu usage ' +
    'space health uptime latency bitcoin btc eth ethereum crypto gold oil feedback content data code everything anything something ' +
    'unread unanswered new all open pending incoming music jazz yesterday daily weekly monthly recent latest current any each every ' +
    'system server website garbage cleanup work progress revenue spending attendance sentiment engagement compliance security ' +
    'stock inventory water plants cat dog dogs kids homework rent standup',
);

/** May this word be the object of a noun-like verb, or does it make a compound noun with it? */
export function isBareObject(low: string): boolean {
  return BARE_OBJECTS.has(low) || (/[^s]s$/.test(low) && low.length > 3);
}

/** Work the agent can do at a time. */
export const DO = words(
  'check summarize summarise run execute back backup clean restart reboot reload deploy redeploy sync synchronize pull push scan ' +
    'monitor review generate compile collect gather analyze analyse audit archive rotate refresh export import download upload ' +
    'verify test measure log record track count compute prepare draft turn switch open close lock unlock start stop launch ' +
    'trigger kick process purge prune delete remove clear empty renew rebuild build compress copy move merge rebase reindex ' +
    'validate inspect look watch poll query train retrain update upgrade patch do make invoke evaluate consolidate reflect ' +
    'organize organise sort triage label tag reply respond answer follow suggest recommend pick choose propose remake ' +
    'recalculate recompute resend repost rerun retry revisit recheck snapshot dump flush reset heal probe crawl ' +
    'scrape parse index rank score dim mute unmute enable activate boot shut power charge water feed tidy curate digest ' +
    'aggregate extract convert transform render print sum total reconcile bill invoice pay transfer submit commit tick ' +
    'bump vacuum defrag optimize optimise tune warm cool heat brew roll ship release dispatch queue enqueue drain sweep ' +
    'evict expire invalidate revoke rekey encrypt decrypt mirror replicate restore migrate seed populate fill warmup cycle ' +
    'survey study research investigate explore keep set put get grab take load cache list recap outline rewrite refactor ' +
    'increase decrease raise lower add create write plan find search compare calculate translate order book reserve buy sell ' +
    'trade invest stake claim swap rebalance mint hedge harvest compound learn teach tweet moderate welcome scold ' +
    'ring sound chime light illuminate spin rake mow vote rate estimate forecast predict flag escalate assign ' +
    'ingest embed tabulate graph chart plot visualize visualise highlight mark dedupe deduplicate ' +
    'hit curl grep shout whisper knock tap google lookup explain describe define discuss brainstorm proofread correct fix repair resolve',
);

/** A single time behind these is usually part of what is wanted: "find a flight tomorrow at 9". */
export const SEARCH = words(
  'find search book reserve buy order explain describe translate list plan show create add put get grab look compare teach ' +
    'calculate convert suggest recommend define write draft google lookup research explore investigate forecast predict ' +
    'estimate learn read watch discuss brainstorm rate vote pick choose propose set make update move copy note give outline recap',
);

/** What only people do: said to an agent it is advice, an invitation, or meant as a reminder. */
export const HUMAN = words(
  'drink eat sleep exercise stretch walk jog swim cook shower brush wash shave workout meditate breathe rest relax nap pray ' +
    'smoke vote marry dance hydrate floss blink smile laugh call phone drive fly ride travel shop pack practice rehearse ' +
    'swallow apply dust iron hoover visit attend pick drop celebrate cuddle hug kiss pet',
);

/** Never an order to an agent, however imperative they look. */
export const NO_ORDER = words(
  'be have see come go meet join wait stay enjoy hope remember forget note imagine suppose assume consider think guess believe ' +
    'know let love like hate hold hang stand sit arrive leave bet mind care dream feel hear understand recall realize realise ' +
    'pretend presume expect try want need wonder seem happen become beware behold bless damn ' +
    'cancel skip snooze pause resume postpone reschedule unschedule disable delay ignore quit cease rename undo never ' +
    'can could will would should shall may might must does did is are was were am has had bring picture ' +
    'face date miss bear cheer chill cry die fall grow lie live lose matter mean owe own possess remain resemble rise ' +
    'survive taste weigh win work worry allow agree disagree argue admit deny admire appreciate approve blame fear regret thank trust excuse forgive pardon save beat',
);

/** Nouns of schedule management: "change my reminder" is about a trigger, it does not make one. */
export const MANAGED =
  /^(?:reminders?|alarms?|timers?|triggers?|schedules?|task|tasks|job|jobs|cron|cronjobs?|notifications?|alerts?|automations?|routines?|recurring|recurrence)$/;

/** Verbs that manage what exists; with a managed noun behind them nothing new is asked for. */
export const MANAGE = words(
  'cancel delete remove stop disable pause resume skip snooze postpone delay reschedule move change edit update rename list show ' +
    'turn switch kill end clear drop mute unmute enable modify adjust shift push bump check review find see display explain ' +
    'describe view read tell get give put keep reset shut close undo unschedule replace merge copy silence repeat dismiss',
);

/** Third-person present forms that make a clause a statement. Nouns of the same form are left out. */
const STATEMENT_S = words(
  'runs starts opens closes begins ends happens arrives leaves departs goes comes gets takes makes keeps fails meets restarts ' +
    'crashes fires triggers sends calls works says tells asks wants needs likes loves hates lives stops stays looks seems feels ' +
    'sounds means gives does has is becomes wakes eats drinks sleeps walks drives flies rings plays reads writes posts pings ' +
    'reminds shows breaks dies returns reboots deploys refreshes resets expires renews finishes completes ' +
    'launches rises sets falls occurs appears disappears repeats recurs lasts continues goes serves sells pays costs times ' +
    'receives believes thinks knows hopes remembers forgets sees hears',
);
/** Past forms that differ from the base form and are no adjectives in front of nouns. */
const STATEMENT_PAST = words(
  'was were had did went came ran got took made kept failed met restarted crashed fired sent called worked said told asked wanted ' +
    'needed liked loved hated lived stopped stayed looked seemed felt sounded meant gave became woke ate drank slept walked drove ' +
    'flew rang wrote pinged reminded showed broke died returned rebooted happened arrived left departed started began ended ' +
    'finished launched rose fell occurred appeared lasted continued sold paid received thought knew hoped forgot saw heard ' +
    'used bought brought caught found lost won spoke spent stood taught understood wore sat chose dealt drew held hung grew',
);
const AUXILIARY = words(
  "is are was were am isn't aren't wasn't weren't has had hasn't hadn't haven't does did doesn't didn't will would won't wouldn't " +
    "can can't cannot could couldn't should shouldn't might must shall it's that's there's he's she's what's who's i'm you're we're " +
    "they're i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd i've you've we've they've 's",
);
const PRONOUN_SUBJECTS = words('i we they he she it you');

/** A verb that has a subject: the clause it stands in states something. */
export function hasSubject(low: string): boolean {
  return STATEMENT_S.has(low) || STATEMENT_PAST.has(low) || AUXILIARY.has(low);
}

/** Verbs only of statements (third person or past), not auxiliaries. */
export function isStatementVerb(low: string): boolean {
  return STATEMENT_S.has(low) || STATEMENT_PAST.has(low);
}

export function isSubject(low: string): boolean {
  return PRONOUN_SUBJECTS.has(low);
}

export function isVerb(low: string): boolean {
  return REMIND.has(low) || DELIVER.has(low) || DO.has(low);
}

const IRREGULAR: Readonly<Record<string, string>> = {
  running: 'run',
  setting: 'set',
  getting: 'get',
  putting: 'put',
  pinging: 'ping',
  nagging: 'nag',
  bugging: 'bug',
  dming: 'dm',
  doing: 'do',
  reminding: 'remind',
  waking: 'wake',
  telling: 'tell',
  scanning: 'scan',
  pruning: 'prune',
  texting: 'text',
  messaging: 'message',
  messing: 'mess',
  does: 'do',
  goes: 'go',
  summarizing: 'summarize',
  summarising: 'summarise',
  giving: 'give',
  making: 'make',
  writing: 'write',
  taking: 'take',
  sharing: 'share',
  dumping: 'dump',
  flushing: 'flush',
};

/** The base form of "sending" or "sends", or null when it is no verb we know. */
export function baseForm(low: string): string | null {
  const irregular = Object.hasOwn(IRREGULAR, low) ? IRREGULAR[low] : undefined;
  if (irregular !== undefined) return irregular;
  const candidates: string[] = [];
  if (low.endsWith('ing')) {
    const stem = low.slice(0, -3);
    candidates.push(stem, `${stem}e`);
    if (stem.length > 2 && stem.at(-1) === stem.at(-2)) candidates.push(stem.slice(0, -1));
  } else if (low.endsWith('ies')) candidates.push(`${low.slice(0, -3)}y`);
  else if (low.endsWith('es')) candidates.push(low.slice(0, -1), low.slice(0, -2));
  else if (low.endsWith('s')) candidates.push(low.slice(0, -1));
  return candidates.find(isVerb) ?? null;
}
