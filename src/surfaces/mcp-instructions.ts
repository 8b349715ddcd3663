/** What a client tells its model of this server before any call; part of every prompt, so it is short. */

const HEAD = 'Cue is memory that all agents of this project share.';

/** Each stands only where a client is shown the tools that it names. */
const STEPS: readonly { tools: readonly string[]; text: string }[] = [
  {
    tools: ['identity'],
    text: 'Call identity once: register. Without cue mcp, keep the token and resume.',
  },
  { tools: ['brief'], text: 'Then call brief, and again with the task.' },
  { tools: ['recall'], text: 'recall before work on a file, bug or decision.' },
  { tools: ['when'], text: 'when: the rules of the project for a kind of work.' },
  {
    tools: ['check'],
    text: 'check a file or an action before you change it or run something risky.',
  },
  {
    tools: ['answer_offer'],
    text: 'Heed each ⚠️ warning or say why not: answer_offer.',
  },
  { tools: ['hint'], text: 'hint before you build, run or test.' },
  { tools: ['store'], text: 'store what you did when done, above all failures.' },
  { tools: ['schedule'], text: 'schedule wakes the Eliza agent later.' },
];

/** @param shown names of the tools that the client is shown */
export function instructionsOf(shown: readonly string[]): string {
  const steps = STEPS.filter(({ tools }) => tools.every((name) => shown.includes(name)));
  return [HEAD, ...steps.map(({ text }) => text)].join(' ');
}
