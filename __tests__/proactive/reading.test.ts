import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  actionIn,
  onlyLooks,
  readAgentWords,
  readMessage,
} from '../../src/proactive/reading/index.js';
import { expectQuick } from '../helpers/quick.js';

function read(text: string) {
  const { intent, plan, task } = readMessage({ text });
  return { intent, plan, task };
}

describe('what a message means', () => {
  it.each([
    ['Can you fix the login timeout?', 'fix the login timeout'],
    ['I want to add caching to auth.ts', 'add caching to auth.ts'],
    ["let's switch to pnpm", 'switch to pnpm'],
    ['we need to migrate the database to Postgres', 'migrate the database to Postgres'],
    ['please refactor the router in src/router.ts', 'refactor the router in src/router.ts'],
    [
      'Hi there! Could you please add rate limiting to the /orders endpoint? Thanks!',
      'add rate limiting to the /orders endpoint',
    ],
    ["I'll add caching to auth.ts", 'add caching to auth.ts'],
    ['add caching to src/auth.ts', 'add caching to src/auth.ts'],
    ['run npm install --force', 'run npm install --force'],
    ['Please run `npm install --force`', 'run npm install --force'],
    ['how about adding an index on users.email?', 'add an index on users.email'],
    ['would you mind renaming the helper in utils.ts?', 'rename the helper in utils.ts'],
    ["I'm adding caching to auth.ts", 'add caching to auth.ts'],
    ['Adding caching to auth.ts', 'add caching to auth.ts'],
    ["The tests pass now, so let's deploy to staging", 'deploy to staging'],
    ['It works now, but please add tests for the retry logic', 'add tests for the retry logic'],
    ['Since the upgrade broke CI, please pin node to 18', 'pin node to 18'],
    ['In auth.ts, add caching for tokens', 'add caching for tokens in auth.ts'],
    [
      'Add a cron job that cleans up sessions every night',
      'Add a cron job that cleans up sessions every night',
    ],
    ['fix the job that runs every hour', 'fix the job that runs every hour'],
    ['@cue please add a test for src/a.ts', 'add a test for src/a.ts'],
    ['Cue, update the README with the new flags', 'update the README with the new flags'],
    ['Task: implement OAuth login', 'implement OAuth login'],
    ['TODO: remove the legacy endpoint', 'remove the legacy endpoint'],
    ['I want you to delete the old migrations', 'delete the old migrations'],
    ['My goal is to speed up the dashboard', 'speed up the dashboard'],
    ['It would be great if you could cache the sessions', 'cache the sessions'],
    ['Go ahead and deploy to production', 'deploy to production'],
    ['try clearing the build cache', 'clear the build cache'],
    ['get rid of the flaky retry in client.ts', 'get rid of the flaky retry in client.ts'],
    ['Make sure the tests in auth.test.ts pass', 'Make sure the tests in auth.test.ts pass'],
    ['get the login tests passing', 'get the login tests passing'],
    [
      'Update the timeout in config.ts to 30 seconds',
      'Update the timeout in config.ts to 30 seconds',
    ],
    ["I'd like to move the session store to Redis", 'move the session store to Redis'],
    ['I plan to upgrade React to v19', 'upgrade React to v19'],
    ['we should probably drop support for Node 16', 'drop support for Node 16'],
    ['You should add an index to the orders table', 'add an index to the orders table'],
    ["why don't we just retry the request?", 'retry the request'],
    [
      'I was thinking we could move the rate limiter into middleware',
      'move the rate limiter into middleware',
    ],
    ['I think we should cache JWT validation results', 'cache JWT validation results'],
    ['What if we just increase the pool size?', 'increase the pool size'],
    ['Today I want to finish the OAuth integration', 'finish the OAuth integration'],
    [
      "Okay so I've been looking at the scheduler and I want to rewrite the retry part",
      'rewrite the retry part',
    ],
    [
      'Great, next please implement the password reset flow. It should send an e-mail.',
      'implement the password reset flow',
    ],
    [
      'Perfect. Now wire the new component into App.tsx and delete the old one.',
      'wire the new component into App.tsx and delete the old one',
    ],
    ['Retry failed jobs automatically', 'Retry failed jobs automatically'],
    ['Fix broken links in docs', 'Fix broken links in docs'],
    ['Upgrade to React 19 and fix whatever breaks', 'Upgrade to React 19 and fix whatever breaks'],
    ['next step: run the database migration on staging', 'run the database migration on staging'],
    ['I need help fixing the memory leak in worker.ts', 'fix the memory leak in worker.ts'],
    [
      'Could you bikeshed the variable names in router.ts?',
      'bikeshed the variable names in router.ts',
    ],
  ])('%j wants and plans: %s', (text, wanted) => {
    expect(read(text)).toEqual({ intent: wanted, plan: wanted, task: wanted });
  });

  it.each([
    ['Investigate why the tests are flaky', 'Investigate why the tests are flaky'],
    ['look into the memory leak in worker.ts', 'look into the memory leak in worker.ts'],
    [
      'Review the pull request for the payment flow',
      'Review the pull request for the payment flow',
    ],
    ['Working on the login timeout', 'work on the login timeout'],
    ['Find out why the worker stops', 'Find out why the worker stops'],
    [
      "Can you figure out what's wrong with the payment form?",
      "figure out what's wrong with the payment form",
    ],
    ['find me studies on sleep and memory', 'find me studies on sleep and memory'],
    ["We're looking for a caterer for the party", 'find a caterer for the party'],
    ['Please check the docs for broken links', 'check the docs for broken links'],
  ])('%j is a task without an action: %s', (text, wanted) => {
    expect(read(text)).toEqual({ intent: wanted, plan: null, task: wanted });
  });

  it.each([
    ['How do I add caching to auth.ts?', 'add caching to auth.ts'],
    ['Is there a way to speed up the CI?', 'speed up the CI'],
    ['Did we ever try Redis for sessions?', 'try Redis for sessions'],
    ['did anyone ever try to compress the images?', 'compress the images'],
    ['has anyone set up the new printer before?', 'set up the new printer before'],
    ['do we have notes on the warranty terms?', 'notes on the warranty terms'],
    ['where did we document the restore of backups?', 'document the restore of backups'],
    ['why did we choose Redis?', 'choose Redis'],
    ['why did caching fail last time?', 'why did caching fail last time'],
    ['what happened with the warehouse migration?', 'the warehouse migration'],
    ['any news on the supplier contract?', 'the supplier contract'],
    ['what should we do about the failing backups?', 'the failing backups'],
    ['Can guests change the delivery address?', 'guests change the delivery address'],
    ['Can you show me how to add caching?', 'add caching'],
    ['show me how we rotate the signing keys', 'we rotate the signing keys'],
    ['Next I want to look at the flaky checkout test', 'the flaky checkout test'],
    ['could you have a look at the slow orders query', 'the slow orders query'],
  ])('%j asks what was done or is known: %s', (text, wanted) => {
    expect(read(text)).toEqual({ intent: wanted, plan: null, task: null });
  });

  it.each([
    ['should we use Redis for sessions?', 'use Redis for sessions'],
    ['Can we cache the responses in auth.ts?', 'cache the responses in auth.ts'],
    ['compile with -O3 maybe?', 'compile with -O3'],
    ['let us deploy on friday evening then', 'deploy on friday evening'],
    ['what if we cached the prices at the edge?', 'cache the prices at the edge'],
    ['how about a newsletter for old customers?', 'a newsletter for old customers'],
    ['would a second replica help with the load?', 'a second replica help with the load'],
    ['maybe switch the queue to NATS', 'switch the queue to NATS'],
    ['perhaps we could let guests check in online', 'let guests check in online'],
    ["We'd rather keep the logs for a year", 'keep the logs for a year'],
    ["I'd use a trie for the autocomplete", 'use a trie for the autocomplete'],
    ['we should simply show the roadmap to customers', 'show the roadmap to customers'],
    ['my plan is splitting the invoice service in two', 'split the invoice service in two'],
    ['Next on my list is converting the shared package', 'convert the shared package'],
    ['lets take a photo every second', 'take a photo every second'],
    ['Would it make sense to shard the table?', 'shard the table'],
  ])('%j proposes: %s', (text, wanted) => {
    expect(read(text)).toEqual({ intent: wanted, plan: wanted, task: wanted });
  });

  it.each([
    ['We need rate limiting on the login endpoint', 'We need rate limiting on the login endpoint'],
    ['auth.ts needs to be refactored', 'auth.ts needs to be refactored'],
    ['Feature request: dark mode for the settings page', 'dark mode for the settings page'],
    ['next: rate limiting for the API', 'rate limiting for the API'],
    ['webpack.config.js pls', 'webpack.config.js'],
    [
      "the accountant needs last month's orders exported",
      "the accountant needs last month's orders exported",
    ],
    [
      'business customers want to see their invoices online',
      'business customers want to see their invoices online',
    ],
    [
      'A customer asks whether they pay duties on parcels to Norway',
      'A customer asks whether they pay duties on parcels to Norway',
    ],
    ['Our lawyer wants the cookie banner gone', 'Our lawyer wants the cookie banner gone'],
    ['guests should be on their own wifi', 'guests should be on their own wifi'],
    ['it would be nice if the search ignored accents', 'the search ignored accents'],
    ['I wish we had dark mode on the settings page', 'dark mode on the settings page'],
    ['Anna suggested moving the standup to ten', 'move the standup to ten'],
    ['they asked us to add their logo to the invoices', 'add their logo to the invoices'],
    [
      'finance asks if we can move the workers to spot instances',
      'move the workers to spot instances',
    ],
  ])('%j wishes: %s', (text, wanted) => {
    expect(read(text)).toEqual({ intent: wanted, plan: wanted, task: wanted });
  });

  it.each([
    'shard src/orders/table.ts by tenant',
    'onboard the new colleague',
    'Offer her a discount code',
    'Book flights to Oslo for the sales team',
    'order 30 more chairs for the new office',
    'prepare the slides for the board meeting',
  ])('%j is an order, though no list has its verb', (text) => {
    expect(read(text)).toEqual({ intent: text, plan: text, task: text });
  });

  it.each([
    'Kannst du bitte den Login in src/auth.ts reparieren',
    'Bitte die Rechnungen nachts als PDF verschicken',
    'Peux-tu ajouter une page de remerciement pour les clients',
    'Puedes arreglar el formulario de contacto por favor',
    'Нужно перенести сессии в Redis',
    'メールの送信をキューに移してください',
  ])('%j of another language is taken as it is', (text) => {
    expect(read(text)).toEqual({ intent: text, plan: text, task: text });
  });

  it('a question for knowledge in another language plans nothing', () => {
    const text = 'Warum haben wir Redis für die Sessions genommen';
    expect(read(`${text}?`)).toEqual({ intent: text, plan: null, task: null });
  });

  it.each([
    [
      'the nightly report job times out again, can you fix that?',
      'fix: the nightly report job times out again',
    ],
    ['I need an installation guide, can you write one?', 'write: an installation guide'],
    [
      'The transactions table is sluggish. Please virtualize it.',
      'virtualize: The transactions table is sluggish',
    ],
    [
      'The admin panel has no CSP. Please turn on a strict one.',
      'The admin panel has no CSP. turn on a strict one',
    ],
    ['Mira starts on Monday. Please onboard her', 'Mira starts on Monday. onboard her'],
    [
      'The pipeline downloads packages on every run, can we cache them?',
      'cache: The pipeline downloads packages on every run',
    ],
    [
      'The session lookups are slow. Should we move it to Redis?',
      'The session lookups are slow. move it to Redis',
    ],
  ])('%j takes along what it speaks of', (text, wanted) => {
    expect(read(text)).toEqual({ intent: wanted, plan: wanted, task: wanted });
  });

  it.each([
    ['the export job hangs again, any idea?', 'the export job hangs again'],
    ['somebody is spamming reset mails', 'somebody is spamming reset mails'],
    ['photos of phones are shown rotated', 'photos of phones are shown rotated'],
    ['Build time doubled', 'Build time doubled'],
    ['Caching would make auth.ts faster', 'Caching would make auth.ts faster'],
    ['the newsletter lands in spam for some users', 'the newsletter lands in spam for some users'],
    ['our search engine ignores accents', 'our search engine ignores accents'],
  ])('%j tells how things are, and plans nothing', (text, told) => {
    expect(read(text)).toEqual({ intent: told, plan: null, task: null });
  });

  it.each([
    [
      'The build fails since we upgraded TypeScript.',
      'The build fails since we upgraded TypeScript',
    ],
    ['Why is the login so slow?', 'Why is the login so slow'],
    ['why does the build fail on CI?', 'why does the build fail on CI'],
    ['I added caching and now the login times out', 'I added caching and now the login times out'],
    ['Build failed on CI', 'Build failed on CI'],
    [
      "TypeError: Cannot read properties of undefined (reading 'id')\n    at login (/app/src/auth.ts:10:5)",
      "TypeError: Cannot read properties of undefined (reading 'id')",
    ],
    [
      'Customers report that invoices contain wrong totals',
      'Customers report that invoices contain wrong totals',
    ],
    ['Bug: the total in cart.ts is NaN', 'the total in cart.ts is NaN'],
    ['CPU is at 100% since the last deploy', 'CPU is at 100% since the last deploy'],
    ['Sessions expire too early', 'Sessions expire too early'],
    ['The nightly job crashes every night', 'The nightly job crashes every night'],
    ["What's wrong with the login page?", "What's wrong with the login page"],
    ['Any idea why the worker keeps crashing?', 'Any idea why the worker keeps crashing'],
    ["The cache doesn't invalidate after logout", "The cache doesn't invalidate after logout"],
    ["Users can't log in when 2FA is enabled", "Users can't log in when 2FA is enabled"],
    ['We get a 500 error on /orders', 'We get a 500 error on /orders'],
    [
      'Our checkout page shows a blank screen on Safari',
      'Our checkout page shows a blank screen on Safari',
    ],
    ['The user list takes forever to load', 'The user list takes forever to load'],
    ['auth.test.ts is red', 'auth.test.ts is red'],
    [
      'After upgrading to Node 20, npm run build exits with code 137',
      'After upgrading to Node 20, npm run build exits with code 137',
    ],
    ["I can't get the tests to pass", "I can't get the tests to pass"],
    ['When I click save nothing happens', 'When I click save nothing happens'],
  ])('%j reports a problem', (text, wanted) => {
    expect(read(text)).toEqual({ intent: wanted, plan: null, task: null });
  });

  it.each([
    'hello',
    'Thanks, that works great!',
    'good morning, how are you?',
    'what does auth.ts do?',
    'explain closures',
    'How does the cache work?',
    'yes please',
    "no, don't",
    'done',
    'it works now',
    'remind me to call the bank tomorrow at 9',
    'Run the backup every night at 2am',
    'every Friday send me a report',
    'Every 10 minutes, check whether the site is up',
    'Show me src/auth.ts',
    'read src/auth.ts and explain the flow',
    'look at auth.ts',
    'Open src/auth.ts',
    'fix it',
    'Run it',
    'I fixed the login timeout',
    "I've added caching to auth.ts and pushed it",
    'Fixed the crash in auth.ts',
    'Done: fixed the login timeout',
    'Test results look good',
    'Tests are green',
    'Update: it works',
    "Don't touch auth.ts",
    'I have a question about the auth module',
    'Nice weather today',
    'Is the build broken?',
    'Does the cache work?',
    'tell me a joke',
    "That doesn't matter",
    'it failed again',
    'still broken',
    "I'm going to lunch",
    'I need a break',
    "I'll be back tomorrow",
    'let me know when the tests pass',
    'I want to know how auth works',
    'Continue',
    'try again',
    'Which database do we use?',
    'The error handling lives in errors.ts',
    'Timeouts are configured in config.ts',
    'summarize the last session',
    'what happened in the last session?',
    "Let's talk about the roadmap",
    'Thanks for fixing the login',
    'Could you explain why the build fails?',
    'Let me check the logs',
    'I agree, caching makes sense',
    'Update on the migration: step 2 is done',
    'The crash is gone',
    'The login no longer times out',
    'The deploy finished without errors',
    'good morning everyone',
    'thanks a lot, that was quick!',
    'what is a closure?',
    'How does garbage collection work in Go?',
    'no thanks',
    'haha nice one',
    'see you tomorrow',
    'I pushed the fix and merged the branch',
    'the release went out yesterday',
    'Everything is deployed and green',
    'happy birthday Tom!',
    'who is on call this week?',
    'remind me to water the plants',
    'every Monday post the menu to the channel',
    "I'm off for lunch",
    'I am feeling tired today',
    'how many users signed up last week?',
    'Let me think about it',
    'sounds good to me',
    'I was on vacation last week',
    'We won the contract!',
    'the interview with Ana went well',
    'explain monads',
    'please do not deploy today',
    'it keeps failing',
    'I love this team',
    'that is a good point about the parser',
    'I hope you are well',
    'hope you had a nice weekend!',
    'I have two kids',
    'the client said no',
    'what did we do last session?',
    'Done. What is next?',
  ])('%j wants no work', (text) => {
    expect(read(text)).toEqual({ intent: null, plan: null, task: null });
  });

  it('a request without an object is about the problem that was told', () => {
    expect(read('The login times out after five minutes. Please fix it!')).toEqual({
      intent: 'fix: The login times out after five minutes',
      plan: 'fix: The login times out after five minutes',
      task: 'fix: The login times out after five minutes',
    });
  });

  it('what is asked for counts more than the problem behind it', () => {
    expect(
      read('The login times out. Can you raise the session limit in auth.ts? Thanks!').intent,
    ).toBe('raise the session limit in auth.ts\nThe login times out');
  });

  it('writes a line for each thing wanted and each step', () => {
    expect(read('- add caching to auth.ts\n- write tests for it\n- update the docs')).toEqual({
      intent: 'add caching to auth.ts\nwrite tests for it\nupdate the docs',
      plan: 'add caching to auth.ts\nwrite tests for it\nupdate the docs',
      task: 'add caching to auth.ts',
    });
    expect(read('Add caching to auth.ts, then write tests for the cache').plan).toBe(
      'Add caching to auth.ts\nwrite tests for the cache',
    );
  });

  it.each([
    ['npm install --force', 'npm install --force'],
    ['`git push --force origin main`', 'git push --force origin main'],
    ['$ make clean', 'make clean'],
    ['```sh\nrm -rf node_modules\nnpm ci\n```', 'rm -rf node_modules\nnpm ci'],
    ['Please run this:\n```bash\nnpm ci --force\n```', 'npm ci --force'],
  ])('%j is a plan of commands', (text, plan) => {
    expect(read(text)).toEqual({ intent: null, plan, task: null });
  });

  it.each([
    'What does `rm -rf node_modules` do?',
    'I ran this yesterday:\n```bash\nnpm ci --force\n```',
    'go to the shop is what she said',
  ])('%j plans no command', (text) => {
    expect(read(text).plan).toBeNull();
  });

  it('does not take code, quotes and traces for words', () => {
    const text = [
      '> please delete the users table',
      '```ts',
      'fix the cache();',
      '```',
      'const add = remove(cache);',
      '    at deploy (/app/src/a.ts:1:2)',
      'Hello again',
    ].join('\n');
    expect(read(text)).toEqual({ intent: null, plan: null, task: null });
  });

  it('reads the files of any language, and of attachments by title or address', () => {
    const reading = readMessage({
      text: 'Kannst du bitte den Login in src/auth.ts reparieren?',
      attachments: [
        { title: 'Q3 report.pdf', url: 'https://cdn.example.com/x/y' },
        { title: 'screenshot', url: 'https://cdn.example.com/up/error%20page.png?size=2' },
        { title: 'auth.ts' },
        { url: 'data:text/plain;base64,AAAA' },
        {},
      ],
    });
    expect(reading).toEqual({
      files: ['src/auth.ts', 'Q3 report.pdf', 'error page.png', 'auth.ts'],
      intent: 'Kannst du bitte den Login in src/auth.ts reparieren',
      plan: 'Kannst du bitte den Login in src/auth.ts reparieren',
      task: 'Kannst du bitte den Login in src/auth.ts reparieren',
    });
  });

  it('puts what is wanted before problems, these before questions and what is told', () => {
    const text =
      'The office moved to the third floor of the tower. Did we ever write down the alarm codes? ' +
      'Guests complain about cold rooms. Please order new heaters.';
    expect(read(text)).toEqual({
      intent: 'order new heaters\nGuests complain about cold rooms\nwrite down the alarm codes',
      plan: 'order new heaters',
      task: 'order new heaters',
    });
  });

  it('cuts an intent at 400 characters, behind a word', () => {
    const { intent } = read(`add caching to ${'very '.repeat(200)}slow routes`);
    expect(intent?.length).toBeLessThanOrEqual(400);
    expect(intent).toMatch(/ very$/);
  });

  it('never throws, and stays within its limits', () => {
    const words = fc.constantFrom(
      ...[
        'can you ',
        'please ',
        'fix ',
        'it ',
        'the ',
        'cache ',
        'fails',
        '. ',
        '? ',
        ', ',
        '\n',
        '```',
        '$ ',
      ],
      ...[
        'I ',
        "let's ",
        'adding ',
        'and then ',
        'every day ',
        '`',
        '- ',
        'every ',
        'if ',
        'src/a.ts ',
      ],
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(words, fc.string({ maxLength: 5 })), { maxLength: 60 }),
        (parts) => {
          const { intent, plan } = readMessage({ text: parts.join('') });
          expect(intent?.length ?? 0).toBeLessThanOrEqual(400);
          expect(plan?.length ?? 0).toBeLessThanOrEqual(400);
        },
      ),
      { numRuns: 300, seed: 11 },
    );
  });

  it('takes no longer for hostile texts than for long ones', () => {
    const hostile = [
      'a ',
      ',',
      ', ',
      'I ',
      'have a ',
      'please ',
      'and then ',
      'if a, ',
      'get ',
      'not ',
      '`',
      '. ',
    ]
      .map((part) => part.repeat(4_000))
      .concat(
        'have '.repeat(4_000),
        'find where '.repeat(2_000),
        '-'.repeat(9_000),
        'x'.repeat(9_000),
      );
    // Milliseconds each when linear; a quadratic step would take seconds.
    expectQuick(2_000, () => {
      for (const text of hostile) readMessage({ text });
    });
  });
});

describe("an agent's own words", () => {
  it.each([
    ["I'll add caching to src/auth.ts.", 'add caching to src/auth.ts'],
    ["I've fixed src/auth.ts. Next I will write tests for it.", 'write tests for it'],
    ["Let me check the logs first. Then I'm going to restart the server.", 'restart the server'],
    [
      'Now let me update config.ts, then run the migrations.',
      'update config.ts\nrun the migrations',
    ],
    ['I am adding a mutex around the token refresh', 'add a mutex around the token refresh'],
  ])('%j announces: %s', (text, plan) => {
    expect(readAgentWords(text).plan).toBe(plan);
  });

  it.each([
    'You should run npm install. Add caching to the client.',
    'Sure! Would you like me to add caching?',
    "I'll be happy to help. I will let you know.",
    "If that fails, I'll revert the commit.",
    "I've added caching to src/auth.ts.",
    'To fix this, replace the token in config.ts.',
  ])('%j announces nothing', (text) => {
    expect(readAgentWords(text).plan).toBeNull();
  });

  it('names files, and cites memories by their printed ids', () => {
    expect(
      readAgentWords(
        'As mem_1f2e3d4c and MEM_1F2E3D4C say (also mem_0a1b2c3d4e5f), src/auth.ts races; mem_xyz, mem_12, amem_1f2e3d4f.',
      ),
    ).toEqual({
      files: ['src/auth.ts'],
      plan: null,
      cited: ['mem_1f2e3d4c', 'mem_0a1b2c3d4e5f'],
    });
  });
});

describe('what is told as data', () => {
  it('states an action or not', () => {
    expect(actionIn('Add caching to auth.ts')).toBe('Add caching to auth.ts');
    expect(actionIn('authentication timeout')).toBeNull();
    expect(onlyLooks('Investigate the login timeout')).toBe(true);
    expect(onlyLooks('Add caching to auth.ts')).toBe(false);
    expect(onlyLooks('Read src/auth.ts')).toBe(true);
    expect(onlyLooks('Why did we choose Redis?')).toBe(true);
    expect(onlyLooks('')).toBe(false);
  });
});
