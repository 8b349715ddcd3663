/** Whether a statement reports that something is not as it should be. Pure; English. */

const FAILING =
  /\b(?:fail(?:s|ed|ing)?|(?<!\b(?:a|lunch|coffee|tea|short|take) )breaks?|broke|broken|crash(?:es|ed|ing)?|throws?|threw|throwing|errors? out|tim(?:es?|ed|ing) out|hangs?|hanging|hung|freez(?:es|ing)|froze|frozen|flakes|regressed|deadlock(?:s|ed)|leak(?:s|ed|ing)|segfault(?:s|ed)?|panick?(?:s|ed|ing)|out of memory|infinite loop|stop(?:s|ped) (?:working|responding|\w+ing)|went down|blows up|blew up|corrupts?|corrupted|los(?:es?|t|ing)|complain(?:s|ed|ing)?|keeps? \w+ing|twice(?! (?:a|per|as)\b)|NaN|too (?:early|late|soon|often)|takes? (?:over |about |more than |up to )?\d+ ?(?:s|sec(?:ond)?s?|min(?:ute)?s?|hours?)|at 100(?= ?%)|unable to|misbehav\w+|buggy|rejects|refuses|refused|takes? forever|nothing happens|exit(?:s|ed)? (?:with )?(?:code|status) [1-9]\d*|(?:permission|access) denied|(?:not|never) found|(?:blank|white) (?:screen|page)|(?:can't|cannot|couldn't) get)\b/i;
const STATE =
  /\b(?:slow|flaky|sluggish|laggy|unresponsive|stuck|missing|wrong|red|incorrect|down|empty|inconsistent|duplicated?|unreachable|unavailable|vulnerable|invalid|stale|outdated|corrupt|blank|off by one|too (?:slow|long|large|big|many|much|high|low))\b/i;
const STATED = new RegExp(
  `\\b(?:is|are|was|were|gets?|got|became|becomes?|seems?|looks?|runs?|goes|being|'s|takes?|took|feels?)(?: (?:still|so|very|really|always|often|sometimes|completely|totally|now|again|quite|extremely|way|all|getting|being|returned|often))* ${STATE.source}`,
  'i',
);
const NOUN =
  'errors?|exceptions?|failures?|timeouts?|bugs?|race conditions?|deadlocks?|(?:memory )?leaks?|crash(?:es)?|regressions?|outages?|vulnerabilit(?:y|ies)|problems?|issues?|conflicts?|warnings?|traceback|stack trace|(?:wrong|incorrect|invalid|duplicated?|stale|empty|missing|garbled|corrupt(?:ed)?) \\w+|[45]\\d\\d';
const HAVING = new RegExp(
  `\\b(?:there(?:'s| is| are| was)|have|has|get|gets|got|getting|see|sees|seeing|saw|face|facing|hit|hitting|hits|found|gives?|gave|returns?|returned|returning|shows?|reports?|reported|responds? with|redirects? (?:w+ )?to|ends? (?:in|with)|causes?|caused|produces?|contains?|sends?|displays?)\\b(?: [\\w'"./:-]+){0,5}? (?:[\\w]*(?:Error|Exception)\\b|(?:${NOUN})\\b)`,
  'i',
);
const NAMED_ERROR =
  /^(?:uncaught |unhandled )?(?:[\w.]*(?:Error|Exception)|error|fatal|panic|ERR!?|npm ERR!)(?:\s?\[?\w*\]?)?:/i;
const NOT_DOING =
  /\b(?:doesn't|does not|do not|don't|didn't|did not|can't|cannot|can not|couldn't|won't|isn't|is not|aren't|are not|no longer) (?:(?:even|always|really|actually|correctly|properly|seem to|get|be|being) )*([a-z']+)/gi;
/** "It doesn't matter", "I don't know", "this isn't a question": nothing is broken. */
const HARMLESS =
  /^(?:matter|know|think|mind|care|need|needed|want|like|have|worry|hurt|wait|agree|believe|sure|necessary|urgent|required|important|bad|remember|see|understand|forget|a|an|the|my|your|that|so|too|what|think|recall|guess|hesitate|get|find|really|just|only|in|on|at|going|planning|trying|ready|done|much|any|hard|difficult|easy|over|yet|use|say|mean|exactly|quite)$/;
const HEALED =
  /\b(?:works? (?:now|fine|again|well|great|perfectly|as expected|like a charm)|no longer (?:fail|crash|break|hang|time|throw|leak|error|happen|occur|flak)\w*|(?:is|are|was|were|been|got|gets|now) (?:now |already |finally |all )?(?:fixed|solved|resolved|closed|gone|merged|sorted|done|back up)|all (?:good|green)|no (?:more )?(?:errors?|problems?|issues?|failures?|bugs?|warnings?)|not (?:a|an) (?:problem|issue|bug)|without (?:any )?(?:errors?|problems?|issues?|failures?)|never (?:fails?|failed|crash\w*|breaks?|broke)|(?:didn't|doesn't|does not|did not|won't) (?:fail|break|crash|hang|leak|time out|happen)|if (?:it|that|this|the \w+|anything|something) (?:fails|breaks|crashes))\b/i;

/** `loose`: in a question for the cause, the verb need not stand beside what it says. */
export function reportsProblem(text: string, loose: boolean): boolean {
  if (NAMED_ERROR.test(text)) return true;
  if (HEALED.test(text)) return false;
  if (FAILING.test(text) || STATED.test(text) || HAVING.test(text)) return true;
  if (loose && STATE.test(text)) return true;
  if (/^(?:you|no|i don't|i do not)\b/i.test(text)) return false;
  for (const [, verb = ''] of text.matchAll(NOT_DOING)) {
    if (!HARMLESS.test(verb.toLowerCase())) return true;
  }
  return false;
}
