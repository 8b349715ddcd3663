/** Reminders and schedules: work for a clock, not work to be thought about now. Pure. */
import { pathsIn } from '../../shared/path-mentions.js';
import { reportsProblem } from './problems.js';

const TIMED =
  /\b(?:every|each) (?:\d+ |other |single |two |few )?(?:minutes?|hours?|days?|weeks?|months?|years?|mornings?|afternoons?|evenings?|nights?|weekdays?|mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?\b|\b(?:daily|weekly|hourly|monthly|nightly)\s*$|\b(?:at|by|before) \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)\b|\bat \d{1,2}:\d\d\b|\bin (?:\d+|an?|two|three|five|ten) (?:minutes?|mins?|hours?)\b/i;
const REMINDER =
  /\bremind(?:er)? (?:me|us|him|her|them|everyone|the team)\b|\bwake me\b|\b(?:ping|notify|alert|message|text|email|call|tell) (?:me|us) (?:when|whenever|if|once|every|at|in \d|tomorrow|as soon)|\b(?:set|create|add|make|cancel|delete|stop|list|show)(?: up)? (?:me )?(?:a|an|the|my|all|another)? ?(?:[a-z]+ )?(?:reminders?|alarms?|timers?|triggers? (?=that|which|to|for|every))\b|^schedule (?:a |an |the |my |our )?(?:call|meeting|reminder|appointment|lunch|chat|message)\b|\blet me know (?:when|if|once)\b/i;
/** Told or proposed rather than ordered: "we should rotate the keys every month" is a way to do it. */
const TOLD =
  /^(?:we|i|they|let'?s|let us|should|shall|can we|could we|what if|how about|it|the|our|a|an|users?|customers?)\b/i;
const INNER = /\b(?:that|which|who|where|because|so|to run|running|runs|cron|job|scheduler)\b/i;
const MAKES =
  /^(?:\W*(?:can|could|would) you (?:please )?)?(?:fix|debug|investigate|implement|refactor|add|build|create|write|find|change)\b/i;

/** A reminder or a time to do it at; "fix the job that runs every night" is work. */
export function isArranged(text: string): boolean {
  const reminds = REMINDER.test(text);
  const timed = reminds ? null : TIMED.exec(text);
  if ((!reminds && !timed) || pathsIn(text).length > 0) return false;
  if (!timed) return true;
  const before = text.slice(0, timed.index);
  return (
    !TOLD.test(text) && !INNER.test(before) && !MAKES.test(before) && !reportsProblem(text, false)
  );
}
