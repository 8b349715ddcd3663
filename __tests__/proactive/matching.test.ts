/** Sentences as people and agents write them, beside goals as they are stored. */
import { describe, expect, it } from 'vitest';
import {
  ALIKE,
  commandLikeness,
  commandsIn,
  goalOf,
  intentOf,
  isHarmless,
  likeness,
  planLikeness,
  planOf,
  readCommand,
  taskOf,
} from '../../src/proactive/matching/index.js';

/** A small store in which no word is frequent. */
const COUNTS = { documentFrequency: () => 1, size: 12 };

type Pair = readonly [asked: string, goal: string];

const SAME_TASK: readonly Pair[] = [
  [
    'I need to make the websocket reconnect automatically when the connection drops',
    'Implement websocket auto-reconnect',
  ],
  [
    'Could you have a look at why invoices get the wrong VAT rate and fix it?',
    'Fix wrong VAT rate on invoices',
  ],
  [
    'lets add input validation to the POST /orders endpoint',
    'Add request validation to orders endpoint',
  ],
  [
    'Customers complain that password reset emails never arrive. Please fix.',
    'Fix password reset email not being sent',
  ],
  [
    'we should really get pagination working on the audit log table',
    'Implement pagination for audit log',
  ],
  ['Going to set up prettier and eslint in CI', 'Set up ESLint and Prettier in CI'],
  [
    'The cron job that cleans temp uploads is not running anymore',
    'Fix temp upload cleanup cron job',
  ],
  ['Implement soft delete for projects', 'Add soft-delete support to projects'],
  ["Can we cut the docker image size? it's 2GB right now", 'Reduce Docker image size'],
  ['Add dark theme toggle in the navbar', 'Implement dark mode toggle'],
  [
    'Build a Stripe webhook handler that verifies signatures',
    'Add signature verification to Stripe webhooks',
  ],
  [
    "I'd like you to write integration tests for the checkout flow",
    'Write integration tests for checkout',
  ],
  ['Fix race condition in the job queue', 'Resolve race in job queue worker'],
  ['Make search case-insensitive', 'Make product search case insensitive'],
  [
    'Convert callbacks in fileLoader to async/await',
    'Refactor fileLoader callbacks to async/await',
  ],
  ['Add OpenTelemetry tracing to the gateway', 'Instrument gateway with OpenTelemetry traces'],
  ['Add health check endpoint for k8s probes', 'Create /healthz endpoint for Kubernetes probes'],
  ['Sort out the N+1 queries on the orders page', 'Fix N+1 query in orders list'],
  ['Support S3 for file storage', 'Add S3 backend to file storage'],
  [
    "Users can't log in with Google anymore, getting redirect_uri mismatch",
    'Fix Google OAuth login redirect_uri mismatch',
  ],
  ['Store uploaded avatars on S3 instead of local disk', 'Move avatar uploads to S3'],
  ['Handle expired JWT tokens gracefully', 'Fix JWT expiry handling'],
  ['Bump Node to 22 in CI and Docker', 'Upgrade Node to 22'],
  ['Write a script to back up the database', 'Create database backup script'],
  ['websocket reconnect is not working', 'Implement websocket reconnect'],
  ['Fix the login timeout', 'Fix authentication timeout'],
  [
    'Hey! Hope you are well. Could you please fix the authentication timeout that customers keep hitting? Thanks a lot',
    'Fix authentication timeout',
  ],
  ['The login times out again. Can you fix it?', 'Fix login timeout'],
  ['Add pagination to the /users endpoint', 'Add pagination to /users'],
  ['Add caching with a lock to the user service', 'Add caching to the user service'],
  ['Write unit tests for the invoice parser', 'Add tests for invoice parser'],
  ['optimize the search query', 'Speed up slow search query'],
  ['We should throttle requests to the orders API', 'Add rate limiting to orders API'],
  [
    'database migration fails on startup, please look into it',
    'Fix failing db migration on startup',
  ],
  ['Implement retry logic for webhook delivery', 'Add retries to webhook delivery'],
  ['Users report that checkout crashes in Safari', 'Fix Safari crash in checkout'],
  ['fix(auth): token refresh race', 'Fix race in token refresh'],
  ['How do I add dark mode to the settings page?', 'Implement dark mode for settings'],
  ['Autentication timout needs fixing', 'Fix authentication timeout'],
  ['Migrate the sessions table to Postgres', 'Move sessions table to PostgreSQL'],
  ["let's bump eslint to v9", 'Upgrade ESLint to 9'],
  ['Set up CI pipeline with GitHub Actions', 'Create GitHub Actions CI workflow'],
  ['Export invoices as CSV', 'Add CSV export for invoices'],
  ['The email queue is stuck, emails are delivered twice', 'Fix duplicate emails in queue'],
  ['Validate phone numbers on the signup form', 'Add phone number validation to signup form'],
  ['Refactor the payment module into smaller services', 'Split payment module into services'],
  [
    'I want to add two factor authentication for admins',
    'Implement two-factor auth for admin users',
  ],
  [
    "next I'll implement websocket reconnection with backoff",
    'Add reconnect with exponential backoff to websocket client',
  ],
  ['fetchUserById crashes on null', 'Fix null crash in fetchUserById'],
  ['Rewrite the OAuth callback to use PKCE', 'Implement OAuth callback with PKCE'],
  ['please make the image upload faster', 'Optimize image upload speed'],
  ['We need to rotate the API keys automatically', 'Automate API key rotation'],
  [
    'The nightly backup job fails with ENOSPC, can you sort it out?',
    'Fix nightly backup job running out of disk',
  ],
  [
    'Hi there, I was wondering if you could help me with something. The CSV import chokes on files with a BOM and our biggest customer is pretty unhappy. Can you fix that?',
    'Handle BOM in CSV import',
  ],
  ['Refunds are rounded wrongly in the billing module', 'Fix rounding of refunds in billing'],
  ['Make CI faster by caching node_modules', 'Speed up CI with node_modules cache'],
  ['Dockerize the app for local development', 'Set up Docker for local development'],
  [
    'Stop the worker from processing the same job twice',
    'Prevent duplicate job processing in worker',
  ],
  ['Add an index on orders.created_at', 'Create index for orders created_at column'],
  ['The dashboard takes forever to load, can you make it quicker?', 'Speed up dashboard loading'],
  [
    'We keep getting 429s from the GitHub API. Add some backoff please',
    'Add backoff for GitHub API 429 responses',
  ],
  ["I'm working on the session expiry bug today", 'Fix session expiry bug'],
  ['Next up: implement CSV import for contacts', 'Add CSV import for contacts'],
  ['Task: Fix memory leak in websocket handler', 'Fix websocket handler memory leak'],
  ['Need to get the e2e tests running in parallel', 'Run e2e tests in parallel'],
  ['please investigate why the build is failing on Windows', 'Fix Windows build failure'],
  ["I'm about to add retry logic to the payment client", 'Add retries to payment client'],
  [
    'Please set the default currency to EUR for new accounts',
    'Change default currency to EUR for new accounts',
  ],
  [
    'Could you implement role based access control for the admin panel?',
    'Add role-based access control to admin panel',
  ],
  ['Generate the OpenAPI spec from the zod schemas', 'Generate OpenAPI docs from zod schemas'],
  ['Swap moment for date-fns', 'Replace moment with date-fns'],
  ['Add a unique index on users.email to stop duplicates', 'Add unique index to users.email'],
  ['Migrate from Jest to Vitest', 'Move test suite from Jest to Vitest'],
  ['user uploads larger than 10MB fail with 413', 'Fix 413 error for uploads larger than 10MB'],
  [
    'Make the signup form accessible for screen readers',
    'Improve signup form accessibility for screen readers',
  ],
  ['implement debouncing on the search input', 'Debounce search input'],
  ['Write a migration that adds a status column to orders', 'Add status column to orders table'],
  ['We should cache the product list response', 'Cache product list endpoint'],
  ['Our invoices PDF is missing the logo, could you add it?', 'Add logo to invoice PDF'],
  ["Let's get rid of the legacy v1 API", 'Remove legacy v1 API'],
  ['Can you make sure emails are sent in a background job?', 'Send emails from a background job'],
  [
    'Working on: password strength meter on registration',
    'Add password strength meter to registration form',
  ],
  [
    'I want to split the monolithic config.ts into per-feature modules',
    'Split config.ts into per-feature modules',
  ],
  ['The notifications bell shows a wrong unread count', 'Fix unread count of notifications bell'],
  [
    'implement graceful shutdown so in-flight requests finish',
    'Add graceful shutdown for in-flight requests',
  ],
  ['Enable gzip compression for API responses', 'Compress API responses with gzip'],
  ['Add sentry error tracking to the frontend', 'Integrate Sentry error tracking in frontend'],
  ['Our feature flags need a percentage rollout', 'Add percentage rollout to feature flags'],
  [
    "please fix: TypeError cannot read property 'id' of undefined in cart reducer",
    'Fix undefined id TypeError in cart reducer',
  ],
  [
    'Users should be able to reorder todo items by dragging',
    'Add drag and drop reordering of todo items',
  ],
];

const ANOTHER_TASK: readonly Pair[] = [
  ['Make the sidebar collapsible', 'Fix sidebar flicker on resize'],
  ['Add a loading spinner to the search page', 'Optimize search page queries'],
  ['Rename user table to accounts', 'Add soft delete to user table'],
  ['Write a blog post about the new release', 'Publish release 2.0 to npm'],
  ['Fix the date format on invoices', 'Fix wrong VAT rate on invoices'],
  ['Change the email footer text', 'Fix password reset email not being sent'],
  ['What time is it in Tokyo?', 'Fix time zone handling in reports'],
  ['Tell me a joke about docker', 'Reduce Docker image size'],
  ['Nice work on the checkout tests', 'Write integration tests for checkout'],
  ["What's the status of the S3 migration?", 'Move avatar uploads to S3'],
  ['Add a FAQ entry about refunds', 'Add refunds endpoint to payments API'],
  ["Let's talk about the roadmap for next quarter", 'Create roadmap page'],
  ['Please format the README', 'Convert README to AsciiDoc'],
  ['Add unit tests for date helpers', 'Add unit tests for currency helpers'],
  ['Fix typo on the landing page', 'Redesign landing page hero'],
  ['Fix the failing build', 'Fix failing checkout test'],
  ['Run the tests again', 'Write integration tests for checkout'],
  ['commit and push', 'Add commit hooks with husky'],
  ['Open a PR for this', 'Fix PR template'],
  ['Add tooltip to the export button', 'Add CSV export for invoices'],
  ['Show order totals in euros', 'Fix rounding in order totals'],
  ['Create a Slack notification when deploys fail', 'Create Slack bot for standup reminders'],
  ['Remove unused imports', 'Remove unused feature flags'],
  ['Update the user profile page to show avatars', 'Fix avatar upload size limit'],
  ['Is the websocket auto-reconnect thing done?', 'Implement websocket auto-reconnect'],
  ['By the way, the pagination looks great now', 'Implement pagination for audit log'],
  ['Add index to users.email', 'Add unique constraint to users.email'],
  ['Move the docs to Docusaurus', 'Move avatar uploads to S3'],
  ['Let me know when you are ready', 'Add readiness probe'],
  ['Make the API return 404 for missing orders', 'Make the API return 401 for expired tokens'],
  ['Write a script to seed the database', 'Write a script to back up the database'],
  ['Add German translations', 'Add French translations'],
  ['Let me know when the deploy is done', 'Fix deploy notifications'],
  ['works great, the websocket reconnects now', 'Implement websocket auto-reconnect'],
  ['fix the bug in the code', 'Fix bug in invoice code'],
  ['update the tests', 'Update tests for parser'],
  ['add a new feature', 'Add new feature flag service'],
  ['thanks, that works', 'Fix authentication timeout'],
  ['what is the weather', 'Add weather widget'],
  ['can you explain closures?', 'Fix closures leaking memory'],
  ['can you explain the login timeout?', 'Fix login timeout'],
  ['Add pagination to /users', 'Add rate limiting to /users'],
  ['Fix flaky checkout test', 'Fix flaky payment test'],
  ['Remove caching from the user service', 'Add caching to the user service'],
  ['Upgrade React from 17 to 18', 'Upgrade Vue from 2 to 3'],
  ['Write docs for the login timeout', 'Fix login timeout'],
  ['Add search bar to the dashboard', 'Add date filter to the dashboard'],
  ['Write unit tests for the parser', 'Write unit tests for the tokenizer'],
  ['I fixed the login timeout', 'Fix login timeout'],
  ["We've already added caching to the user service", 'Add caching to the user service'],
  ["don't add caching to the user service", 'Add caching to the user service'],
  ['Please read src/auth.ts', 'Fix login in src/auth.ts'],
  ['Rename the token helper in auth.ts', 'Add caching to auth.ts'],
  ['What did we do about dark mode?', 'Implement dark mode for settings'],
  ['Fix memory leak in the image worker', 'Fix memory leak in the websocket server'],
  ['Deploy to staging', 'Deploy the docs'],
  ["let's bump eslint to v9", 'Upgrade ESLint to 8'],
  ['good morning! how is everyone doing today', 'Fix morning report time zone'],
  ['The tests pass now, great work', 'Fix failing tests in CI'],
  ['Import invoices from CSV', 'Add CSV export for invoices'],
  ['Send a welcome email after signup', 'Send an invoice email after payment'],
  ['Validate postal codes on the signup form', 'Add phone number validation to signup form'],
  ['Delete the old user accounts', 'Create user accounts'],
  ['Fix typo in the README', 'Update README with install instructions'],
  ['Rewrite the OAuth callback to use PKCE', 'Fix OAuth scopes in token exchange'],
  [
    'The nightly report job fails, can you sort it out?',
    'Fix nightly backup job running out of disk',
  ],
  ['Hi there, I was wondering if you could help me with something.', 'Help text for wizard'],
  ['write a poem about caching', 'Add caching to product catalog'],
  ['Add caching to the auth service', 'Add caching to the product catalog'],
  ['Convert the build to ESM', 'Convert callbacks to async await'],
  ['Add logging to the payment service', 'Add metrics to the payment service'],
  ['Fix lint errors in the billing module', 'Fix rounding errors in the billing module'],
  ["What's next on the list?", 'List next steps for billing'],
  ['Can you summarize what the billing module does?', 'Fix rounding errors in the billing module'],
  ['ok sounds good, go ahead', 'Add go modules'],
  ['Change button color on the login page', 'Fix login page redirect loop'],
  ['Create a user settings page', 'Create user profile page'],
  ['Make the tests faster', 'Make the API faster'],
  ['Set up Docker for local development', 'Set up ESLint for local development'],
  ['Update dependencies', 'Update dependency injection container'],
  ["I'm heading out for lunch, talk later", 'Fix lunch menu'],
  ['Bump axios to fix the security advisory', 'Bump lodash to fix security advisory'],
  ['Drop the index on orders.created_at', 'Create index for orders created_at column'],
  ['Migrate from Mocha to Jest', 'Move test suite from Jest to Vitest'],
  [
    'Change default language to German for new accounts',
    'Change default currency to EUR for new accounts',
  ],
  ['Add a unique index on users.phone', 'Add status column to users'],
  ['Add CSV import for products', 'Add CSV export for contacts'],
  ['Bump the version to 2.1.0', 'Bump the minimum Node version to 20'],
  ['Remove the debounce from the search input', 'Debounce search input'],
  ['Is there a way to see which tests ran?', 'Run e2e tests in parallel'],
  ['The build is green now', 'Fix Windows build failure'],
  ["I'm off to a meeting about the payment client", 'Add retries to payment client'],
  ['Can you remind me how the payment client works?', 'Add retries to payment client'],
  ["Let's pick this up tomorrow", 'Pick up stale locks'],
  ['What do you think about moment vs date-fns?', 'Replace moment with date-fns'],
  ['Add a changelog entry for the release', 'Automate release changelog generation'],
  ['Fix the typo in the signup form label', 'Improve signup form accessibility for screen readers'],
  ['Fix the alignment of the admin panel header', 'Add role-based access control to admin panel'],
  ['Write tests for the CSV import', 'Add CSV import for contacts'],
  ['Rename the product list component', 'Cache product list endpoint'],
  ['Add sorting to the product list', 'Cache product list endpoint'],
  ['The API docs mention a 10MB limit', 'Fix 413 error for uploads larger than 10MB'],
  ['Delete the old dashboard', 'Speed up dashboard loading'],
  ['Translate the dashboard to French', 'Speed up dashboard loading'],
  ['Clean up the websocket handler code', 'Fix websocket handler memory leak'],
  ['Please commit your changes', 'Commit generated files'],
  ['Update the dependencies', 'Update payment client'],
  ['Add error handling to the upload service', 'Add error handling to the billing worker'],
  ['How many users signed up yesterday?', 'Improve signup form accessibility for screen readers'],
  [
    'Great, thanks! That solved the memory leak in the websocket handler',
    'Fix websocket handler memory leak',
  ],
  ['Could you review my PR for the websocket handler?', 'Fix websocket handler memory leak'],
  ['Users should be able to archive todo items', 'Add drag and drop reordering of todo items'],
  ['Add sentry to the team channel', 'Add logo to invoice PDF'],
  ['Write a changelog for v1', 'Remove legacy v1 API'],
  ['What is the unread count for?', 'Fix unread count of notifications bell'],
  ['Add a notifications settings page', 'Fix unread count of notifications bell'],
  ['Format config.ts with prettier', 'Split config.ts into per-feature modules'],
  ['How are feature flags stored?', 'Add percentage rollout to feature flags'],
  ['Add an expiry date to feature flags', 'Add percentage rollout to feature flags'],
  ['Fix the cart total when a coupon is applied', 'Fix undefined id TypeError in cart reducer'],
  ['awesome, gzip works!', 'Compress API responses with gzip'],
  ['Compress the images in the README', 'Compress API responses with gzip'],
  ['Can you rerun that?', 'Rerun failed jobs automatically'],
];

interface Case {
  plan: string;
  file?: string;
  goal: string;
  files?: string[];
  approach?: string;
  commands?: [command: string, success: boolean][];
}

/** Near-identical, with reasons, as problems, without the grammar of English commands. */
const SAME_INTENT: readonly Pair[] = [
  ['move all clients to api version 3', 'Move the clients to API version 3'],
  [
    'let us ship the newsletter on thursday morning then',
    'Ship the newsletter on Thursday morning',
  ],
  ['Rebuild the entire product catalogue overnight', 'Rebuild the product catalogue every night'],
  ['Look up invoices by tax number', 'Find invoices by tax number'],
  [
    'Shrink the test fleet to 4 machines to cut the bill',
    'Scale the test fleet down to 4 machines',
  ],
  ['make the weekly sales table incremental', 'Convert the weekly sales table to incremental'],
  ['a guest was billed twice and asks for a refund', 'Refund a guest who was billed twice'],
  [
    'The audit found that the partner portal sends no HSTS header. Please set one.',
    'Set the HSTS header on the partner portal',
  ],
  ['Bitte die Lieferscheine abends als PDF drucken', 'Lieferscheine abends als PDF drucken'],
  ['Vorrei esportare le fatture in formato Excel', 'Esportare le fatture in formato Excel'],
  [
    'Import the prices of wholesalers by a queue and not by cron',
    'Move the price import from cron to a queue of wholesalers',
  ],
  ['newsletters land in spam at outlook', 'Keep newsletters out of spam'],
  ['the badge reader at gate 3 does not work', 'Get the badge reader at gate 3 to work'],
  ['members cannot renew their passes online', 'Let members renew passes online'],
  ['labels show question marks instead of accents', 'Print accents on labels'],
  ['drivers cannot see the route on tablets', 'Show the route to drivers on tablets'],
  [
    'do we have a supplier without minimum order for gloves?',
    'Find a supplier of gloves without minimum order',
  ],
  [
    'did anybody ever find out why parcels to Norway come back?',
    'Find out why parcels to Norway come back',
  ],
  [
    'guests need their own printer queue, has that been set up?',
    'Put guests on their own printer queue',
  ],
  [
    'the pipeline fetches gradle artefacts on every run, can we cache them?',
    'Cache gradle artefacts in the pipeline',
  ],
  [
    'we see lock timeouts again when the stock count runs during closing',
    'Fix lock timeouts between stock count and closing',
  ],
  [
    'Sort out the stale prices on the kiosk screens, it annoys the staff',
    'Fix stale prices on kiosk screens',
  ],
  ['i would laminate the menus, any objections?', 'Laminate the menus'],
  [
    'What if we narrate the second act from the point of view of the nurse?',
    'Narrate the second act from the nurse’s point of view',
  ],
  [
    'laminate them with -O2 maybe? I mean the kernels, compile the kernels with -O2',
    'Compile the kernels with -O2',
  ],
  ['trace why the kiosk freezes after lunch', 'Find out why the kiosk freezes after lunch'],
  ['the hall is double booked on the 4th again', 'Fix double bookings of the hall'],
  [
    'Patients should be able to move their visits on their own instead of calling the desk',
    'Let patients move visits themselves',
  ],
  [
    'Book the ferry to Crete for the climbing club, same as last time',
    'Book the ferry to Crete for the climbing club',
  ],
  [
    'The auditor needs the ledger of last month exported as CSV',
    'Export the ledger of a month as CSV for the auditor',
  ],
];

/** Chat, reports of a problem and questions that only share words with what is remembered. */
const ANOTHER_INTENT: readonly Pair[] = [
  ['Announce the winter sale in the newsletter', 'Announce the summer sale in the newsletter'],
  ['Pay the invoice of the printer supplier', 'Dispute the invoice of the printer supplier'],
  ['Rename the orders service', 'Split the orders service'],
  ['Write the minutes of the board meeting', 'Prepare the slides of the board meeting'],
  ['Draft a contract for the caterer', 'Cancel the contract with the caterer'],
  ['Measure the depth of the river at the bridge', 'Paint the bridge across the river'],
  ['the board meeting is on friday', 'Prepare the slides of the board meeting'],
  ['let us have lunch on friday then', 'Deploy on Friday evening'],
  ['The payment client logs too much', 'Add a retry to the payment client'],
  ['Test the backup restore', 'Copy the backups to another region'],
  ['move the clients to api version 4', 'Move the clients to API version 3'],
  ['Look up invoices by customer name', 'Find orders by phone number'],
  ['the badge reader at gate 5 does not work', 'Get the badge reader at gate 3 to work'],
  ['the coffee machine on the third floor does not work', 'Get the badge reader at gate 3 to work'],
  ['Refund a guest who left early', 'Seat a guest who came early'],
  ['members like the new passes', 'Let members renew passes online'],
  ['how many members renewed this month?', 'Let members renew passes online'],
  ['the parcels to Norway arrived, thanks', 'Find out why parcels to Norway come back'],
  ['labels are out of stock', 'Print accents on labels'],
  ['drivers are late today because of the snow', 'Show the route to drivers on tablets'],
  [
    'what did the auditor say about the ledger?',
    'Export the ledger of a month as CSV for the auditor',
  ],
  [
    'the nurse called in sick, who takes the second shift?',
    'Narrate the second act from the point of view of the nurse',
  ],
  ['which supplier has the cheapest gloves?', 'Find a supplier of tape without minimum order'],
  ['have you seen the menus?', 'Laminate the menus'],
  ['the menus look lovely', 'Laminate the menus'],
  ['I laminated the menus yesterday', 'Laminate the menus'],
  ['Unpublish the newsletter', 'Publish the newsletter'],
  ['Stop shipping the newsletter on Thursday', 'Ship the newsletter on Thursday morning'],
  ['ship the newsletter on tuesday morning', 'Ship the newsletter on Thursday morning'],
  ['Lieferscheine morgens per Fax senden', 'Rechnungen abends als PDF drucken'],
  ['the newsletter has a typo in the footer', 'Keep newsletters out of spam'],
  ['the pipeline is red because of a license check', 'Cache gradle artefacts in the pipeline'],
  ['Rename the kiosk screens', 'Fix stale prices on kiosk screens'],
  ['prices on the web shop are stale', 'Fix stale stock counts on kiosk screens'],
  ['Order new screens for the kiosk', 'Fix stale prices on kiosk screens'],
  ['Book the bus to Crete for the choir', 'Book the ferry to Malta for the climbing club'],
  ['can somebody book a room for the retro?', 'Fix double bookings of the hall'],
  ['the hall smells of paint', 'Fix double bookings of the hall'],
  ['Wonderful, the hall bookings are right again', 'Fix double bookings of the hall'],
  ['support says the search feels slow in the app', 'Add search by tag to the app'],
  ['have a look at src/ledger.ts', 'Export the ledger of a month as CSV for the auditor'],
  ['is the ledger closed already?', 'Export the ledger of a month as CSV for the auditor'],
  ['we lost two customers to a rival', 'Find out why parcels to Norway come back'],
];

const REPEATS: readonly Case[] = [
  { plan: 'pin worker threads to cores', goal: 'Pin the worker threads to cores' },
  {
    plan: 'migrate the tablets to firmware version 7',
    goal: 'Migrate tablets to firmware version 7',
  },
  { plan: 'retry the failed uploads of the archive', goal: 'Retry failed uploads of the archive' },
  { plan: 'bake the sourdough at 240 degrees', goal: 'Bake sourdough at 240 degrees' },
  { plan: 'Spare Zettel mit der Post verschicken', goal: 'Zettel mit der Post verschicken' },
  {
    plan: 'k9 run stress/basket.js',
    goal: 'Put load on the shared environment',
    commands: [['k9 run stress/basket.js', false]],
  },
  {
    plan: 'k9 run --vus 80 stress/basket.js',
    goal: 'Put load on the shared environment',
    commands: [['k9 run stress/basket.js', false]],
  },
  {
    plan: 'speedlane beta',
    goal: 'Give testers the build',
    commands: [['speedlane beta', false]],
  },
  {
    plan: 'run the basket stress test with k9',
    goal: 'Put load on the shared environment',
    commands: [['k9 run stress/basket.js', false]],
  },
  {
    plan: 'install rabbit with the operator chart',
    file: 'k8s/rabbit.yaml',
    goal: 'Set up Rabbit in the cluster',
    files: ['k8s/rabbit.yaml'],
  },
  {
    plan: 'change Justfile so that contract tests run in parallel',
    file: 'Justfile',
    goal: 'Run all contract tests in parallel',
    files: ['Justfile'],
  },
  {
    plan: 'cache parsed templates in the worker memory so that we do not read the disk each time',
    goal: 'Cache parsed templates in worker memory',
  },
  { plan: 'add caching to auth.ts', goal: 'Add caching to auth.ts', files: ['src/auth.ts'] },
  {
    plan: 'add caching with a lock',
    file: 'src/auth.ts',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  {
    plan: 'cache decoded tokens',
    file: 'src/auth.ts',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  {
    plan: 'implement a caching layer in auth.ts using redis',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  {
    plan: "I'm going to memoize verifyToken in src/auth.ts so we stop hitting the db",
    goal: 'Add caching of verifyToken',
    files: ['src/auth.ts'],
  },
  {
    plan: 'Add an in-memory token cache for lookups',
    file: 'src/session.ts',
    goal: 'Add in-memory token cache for lookups',
    files: ['src/auth.ts'],
  },
  {
    plan: 'npm install left-pad',
    goal: 'Install left-pad',
    commands: [['npm install left-pad', false]],
  },
  {
    plan: 'npm i left-pad --save-dev',
    goal: 'Install left-pad',
    commands: [['npm install left-pad', false]],
  },
  {
    plan: 'run `git rebase main`',
    goal: 'Bring branch up to date',
    commands: [
      ['git status', true],
      ['git rebase main', false],
    ],
  },
  { plan: "Let's upgrade webpack to version 5", goal: 'Upgrade webpack to 5' },
  {
    plan: 'Speed up checkout by adding a redis cache for cart totals',
    goal: 'Speed up checkout',
    approach: 'Redis caching for cart totals',
  },
  {
    plan: 'Add a redis cache for cart totals',
    goal: 'Speed up checkout',
    approach: 'Add Redis caching of cart totals',
  },
  { plan: 'refactor auth.ts', goal: 'Refactor src/auth.ts', files: ['src/auth.ts'] },
  {
    plan: 'Add exponential backoff retries',
    file: 'src/client.ts',
    goal: 'Add retry with backoff to client.ts',
    files: ['src/client.ts'],
  },
  {
    plan: 'Turn the parser into a state machine',
    file: 'src/parser.ts',
    goal: 'Rewrite parser.ts as a state machine',
    files: ['src/parser.ts'],
  },
  {
    plan: 'Could you switch the sessions store to Redis please?',
    goal: 'Move session store to Redis',
    files: ['src/session.ts'],
  },
  {
    plan: 'Should we move the session store to redis?',
    goal: 'Move session store to Redis',
    files: ['src/session.ts'],
  },
  {
    plan: 'drop the legacy_users table',
    goal: 'Drop legacy_users table',
    files: ['db/migrate.sql'],
  },
  {
    plan: 'docker compose up -d --build',
    goal: 'Start the stack',
    commands: [['docker compose up --build', false]],
  },
  {
    plan: 'Deploy to production on Friday with the blue-green script',
    goal: 'Deploy to production with blue-green script',
  },
  {
    plan: 'Enable strict null checks in tsconfig.json',
    goal: 'Enable strict null checks',
    files: ['tsconfig.json'],
  },
  {
    plan: 'ALTER TABLE orders to make customer_id NOT NULL',
    goal: 'Make orders.customer_id not null',
    files: ['db/orders.sql'],
  },
  {
    plan: "I'll parallelize the e2e tests with sharding",
    goal: 'Run e2e tests in parallel with sharding',
  },
  { plan: 'Let me try running the e2e tests in parallel', goal: 'Run e2e tests in parallel' },
  {
    plan: 'edit src/db/pool.ts to raise the connection pool size to 50',
    file: 'src/db/pool.ts',
    goal: 'Increase connection pool size',
    files: ['src/db/pool.ts'],
  },
  {
    plan: 'Use a worker thread for PDF rendering',
    file: 'src/pdf.ts',
    goal: 'Move PDF rendering to worker threads',
    files: ['src/pdf.ts'],
  },
  { plan: "Now I'm going to upgrade prisma to v6", goal: 'Upgrade Prisma to 6' },
  {
    plan: 'npm install prisma@6',
    goal: 'Upgrade Prisma to 6',
    commands: [['npm install prisma@6', false]],
  },
  {
    plan: 'Replace the regex parser with a PEG grammar in src/query.ts',
    goal: 'Rewrite query parser as PEG grammar',
    files: ['src/query.ts'],
  },
  {
    plan: 'git push --force origin main',
    goal: 'Force push rebased main',
    commands: [['git push --force origin main', false]],
  },
  {
    plan: "Let's wrap the checkout in a database transaction",
    file: 'src/checkout.ts',
    goal: 'Wrap checkout in a transaction',
    files: ['src/checkout.ts'],
  },
  {
    plan: 'Please make checkout run inside one transaction',
    file: 'src/checkout.ts',
    goal: 'Wrap checkout in a transaction',
    files: ['src/checkout.ts'],
  },
  {
    plan: 'switch the api to fastify',
    file: 'src/server.ts',
    goal: 'Migrate API server from Express to Fastify',
    files: ['src/server.ts'],
  },
  {
    plan: 'Set strict mode to true in tsconfig.json',
    goal: 'Turn on strict mode',
    files: ['tsconfig.json'],
  },
  {
    plan: 'use SharedArrayBuffer for the audio buffer',
    goal: 'Use SharedArrayBuffer for audio buffers',
    files: ['src/audio.ts'],
  },
  {
    plan: "I'll just bump the timeout of the upload test to 60 seconds",
    file: 'test/upload.test.ts',
    goal: 'Increase timeout of upload test',
    files: ['test/upload.test.ts'],
  },
  {
    plan: 'Going to replace the mutex with an atomic counter in src/pool.ts',
    goal: 'Replace mutex by atomic counter in pool',
    files: ['src/pool.ts'],
  },
  {
    plan: 'delete node_modules and reinstall with npm ci to fix the build',
    goal: 'Reinstall node_modules to fix the build',
  },
  {
    plan: 'Run the database migration directly in production',
    goal: 'Run database migration directly on production',
  },
  {
    plan: 'Can we lazy load the chart library?',
    file: 'src/chart.tsx',
    goal: 'Lazy-load chart library',
    files: ['src/chart.tsx'],
  },
];

const DOES_NOT_REPEAT: readonly Case[] = [
  { plan: 'log parsed templates', goal: 'Cache parsed templates in worker memory' },
  { plan: 'clear the template cache', goal: 'Cache parsed templates in worker memory' },
  { plan: 'deploy on tuesday evening', goal: 'Deploy on Friday evening' },
  { plan: 'drop the events table', goal: 'Run a full vacuum on the events table' },
  { plan: 'run the unit tests in parallel', goal: 'Run all contract tests in parallel' },
  { plan: 'unpin worker threads', goal: 'Pin the worker threads to cores' },
  { plan: 'bake the sourdough at 210 degrees', goal: 'Bake sourdough at 240 degrees' },
  { plan: 'the sourdough did not work last week', goal: 'Bake sourdough at 240 degrees' },
  { plan: 'was the sourdough baked at 240 degrees?', goal: 'Bake sourdough at 240 degrees' },
  { plan: 'cat stress/basket.js', goal: 'Stress the basket', files: ['stress/basket.js'] },
  {
    plan: 'k9 run stress/search.js',
    goal: 'Put load on the shared environment',
    commands: [['k9 run stress/basket.js', false]],
  },
  {
    plan: 'speedlane release',
    goal: 'Give testers the build',
    commands: [['speedlane beta', false]],
  },
  {
    plan: 'deployer push --env=staging',
    goal: 'Bring the build out',
    commands: [['deployer push --env=production', false]],
  },
  {
    plan: 'remove rabbit from the chart',
    file: 'k8s/rabbit.yaml',
    goal: 'Set up Rabbit in the cluster',
    files: ['k8s/rabbit.yaml'],
  },
  {
    plan: 'add a memory limit to rabbit',
    file: 'k8s/rabbit.yaml',
    goal: 'Set up Rabbit in the cluster',
    files: ['k8s/rabbit.yaml'],
  },
  { plan: 'fix the bug', goal: 'Fix the bug in the totals' },
  { plan: 'update the tests', goal: 'Update the tests of the totals' },
  { plan: 'Convert invoices to Parquet', goal: 'Convert orders to Avro' },
  {
    plan: 'rename the token helper in auth.ts',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  {
    plan: 'rename the cache helper',
    file: 'src/auth.ts',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  { plan: 'remove caching from auth.ts', goal: 'Add caching to auth.ts', files: ['src/auth.ts'] },
  { plan: 'revert the caching in auth.ts', goal: 'Add caching to auth.ts', files: ['src/auth.ts'] },
  {
    plan: 'why did caching fail in auth.ts?',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  { plan: 'show me auth.ts', goal: 'Add caching to auth.ts', files: ['src/auth.ts'] },
  {
    plan: 'read src/auth.ts and explain the caching',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  { plan: 'add caching to session.ts', goal: 'Add caching to auth.ts', files: ['src/auth.ts'] },
  {
    plan: 'add caching',
    file: 'src/pricing.ts',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  {
    plan: 'npm install right-pad',
    goal: 'Install left-pad',
    commands: [['npm install left-pad', false]],
  },
  {
    plan: 'npm uninstall left-pad',
    goal: 'Install left-pad',
    commands: [['npm install left-pad', false]],
  },
  { plan: 'npm test', goal: 'Fix the flaky checkout test', commands: [['npm test', false]] },
  {
    plan: 'git status',
    goal: 'Rebase onto main',
    commands: [
      ['git status', false],
      ['git rebase main', false],
    ],
  },
  { plan: 'run git fetch', goal: 'Bring branch up to date', commands: [['git fetch', false]] },
  {
    plan: 'npm run build',
    goal: 'Upgrade webpack to 5',
    commands: [
      ['npm run build', true],
      ['npm i webpack@5', false],
    ],
  },
  { plan: 'Upgrade webpack to 6', goal: 'Upgrade webpack to 5' },
  {
    plan: 'Batch the queries of the order report',
    goal: 'Speed up checkout',
    approach: 'Add Redis caching of cart totals',
  },
  { plan: 'fix a typo in auth.ts', goal: 'Refactor src/auth.ts', files: ['src/auth.ts'] },
  { plan: 'edit', file: 'src/auth.ts', goal: 'Refactor src/auth.ts', files: ['src/auth.ts'] },
  { plan: 'edit src/auth.ts', goal: 'Add caching to auth.ts', files: ['src/auth.ts'] },
  { plan: 'add logging to auth.ts', goal: 'Add caching to auth.ts', files: ['src/auth.ts'] },
  {
    plan: 'write tests for the caching in auth.ts',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  {
    plan: 'Add a comment explaining the retry in client.ts',
    goal: 'Add retry with backoff to client.ts',
    files: ['src/client.ts'],
  },
  {
    plan: 'Fix the null pointer in parseHeader',
    file: 'src/parser.ts',
    goal: 'Rewrite parser.ts as a state machine',
    files: ['src/parser.ts'],
  },
  {
    plan: 'Could you switch the sessions store to Memcached please?',
    goal: 'Move session store to Redis',
    files: ['src/session.ts'],
  },
  {
    plan: 'We tried moving sessions to Redis and it failed',
    goal: 'Move session store to Redis',
    files: ['src/session.ts'],
  },
  {
    plan: "don't move the sessions to redis",
    goal: 'Move session store to Redis',
    files: ['src/session.ts'],
  },
  {
    plan: 'document the redis session store',
    goal: 'Move session store to Redis',
    files: ['src/session.ts'],
  },
  {
    plan: 'create the legacy_users table',
    goal: 'Drop legacy_users table',
    files: ['db/migrate.sql'],
  },
  { plan: 'Update the README', goal: 'Update README with badges', files: ['README.md'] },
  {
    plan: 'Deploy to staging with the blue-green script',
    goal: 'Deploy to production with blue-green script',
  },
  {
    plan: 'Disable strict null checks in tsconfig.json',
    goal: 'Enable strict null checks',
    files: ['tsconfig.json'],
  },
  {
    plan: 'Add path aliases to tsconfig.json',
    goal: 'Enable strict null checks',
    files: ['tsconfig.json'],
  },
  {
    plan: 'I read auth.ts, caching failed there because of a race condition',
    goal: 'Add caching to auth.ts',
    files: ['src/auth.ts'],
  },
  {
    plan: 'edit src/db/pool.ts to log slow queries',
    file: 'src/db/pool.ts',
    goal: 'Increase connection pool size',
    files: ['src/db/pool.ts'],
  },
  {
    plan: 'lower the connection pool size',
    file: 'src/db/pool.ts',
    goal: 'Increase connection pool size',
    files: ['src/db/pool.ts'],
  },
  {
    plan: 'Add page numbers to PDF rendering',
    file: 'src/pdf.ts',
    goal: 'Move PDF rendering to worker threads',
    files: ['src/pdf.ts'],
  },
  {
    plan: 'Fix the PDF footer font',
    file: 'src/pdf.ts',
    goal: 'Move PDF rendering to worker threads',
    files: ['src/pdf.ts'],
  },
  {
    plan: 'npm install prisma@5',
    goal: 'Upgrade Prisma to 6',
    commands: [['npm install prisma@6', false]],
  },
  { plan: 'Pin prisma to v5', goal: 'Upgrade Prisma to 6' },
  {
    plan: 'read package.json',
    file: 'package.json',
    goal: 'Upgrade Prisma to 6',
    files: ['package.json'],
  },
  {
    plan: 'Fix off by one in the query parser',
    file: 'src/query.ts',
    goal: 'Rewrite query parser as PEG grammar',
    files: ['src/query.ts'],
  },
  {
    plan: 'Add a test for empty queries',
    file: 'src/query.test.ts',
    goal: 'Rewrite query parser as PEG grammar',
    files: ['src/query.ts'],
  },
  {
    plan: 'Remove the transaction around the checkout',
    file: 'src/checkout.ts',
    goal: 'Wrap checkout in a transaction',
    files: ['src/checkout.ts'],
  },
  {
    plan: 'Explain the transaction in checkout.ts',
    goal: 'Wrap checkout in a transaction',
    files: ['src/checkout.ts'],
  },
  {
    plan: 'Was the checkout transaction a bad idea?',
    goal: 'Wrap checkout in a transaction',
    files: ['src/checkout.ts'],
  },
  {
    plan: 'Add a discount field to the checkout',
    file: 'src/checkout.ts',
    goal: 'Wrap checkout in a transaction',
    files: ['src/checkout.ts'],
  },
  {
    plan: 'Fix the deadlock from the checkout transaction',
    file: 'src/checkout.ts',
    goal: 'Wrap checkout in a transaction',
    files: ['src/checkout.ts'],
  },
  {
    plan: 'add a route for exports',
    file: 'src/server.ts',
    goal: 'Migrate API server from Express to Fastify',
    files: ['src/server.ts'],
  },
  {
    plan: 'resample the audio buffer to 48kHz',
    goal: 'Use SharedArrayBuffer for audio buffers',
    files: ['src/audio.ts'],
  },
  {
    plan: 'Skip the upload test',
    file: 'test/upload.test.ts',
    goal: 'Increase timeout of upload test',
    files: ['test/upload.test.ts'],
  },
  {
    plan: 'Add metrics for the mutex in src/pool.ts',
    goal: 'Replace mutex by atomic counter in pool',
    files: ['src/pool.ts'],
  },
  {
    plan: 'Run the database migration in staging',
    goal: 'Run database migration directly on production',
  },
  {
    plan: 'What went wrong with the production migration?',
    goal: 'Run database migration directly on production',
  },
  {
    plan: 'Change the chart colors',
    file: 'src/chart.tsx',
    goal: 'Lazy-load chart library',
    files: ['src/chart.tsx'],
  },
  {
    plan: 'Undo the lazy loading of the chart library',
    file: 'src/chart.tsx',
    goal: 'Lazy-load chart library',
    files: ['src/chart.tsx'],
  },
];

function isAlike([asked, goal]: Pair): boolean {
  return likeness(asked, goal, COUNTS).score >= ALIKE;
}

function isWanted([said, goal]: Pair): boolean {
  return likeness(intentOf(said), goal, COUNTS).score >= ALIKE;
}

function repeats({ plan, file, goal, files = [], approach, commands = [] }: Case): boolean {
  const read = planOf(plan, file);
  const attempt = {
    goal,
    approach,
    files,
    commands: commands.map(([command, success]) => ({ command, success })),
  };
  return read !== null && planLikeness(read, attempt, COUNTS).alike;
}

describe('likeness of tasks', () => {
  it('finds the same task in other words', () => {
    expect(SAME_TASK.filter((pair) => !isAlike(pair))).toEqual([]);
  });

  it('keeps apart what only shares words, questions, thanks and reports', () => {
    expect(ANOTHER_TASK.filter(isAlike)).toEqual([]);
  });

  it('finds what is wanted behind reasons, symptoms and other grammar', () => {
    expect(SAME_INTENT.filter((pair) => !isWanted(pair))).toEqual([]);
  });

  it('stays silent about chat, other symptoms and questions with a word in common', () => {
    expect(ANOTHER_INTENT.filter(isWanted)).toEqual([]);
  });

  it('says which words made it, and what forbade it', () => {
    expect(likeness('Fix the login timeout', 'Fix authentication timeout', COUNTS)).toEqual({
      score: 1,
      reasons: ['words authent, timeout'],
      evidence: expect.closeTo(1.8, 5),
    });
    expect(likeness('Remove the cache layer', 'Add a cache layer', COUNTS)).toEqual({
      score: 0,
      reasons: [],
      evidence: 0,
      veto: 'opposite actions: remove / add',
    });
  });

  it('trusts a word less the more memories have it', () => {
    const counts = (frequency: number) => ({
      documentFrequency: (stem: string) => (stem === 'invoic' ? frequency : 1),
      size: 1_000,
    });
    const scoreAt = (frequency: number) =>
      likeness('Fix invoice rounding', 'Fix invoice numbering', counts(frequency)).score;
    expect(scoreAt(900)).toBeLessThan(scoreAt(1));
  });

  it('reads a long message once and in bounded time', () => {
    const long = `${'We talked about many things and '.repeat(400)}. Fix the login timeout.`;
    expect(taskOf(long).readings.length).toBeLessThanOrEqual(13);
    expect(taskOf('x'.repeat(100_000)).readings).toHaveLength(1);
  });

  it('takes a goal in any form, and a message only when something is to be done', () => {
    expect(goalOf('Why does the login time out?').readings).toHaveLength(1);
    expect(taskOf('Why does the login time out?').readings).toEqual([]);
    expect(taskOf('').readings).toEqual([]);
    // Each alone, and both in one.
    expect(taskOf('Could you fix the login and add a cache?').readings).toHaveLength(3);
    expect(intentOf('Why does the login time out?').readings).toHaveLength(1);
    expect(intentOf('I have fixed the login').readings).toEqual([]);
  });
});

describe('likeness of a plan to a failed attempt', () => {
  it('sees the same action coming', () => {
    expect(REPEATS.filter((each) => !repeats(each))).toEqual([]);
  });

  it('stays silent about another action, its undoing, and mere looking', () => {
    expect(DOES_NOT_REPEAT.filter(repeats)).toEqual([]);
  });
});

describe('commands in a text', () => {
  it('are found in backticks, after "run" and alone, and not in prose', () => {
    const textsIn = (text: string) => commandsIn(text).map((command) => command.text);
    expect(textsIn('first `npm ci`, then run git rebase main')).toEqual([
      'npm ci',
      'git rebase main',
    ]);
    expect(textsIn('docker compose up -d')).toEqual(['docker compose up -d']);
    expect(textsIn('let us go through the list and make the tests pass')).toEqual([]);
  });

  it('are compared without the order of flags, sudo, aliases and spelling of paths', () => {
    const alike = (one: string, other: string) => {
      const [a, b] = [readCommand(one), readCommand(other)];
      return a && b ? commandLikeness(a, b) : null;
    };
    expect(alike('sudo rm -r -f ./dist/', 'rm -f -r dist/')).toBe(1);
    expect(alike('npm i left-pad', 'npm install left-pad')).toBe(1);
    expect(alike('npm i left-pad', 'npm install left-pad@2 --save')).toBe(0.9);
    expect(alike('npm i left-pad@1', 'npm install left-pad@2')).toBe(0);
    expect(alike('npm i left-pad', 'npm uninstall left-pad')).toBe(0);
    expect(alike('git push', 'git push --force')).toBe(0.9);
  });

  it('that look, list or test attempt nothing', () => {
    const harmless = [
      'git log -3',
      'npm test',
      'npm run lint',
      'ls src',
      'kubectl get pods',
      'npx vitest run x',
      'curl -s https://example.com',
      "sed -n '1,5p' src/a.ts",
    ];
    const attempts = [
      'git push',
      'npm run build',
      'rm -rf dist',
      'kubectl apply -f x.yaml',
      'curl -X POST https://example.com',
      'sed -i s/a/b/ src/a.ts',
    ];
    const isHarmlessText = (text: string) => {
      const command = readCommand(text);
      return command !== null && isHarmless(command);
    };
    expect(harmless.filter((text) => !isHarmlessText(text))).toEqual([]);
    expect(attempts.filter(isHarmlessText)).toEqual([]);
  });
});
