import { describe, expect, it } from 'vitest';
import { isAll, readUpdateIntent, type UpdateIntent } from '../../../src/surfaces/eliza/intent.js';
import { expectQuick } from '../../helpers/quick.js';

/** Intent in one line: kind, which trigger, value. */
function shown(intent: UpdateIntent | null): string {
  if (!intent) return '-';
  switch (intent.kind) {
    case 'pause':
      return `pause ${intent.all ? '*' : `[${intent.target}]`}${intent.until === undefined ? '' : ` until ${intent.until}`}`;
    case 'resume':
      return `resume ${intent.all ? '*' : `[${intent.target}]`}`;
    case 'skip':
      return `skip [${intent.target}]${intent.day === undefined ? '' : ` ${intent.day}`}`;
    case 'snooze':
      return `snooze [${intent.target}] ${intent.until ?? intent.length ?? '?'}${intent.by ? ' later' : ''}`;
    default:
      return `${intent.kind} [${intent.target}] ${intent.to}`;
  }
}

const CASES: [string, string][] = [
  ['pause the stretch reminder', 'pause [the stretch reminder]'],
  ['Pause it please', 'pause [it]'],
  ['can you pause the standup one?', 'pause [the standup one]'],
  ['please stop the inbox summary for now', 'pause [the inbox summary]'],
  ['turn the water reminder off', 'pause [the water reminder]'],
  ['turn off the water reminder', 'pause [the water reminder]'],
  ['disable "daily report"', 'pause ["daily report"]'],
  ['pause the standup until Monday', 'pause [the standup] until Monday'],
  ['pause it for 2 days', 'pause [it] until in 2 days'],
  ['pause all my reminders', 'pause *'],
  ['pause everything', 'pause *'],
  ['stop all of them', 'pause *'],
  ['resume the stretch reminder', 'resume [the stretch reminder]'],
  ['unpause it', 'resume [it]'],
  ['turn the water reminder back on', 'resume [the water reminder]'],
  ['start the standup again', 'resume [the standup]'],
  ['resume all', 'resume *'],
  ['enable all my triggers again', 'resume *'],
  ['snooze it for 10 minutes', 'snooze [it] 10 minutes'],
  ['snooze for an hour', 'snooze [] an hour'],
  ['snooze the stretch reminder until tomorrow 9am', 'snooze [the stretch reminder] tomorrow 9am'],
  ['snooze 15 min', 'snooze [] 15 min'],
  ['postpone the standup by 30 minutes', 'snooze [the standup] 30 minutes later'],
  ['delay the backup check by an hour', 'snooze [the backup check] an hour later'],
  ['snooze the report', 'snooze [the report] ?'],
  ['push back the standup to 11am', 'snooze [the standup] 11am'],
  ['give me 5 more minutes', 'snooze [it] 5 more minutes'],
  ['10 minutes', 'snooze [it] 10 minutes'],
  ['remind me again in an hour', 'snooze [it] in an hour'],
  ['push the standup by 30 minutes', 'snooze [the standup] 30 minutes later'],
  ['move the standup 30 minutes later', 'snooze [the standup] 30 minutes later'],
  ['move it back by an hour', 'snooze [it] an hour later'],
  ['no standup tomorrow', 'skip [standup] tomorrow'],
  ["don't remind me about the standup today", 'skip [the standup] today'],
  ['I want the standup at 8:45 instead', 'reschedule [the standup] at 8:45'],
  ['the standup should be at 8:45', 'reschedule [the standup] at 8:45'],
  ['skip the next one', 'skip []'],
  ['skip the next standup', 'skip [standup]'],
  ["skip tomorrow's standup", 'skip [standup] tomorrow'],
  ['skip the inbox summary today', 'skip [the inbox summary] today'],
  ['skip the next run of the backup check', 'skip [the backup check]'],
  ['rename the stretch reminder to Stand up', 'rename [the stretch reminder] Stand up'],
  ['rename it to "Break time"', 'rename [it] Break time'],
  ['call it Morning mail', 'rename [it] Morning mail'],
  ['change the name of the inbox summary to Mail', 'rename [the inbox summary] Mail'],
  ['change its name to Mail', 'rename [it] Mail'],
  ['move the standup reminder to 10am', 'reschedule [the standup reminder] 10am'],
  ['move it to 10:30', 'reschedule [it] 10:30'],
  ['change the report to every Friday at 9', 'reschedule [the report] every Friday at 9'],
  ['reschedule the standup from 9am to 10am', 'reschedule [the standup] 10am'],
  ['move the reminder to call mom to 10am', 'reschedule [the reminder to call mom] 10am'],
  ['make it every 2 hours', 'reschedule [it] every 2 hours'],
  ['set the standup to weekdays at 9:15', 'reschedule [the standup] weekdays at 9:15'],
  ['have the report run every Monday at 8', 'reschedule [the report] every Monday at 8'],
  ['change the time of the standup to noon', 'reschedule [the standup] noon'],
  [
    'change the text of the stretch reminder to stretch your back',
    'text [the stretch reminder] stretch your back',
  ],
  ['change the text to drink tea', 'text [it] drink tea'],
  ["change the stretch reminder's message to drink tea", 'text [the stretch reminder] drink tea'],
  ['make it say drink more water', 'text [it] say "drink more water"'],
  ['change the water reminder to say "drink up"', 'text [the water reminder] say "drink up"'],
  [
    'update the instructions for the report to pause and summarize the board',
    'text [the report] pause and summarize the board',
  ],
  ['what time is it?', '-'],
  ['hello', '-'],
  ['call mom', '-'],
  ['the second one', '-'],
  ['', '-'],
];

describe('what is to be done to a trigger', () => {
  it.each(CASES)('%s → %s', (text, expected) => {
    expect(shown(readUpdateIntent(text))).toBe(expected);
  });

  it('reads a message of 100 KB in a blink', () => {
    expectQuick(2_000, () => {
      readUpdateIntent(`move ${'to for until every '.repeat(6_000)}`);
      readUpdateIntent(`rename ${'x '.repeat(50_000)}to y`);
      readUpdateIntent(`please ${'please, '.repeat(12_000)}pause it`);
    });
  });
});

describe('all of them', () => {
  it.each([
    'all',
    'all my reminders',
    'all of my triggers',
    'everything',
    'every reminder',
    'them all',
    'all of them',
  ])('%s is all', (text) => {
    expect(isAll(text)).toBe(true);
  });
  it.each([
    'all hands meeting',
    'the one about all users',
    'my reminder',
    'every Friday report',
    '',
  ])('"%s" is not', (text) => {
    expect(isAll(text)).toBe(false);
  });
});
