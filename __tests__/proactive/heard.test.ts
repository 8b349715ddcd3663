import { describe, expect, it } from 'vitest';
import { announcedIn, citedIn, filesHeard, saysSomething } from '../../src/proactive/heard.js';
import { expectQuick } from '../helpers/quick.js';

describe('files of a message', () => {
  it('are those of its text, in any language, and attached ones by address', () => {
    const files = filesHeard({
      text: 'Kannst du bitte den Login in src/auth.ts reparieren?',
      attachments: [
        'https://cdn.example.com/up/error%20page.png?size=2',
        'https://cdn.example.com/x/y',
        'data:text/plain;base64,AAAA',
      ],
    });
    expect(files).toEqual(['src/auth.ts', 'error page.png']);
  });
});

describe("the agent's own words", () => {
  it.each([
    ["I'll add caching to src/auth.ts.", "I'll add caching to src/auth.ts."],
    ["I've fixed src/auth.ts. Next I will write tests for it.", 'Next I will write tests for it.'],
    [
      'Now let me update config.ts, then run the migrations.',
      'Now let me update config.ts, then run the migrations.',
    ],
    [
      'Done so far:\n- I will add a mutex around the refresh',
      'I will add a mutex around the refresh',
    ],
    [
      'I am adding a mutex around the token refresh',
      'I am adding a mutex around the token refresh',
    ],
    [
      'I put the footnotes into a table, then they fit. Fine?',
      'I put the footnotes into a table, then they fit.',
    ],
    ['Adding caching to src/auth.ts', 'Adding caching to src/auth.ts'],
    ["Licences are dear, so I'd create one.", "Licences are dear, so I'd create one."],
    ["I'll use it instead of the old one.", "I'll use it instead of the old one."],
  ])('%j announce: %s', (text, announced) => {
    expect(announcedIn(text)).toBe(announced);
  });

  it.each([
    'You should run npm install. Add caching to the client.',
    'Sure! Would you like me to add caching?',
    "I've added caching to src/auth.ts.",
    'The build fails on line 12.',
    'He wrote: "I will cancel it tomorrow".',
    "I won't deploy it.",
    '> I will drop the table',
    "```\nI'll fix the cache();\n```",
  ])('%j announce nothing', (text) => {
    expect(announcedIn(text)).toBe('');
  });

  it('cite memories by their printed ids', () => {
    const text =
      'As mem_1f2e3d4c and MEM_1F2E3D4C say (also mem_0a1b2c3d4e5f); mem_xyz, mem_12, amem_1f2e3d4f.';
    expect(citedIn(text)).toEqual(['mem_1f2e3d4c', 'mem_0a1b2c3d4e5f']);
  });
});

describe('what is heard', () => {
  it.each([
    ['fix the login timeout', true],
    ['Thanks, great!', false],
    ['good morning', false],
    ['ok', false],
    ['', false],
  ])('%j says something: %s', (text, says) => {
    expect(saysSomething(text)).toBe(says);
  });

  it('takes no longer for hostile texts than for long ones', () => {
    const parts = [
      'a ',
      ', ',
      'I ',
      "I'll ",
      'please ',
      'if a, ',
      '`',
      '```',
      '. ',
      '> ',
      '\n>',
      '- ',
      '“',
      " '",
    ];
    const hostile = parts.map((part) => part.repeat(4_000)).concat('x'.repeat(9_000));
    expectQuick(2_000, () => {
      for (const text of hostile) {
        announcedIn(text);
        citedIn(text);
        filesHeard({ text });
        saysSomething(text);
      }
    });
  });
});
