import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG, detectorConfigSchema } from '../../src/proactive/config.js';
import { filesHeard } from '../../src/proactive/heard.js';
import {
  type ConversationEvent,
  callsOf,
  type Evaluation,
  route,
} from '../../src/proactive/router.js';
import {
  DETECTOR_NAMES,
  type Detector,
  type Detectors,
  type ProactiveEvent,
  type SlotInput,
} from '../../src/proactive/types.js';

/** `detector subject`, with the file behind `@`; where there are no words, all files. */
function routed(happening: ProactiveEvent | ConversationEvent): string[] {
  return route(happening, DEFAULT_CONFIG).map(named);
}

function named(evaluation: Evaluation): string {
  switch (evaluation.detector) {
    case 'fileTouch':
      return `fileTouch ${evaluation.input.filePath}`;
    case 'conflictWarning': {
      const { action, moment } = evaluation.input;
      return ['conflictWarning', action, ...(moment?.files ?? []).map((file) => `@${file}`)].join(
        ' ',
      );
    }
    case 'intentMatch':
      return `intentMatch ${evaluation.input.intent}`;
    case 'patternRecognition':
      return `patternRecognition ${evaluation.input.task}`;
    case 'sessionStart':
      return 'sessionStart';
    case 'hintMatch':
    case 'whenMatch': {
      const { text, files, error } = evaluation.input;
      if (error) return `${evaluation.detector} ${text}: ${error}`;
      return `${evaluation.detector} ${text === '' ? files.map((file) => `@${file}`).join(' ') : text}`;
    }
  }
}

function message(text: string, newSession = false): ConversationEvent {
  return { type: 'message', text, files: filesHeard({ text }), newSession };
}

describe('which detectors look at what happened', () => {
  it.each<[string, ProactiveEvent | ConversationEvent, string[]]>([
    [
      'a file that is read',
      { type: 'file_touch', filePath: 'a.ts', operation: 'read' },
      ['fileTouch a.ts', 'whenMatch @a.ts'],
    ],
    [
      'a file that is deleted',
      { type: 'file_touch', filePath: 'a.ts', operation: 'delete' },
      ['fileTouch a.ts', 'whenMatch @a.ts'],
    ],
    [
      'an intent that states an action on a file',
      { type: 'intent_stated', intent: 'Add caching to src/auth.ts' },
      [
        'conflictWarning Add caching to src/auth.ts @src/auth.ts',
        'fileTouch src/auth.ts',
        'intentMatch Add caching to src/auth.ts',
        'hintMatch Add caching to src/auth.ts',
        'whenMatch Add caching to src/auth.ts',
        'patternRecognition Add caching to src/auth.ts',
      ],
    ],
    [
      'an intent that is only a theme',
      { type: 'intent_stated', intent: 'authentication timeout', files: ['src/auth.ts'] },
      [
        'conflictWarning authentication timeout @src/auth.ts',
        'fileTouch src/auth.ts',
        'intentMatch authentication timeout',
        'hintMatch authentication timeout',
        'whenMatch authentication timeout',
        'patternRecognition authentication timeout',
      ],
    ],
    [
      'a task in any words',
      { type: 'task_start', task: 'rate limiting for the API' },
      [
        'conflictWarning rate limiting for the API',
        'intentMatch rate limiting for the API',
        'hintMatch rate limiting for the API',
        'whenMatch rate limiting for the API',
        'patternRecognition rate limiting for the API',
      ],
    ],
    [
      'a task that only looks',
      { type: 'task_start', task: 'Investigate the crash in src/worker.ts' },
      [
        'conflictWarning Investigate the crash in src/worker.ts @src/worker.ts',
        'fileTouch src/worker.ts',
        'intentMatch Investigate the crash in src/worker.ts',
        'hintMatch Investigate the crash in src/worker.ts',
        'whenMatch Investigate the crash in src/worker.ts',
        'patternRecognition Investigate the crash in src/worker.ts',
      ],
    ],
    [
      'an action on a file',
      { type: 'action_planned', action: 'add caching', filePath: 'src/auth.ts' },
      [
        'conflictWarning add caching @src/auth.ts',
        'fileTouch src/auth.ts',
        'intentMatch add caching',
        'hintMatch add caching',
        'whenMatch add caching',
        'patternRecognition add caching',
      ],
    ],
    [
      'an action that failed',
      { type: 'action_completed', action: 'npm test', success: false, error: 'no such file' },
      ['hintMatch npm test: no such file'],
    ],
    [
      'an action that succeeded',
      { type: 'action_completed', action: 'npm test', success: true },
      [],
    ],
    [
      'a message of few words',
      message('Build it'),
      [
        'conflictWarning Build it',
        'intentMatch Build it',
        'hintMatch Build it',
        'whenMatch Build it',
        'patternRecognition Build it',
      ],
    ],
    [
      'a command',
      { type: 'action_planned', action: 'npm install --force' },
      [
        'conflictWarning npm install --force',
        'intentMatch npm install --force',
        'hintMatch npm install --force',
        'whenMatch npm install --force',
        'patternRecognition npm install --force',
      ],
    ],
    ['a session', { type: 'session_start', sessionId: 's1' }, ['sessionStart']],
    [
      'words of the agent itself, for what it says that it will do',
      { ...message('I will add caching'), by: 'agent' },
      [
        'conflictWarning I will add caching',
        'intentMatch I will add caching',
        'hintMatch I will add caching',
        'whenMatch I will add caching',
        'patternRecognition I will add caching',
      ],
    ],
    ['words of the agent itself that plan nothing', { ...message(''), by: 'agent' }, []],
    ['nothing that begins a session', message('', true), ['sessionStart']],
    [
      'a question about a file',
      message('What does src/auth.ts do?'),
      [
        'conflictWarning What does src/auth.ts do? @src/auth.ts',
        'fileTouch src/auth.ts',
        'intentMatch What does src/auth.ts do?',
        'hintMatch What does src/auth.ts do?',
        'whenMatch What does src/auth.ts do?',
        'patternRecognition What does src/auth.ts do?',
      ],
    ],
    [
      'a problem',
      message('The build fails on CI'),
      [
        'conflictWarning The build fails on CI',
        'intentMatch The build fails on CI',
        'hintMatch The build fails on CI',
        'whenMatch The build fails on CI',
        'patternRecognition The build fails on CI',
      ],
    ],
    [
      'a request of two steps',
      message('Please add caching to src/auth.ts, then update docs/auth.md.'),
      [
        'conflictWarning Please add caching to src/auth.ts, then update docs/auth.md. @src/auth.ts @docs/auth.md',
        'fileTouch src/auth.ts',
        'fileTouch docs/auth.md',
        'intentMatch Please add caching to src/auth.ts, then update docs/auth.md.',
        'hintMatch Please add caching to src/auth.ts, then update docs/auth.md.',
        'whenMatch Please add caching to src/auth.ts, then update docs/auth.md.',
        'patternRecognition Please add caching to src/auth.ts, then update docs/auth.md.',
      ],
    ],
  ])('%s', (_, happening, expected) => {
    expect(routed(happening)).toEqual(expected);
  });

  it('looks up at most five files of a message, and the same thing once', () => {
    const files = Array.from({ length: 9 }, (_, index) => `src/f${index}.ts`);
    const happening = { ...message(''), files: ['src/f0.ts', ...files] };
    const five = files.slice(0, 5);
    expect(routed(happening)).toEqual([
      ...five.map((file) => `fileTouch ${file}`),
      `whenMatch @${five.join(' @')}`,
    ]);
  });

  it('hands on who and where', async () => {
    const occasion = { agentId: 'a', sessionId: 's', caller: { kind: 'agent' } } as const;
    const asked: unknown[] = [];
    const detector: Detector<SlotInput> = {
      name: 'whenMatch',
      evaluate: async (input) => {
        asked.push(input);
        throw new Error('nothing is answered');
      },
    };
    const evaluations = route(message('build it'), DEFAULT_CONFIG);
    const calls = callsOf({ whenMatch: detector } as unknown as Detectors, evaluations, occasion);
    await Promise.allSettled(calls.map(({ run }) => run()));
    expect(calls.map(({ subject }) => subject)).toEqual(['build it']);
    expect(asked).toEqual([{ ...occasion, text: 'build it', files: [], kind: 'message' }]);
  });

  it.each(DETECTOR_NAMES)('leaves out %s when it is switched off', (name) => {
    const everything = message('Please add caching to src/auth.ts', true);
    const all = route(everything, DEFAULT_CONFIG).map(({ detector }) => detector);
    expect(all).toEqual([
      'conflictWarning',
      'fileTouch',
      'intentMatch',
      'hintMatch',
      'whenMatch',
      'patternRecognition',
      'sessionStart',
    ]);
    const config = detectorConfigSchema.parse({ [name]: { enabled: false } });
    expect(route(everything, config).map(({ detector }) => detector)).toEqual(
      all.filter((detector) => detector !== name),
    );
  });
});
