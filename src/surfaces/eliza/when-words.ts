/** What a question in words asks of the `/when` index. Pure. */
import { recallSubject } from './memory-words.js';

/** Of one look-up, as it is taken. */
const MAX_SUBJECT = 500;
const MAX_READ = 8_192;

const THE_INDEX =
  /\s+(?:in|from|of|out of) (?:the|our|your|this) (?:\/?when[- ])?(?:index|knowledge(?: base)?|decisions?(?: files?| records?)?)\b/gi;

/** What a question in words is about; '' when it does not say. */
export function whenSubject(message: string): string {
  const read = message.trim().slice(0, MAX_READ).replace(/\s+/g, ' ').replace(THE_INDEX, '');
  const subject = recallSubject(read).replace(/^["'`]+|["'`]+$/g, '');
  return /[\p{L}\p{N}]/u.test(subject) ? subject.slice(0, MAX_SUBJECT) : '';
}
