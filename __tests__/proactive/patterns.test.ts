import { describe, expect, it } from 'vitest';
import { findPattern, shapeOf, type TaskText } from '../../src/proactive/patterns/index.js';
import { derivedId } from '../../src/shared/ids.js';

type Written = string | TaskText;
const read = (task: Written): TaskText => (typeof task === 'string' ? { goal: task } : task);

function patternIn(task: Written, past: readonly Written[], minOccurrences = 3) {
  return findPattern(
    shapeOf(read(task), true),
    past.map((each, at) => ({ id: derivedId('past', at), shape: shapeOf(read(each)) })),
    minOccurrences,
  );
}

const ENDPOINTS = [
  'Add /users endpoint',
  'Add /orders endpoint',
  'Implement endpoint for invoices',
];
const inApi = (goal: string, file: string) => ({
  goal,
  taskType: 'feature_add',
  files: [`src/api/${file}.ts`],
});

/** Task, past tasks, slug, title. */
const PATTERNS: [string, Written, Written[], string, string][] = [
  ['routes', 'Add a /refunds endpoint', ENDPOINTS, 'endpoint', 'Endpoint addition'],
  [
    'routes in one folder',
    'Add a /refunds endpoint',
    [
      inApi('Added /users endpoint', 'users'),
      inApi('Added /orders endpoint', 'orders'),
      inApi('Create the invoices endpoint', 'invoices'),
    ],
    'api_endpoint',
    'API endpoint addition',
  ],
  [
    'a chatty request',
    "Hey! Thanks for yesterday. I'd like you to implement an endpoint for refunds, please.",
    ENDPOINTS,
    'endpoint',
    'Endpoint addition',
  ],
  [
    'migrations by tag',
    'Write a migration that adds a status column to orders',
    [
      { goal: 'Write migration for invoices table', tags: ['db'] },
      { goal: 'Add migration for user emails', tags: ['db'] },
      { goal: 'Create migration to index sessions', tags: ['db', 'slow'] },
    ],
    'db_migration',
    'DB migration addition',
  ],
  [
    'flaky tests',
    'Fix the flaky test in the payment suite',
    [
      { goal: 'Fix flaky test in checkout', taskType: 'bug_fix' },
      { goal: 'Fix flaky login test', taskType: 'bug_fix' },
      { goal: 'Stabilize flaky test of the scheduler', taskType: 'bug_fix' },
    ],
    'flaky_test',
    'Flaky test fix',
  ],
  [
    'memory leaks',
    'Fix memory leak in the image cache',
    [
      'Fix memory leak in websocket hub',
      'Fix a memory leak in the parser',
      'Fix memory leak of timers',
    ],
    'memory_leak',
    'Memory leak fix',
  ],
  [
    'dependency upgrades',
    'Upgrade vite to 6.1',
    ['Upgrade express to 5', 'Bump zod to 4.0', 'Upgrade react from 18 to 19'],
    'dependency_upgrade',
    'Dependency upgrade',
  ],
  [
    'pages',
    { goal: 'Build the billing page', files: ['web/pages/billing.tsx'] },
    [
      { goal: 'Build the profile page', files: ['web/pages/profile.tsx'] },
      { goal: 'Create settings page', files: ['web/pages/settings.tsx'] },
      { goal: 'Add team page', files: ['web/pages/team.tsx'] },
    ],
    'page',
    'Page addition',
  ],
  [
    'named classes',
    'Create RefundsController',
    ['Create UsersController', 'Add OrdersController', 'Create InvoicesController'],
    'controller',
    'Controller addition',
  ],
  [
    'slow queries',
    'Optimize the slow query behind the dashboard',
    [
      { goal: 'Optimize slow query in reports', taskType: 'optimization' },
      { goal: 'Speed up the orders query', taskType: 'optimization' },
      { goal: 'Optimize search query', taskType: 'optimization' },
    ],
    'query',
    'Query optimization',
  ],
  [
    'one addition to several things',
    'Add pagination to the audit log list',
    [
      'Add pagination to /users',
      'Add pagination to the orders list',
      'Implement pagination for search',
    ],
    'pagination',
    'Pagination addition',
  ],
  [
    'endpoint tests',
    'Write tests for the refunds endpoint',
    [
      'Write tests for the users endpoint',
      'Add tests for the orders endpoint',
      'Write endpoint tests for invoices',
    ],
    'endpoint_test',
    'Endpoint tests',
  ],
  [
    'webhook handlers, one of which failed and was tried again',
    'Add webhook for subscription renewals',
    [
      'Add webhook for refunds',
      'Add webhook for refunds again',
      'Add payout webhook',
      'Create invoice webhook',
    ],
    'webhook',
    'Webhook addition',
  ],
  [
    'what is to be done through a thing of the kind',
    'Expose product reviews through a new REST endpoint',
    ENDPOINTS,
    'endpoint',
    'Endpoint addition',
  ],
  [
    'a thing that is needed',
    'I need a new route for coupons',
    ENDPOINTS,
    'endpoint',
    'Endpoint addition',
  ],
  [
    'work that begins',
    'Starting work on the GET /coupons endpoint',
    ENDPOINTS,
    'endpoint',
    'Endpoint addition',
  ],
  [
    'a name of two words, the first of which says nothing alone',
    'Add a feature flag for the new checkout',
    [
      'Add feature flag for dark theme',
      'Add a feature flag around search',
      'Introduce feature flag for beta',
    ],
    'feature_flag',
    'Feature flag addition',
  ],
  [
    'different verbs of one task type',
    'Configure CI pipeline for the mobile repo',
    [
      { goal: 'Configure CI pipeline for web', taskType: 'configuration' },
      { goal: 'Set up CI pipeline for the api', taskType: 'configuration' },
      { goal: 'Configure the CI pipeline for docs', taskType: 'configuration' },
    ],
    'ci_pipeline',
    'CI pipeline configuration',
  ],
  [
    'docs written and things documented',
    'Document the coupons API',
    ['Document the users API', 'Document orders API', 'Write docs for the search API'],
    'api_doc',
    'API docs',
  ],
  [
    'a symptom of one kind of test',
    'Fix intermittent failure of the search e2e test',
    ['Fix flaky checkout e2e test', 'Fix flaky login e2e test', 'Fix e2e test for signup'],
    'e2e_test',
    'E2E test fix',
  ],
  [
    "a verb of the project's own",
    'Transcode OGG recordings',
    [
      { goal: 'Transcode FLAC recordings', files: ['audio/flac.rs'] },
      { goal: 'Transcode WAV recordings', files: ['audio/wav.rs'] },
      { goal: 'Transcoded MP3 recordings', files: ['audio/mp3.rs'] },
    ],
    'audio_recording',
    'Audio recording',
  ],
  [
    'a verb before different things of one stock',
    'Could you reconcile supplier accounts every week',
    [
      'Reconcile card payments every week',
      'Reconcile cash drawers every week',
      'Reconcile vouchers every week',
    ],
    'reconcile_week',
    'Reconcile week',
  ],
  [
    'how often something is done',
    'Sync supplier prices nightly',
    ['Sync exchange rates nightly', 'Sync stock levels nightly', 'Sync opening hours nightly'],
    'sync_nightly',
    'Sync nightly',
  ],
  [
    'packages by their manifest',
    { goal: 'Update axios to 1.7', files: ['package.json'] },
    [
      { goal: 'Update lodash to v4', taskType: 'dependency_update', files: ['package.json'] },
      { goal: 'Upgrade jest', taskType: 'dependency_update', files: ['package.json'] },
      { goal: 'Update the typescript package', files: ['package.json', 'tsconfig.json'] },
    ],
    'dependency_update',
    'Dependency update',
  ],
];

/** Task and past tasks that make none, or none good enough. */
const NONE: [string, Written, Written[]][] = [
  ['too few', 'Add /refunds endpoint', ENDPOINTS.slice(0, 2)],
  [
    'one task again and again',
    'Add /refunds endpoint',
    ['Add /users endpoint', 'Added /users endpoint', 'Implement the /users endpoint'],
  ],
  ['what is removed', 'Remove the /refunds endpoint', ENDPOINTS],
  ['what is fixed', 'Fix the orders endpoint', ENDPOINTS],
  ['what is tested', 'Write tests for the orders endpoint', ENDPOINTS],
  ['what is added to it', 'Add rate limiting to the /orders endpoint', ENDPOINTS],
  ['a question', 'Why does the orders endpoint return 500?', ENDPOINTS],
  ['thanks', 'Thanks, the orders endpoint works now', ENDPOINTS],
  ['a report', 'I have added the refunds endpoint', ENDPOINTS],
  [
    'unrelated fixes in one folder',
    { goal: 'Fix logout redirect', taskType: 'bug_fix', files: ['src/auth/logout.ts'] },
    [
      { goal: 'Fix token expiry', taskType: 'bug_fix', files: ['src/auth/token.ts'] },
      { goal: 'Fix password hashing', taskType: 'bug_fix', files: ['src/auth/password.ts'] },
      { goal: 'Fix session cookie flags', taskType: 'bug_fix', files: ['src/auth/session.ts'] },
    ],
  ],
  [
    'a topic before different nouns',
    'Fix auth logout',
    ['Fix auth token expiry', 'Fix auth header parsing', 'Fix auth redirect loop'],
  ],
  [
    'a topic as a tag',
    { goal: 'Add password reset', tags: ['auth'] },
    [
      { goal: 'Add single sign-on', tags: ['auth'] },
      { goal: 'Fix token expiry', tags: ['auth'] },
      { goal: 'Refactor session store', tags: ['auth'] },
    ],
  ],
  [
    'generic bugs',
    'Fix the bug in export',
    ['Fix bug in login', 'Fix a bug in search', 'Fix bug in parser'],
  ],
  [
    'generic issues',
    'Fix the rendering issue',
    ['Fix the upload issue', 'Fix issue with fonts', 'Fix the printing problem'],
  ],
  [
    'generic features',
    'Add export feature',
    ['Add chat feature', 'Add search feature', 'Add map feature'],
  ],
  [
    'generic functions',
    'Add a helper function',
    ['Add parse function', 'Add a sum function', 'Add date function'],
  ],
  [
    'generic code',
    'Refactor payment code',
    ['Refactor auth code', 'Refactor mail code', 'Refactor UI code'],
  ],
  [
    'generic tests',
    'Write tests for cart',
    ['Write tests for users', 'Add tests for mail', 'Add test for parser'],
  ],
  [
    'generic errors',
    'Fix error in billing',
    ['Fix error on start', 'Fix an error in sync', 'Fix errors on save'],
  ],
  [
    'generic files',
    'Update the config file',
    ['Update the env file', 'Update lock file', 'Update readme file'],
  ],
  [
    'generic modes',
    'Add a dark mode',
    ['Add strict mode', 'Add offline mode', 'Add maintenance mode'],
  ],
  [
    'one noun in places that share nothing',
    { goal: 'Fix timeout in exports', files: ['jobs/export.py'] },
    [
      { goal: 'Fix timeout of uploads', files: ['web/upload.tsx'] },
      { goal: 'Fix database timeout', files: ['infra/db.tf'] },
      { goal: 'Fix websocket timeout', files: ['gateway/socket.go'] },
    ],
  ],
  [
    'additions to one page',
    'Add CSV export to the reports page',
    [
      'Add search to the reports page',
      'Add filters to the reports page',
      'Add sorting to the reports page',
    ],
  ],
  [
    'verbs that are not known',
    'Add the billing page',
    ['Translate login page to German', 'Translate cart page', 'Localise the settings page'],
  ],
  [
    'generic layers',
    'Refactor the database layer',
    ['Refactor auth layer', 'Refactor mail layer', 'Refactor HTTP layer'],
  ],
  ['an unknown kind', 'Translate the landing page to French', ENDPOINTS],
  ['nothing at all', '', ENDPOINTS],
  ['only a path', 'src/api/users.ts', ENDPOINTS],
];

describe('patterns of past tasks', () => {
  it.each(PATTERNS)('knows %s', (_name, task, past, pattern, title) => {
    const found = patternIn(task, past);
    expect(found?.evidence ?? []).not.toEqual([]);
    expect({ pattern: found?.pattern, title: found?.title }).toEqual({ pattern, title });
    expect(found?.confidence).toBeGreaterThanOrEqual(0.6);
  });

  it.each(NONE)('sees no pattern in %s', (_name, task, past) => {
    const found = patternIn(task, past);
    expect(found === null || found.confidence < 0.6 ? null : found).toBeNull();
  });
});
