import { describe, expect, it } from 'vitest';
import { vetoOf } from '../../src/embeddings/index.js';

const FORBIDDEN = `
Add the index on orders | Drop the index on orders
Please enable two-factor login for admins | disable two factor login for admins
Create a table for sessions | Delete the table for sessions
Start the staging server | Stop the staging server
Could you stop the worker? | Could you start the worker?
Encrypt the backups | Decrypt the backups
Encryption of the backups | decryption of the backups
Upgrade node on the servers | Downgrade node on the servers
Increase the connection pool | Reduce the connection pool
Install the plugin | Uninstall the plugin
Import contacts from the phone | Export contacts to the phone
Upload the logs | Download the logs
Subscribe me to the list | Unsubscribe me from the list
Merge the feature branch | Revert the feature branch
Deploy the release | Roll back the release
Show the toolbar | Hide the toolbar
The toolbar should be hidden | Show the toolbar
Open the port for the proxy | Close the port for the proxy
Lock the account | Unlock the account
Mount the volume | Unmount the volume
Connect the sensor to the hub | Disconnect the sensor from the hub
Grant Bob access | Revoke Bob's access
Accept the offer | Decline the offer
Buy the shares | Sell the shares
Turn on the lights | Turn off the lights
Switch the heating on | Switch the heating off
Archive the old tickets | Restore the old tickets
Expand all sections | Collapse all sections
Scale up the cluster | Scale down the cluster
Log in to the portal | Log out of the portal
Get rid of the sidebar | Add the sidebar
The banner must be removed | Add the banner
Allow guests to post | Forbid guests to post
Cache the results | Do not cache the results
Don't send the mail | Send the mail
Copy files with overwriting | Copy files without overwriting
Never retry failed payments | Retry failed payments
Buffer the download | Stream the download instead of buffering
Migrate from MySQL to PostgreSQL | Migrate from PostgreSQL to MySQL
Convert Celsius to Fahrenheit | Convert Fahrenheit to Celsius
Upgrade React from 17 to 18 | Upgrade Vue from 2 to 3
Upgrade to version 2.3.1 | Upgrade to version 2.4.0
Set the limit to 3 | Set the limit to five
Limit uploads to 10MB | Limit uploads to 20MB
Fix issue #12 | Fix issue #13
Book a table for four | Book a table for six
Use Redis for sessions | Use Memcached for sessions
Write tests with Jest | Write tests with Mocha
Deploy to staging | Deploy to production
Translate the page to German | Translate the page to French
Remind me on Monday | Remind me on Friday
Export the report as CSV | Export the report as PDF
Fix the bug in src/auth/login.ts | Fix the bug in src/auth/logout.ts
Edit config.yml | Edit package.json
Rename getUser to fetchUser | Rename getOrder to fetchOrder
Set "theme" to "dark" | Set "theme" to "light"
Send the invoice to Anna | Send the invoice to Peter
Book a flight to Lisbon | Book a flight to London
The deploy fails on the server | The deploy succeeds on the server
Make the profile public | Make the profile private
Sort the list ascending | Sort the list descending
Run the job before the release | Run the job after the release
Validate on the client | Validate on the server
Fix user_id in the schema | Fix order_id in the schema
Use the light theme | Use the dark theme
`;

const ALLOWED = `
Add an index on orders | Create the index for orders
Remove the deprecated endpoints | delete deprecated endpoints
Remove the deprecated endpoints | get rid of deprecated endpoints
Fix the login timeout | login is not working, it times out, fix it
Fix the login timeout | the login does not work because of a timeout
Fix the crash at start | app crashes when it starts, fix
Stop the crash at start | fix the crash at start
Close open issues | close the issues that are open
Fix the open file handle leak | close the leaking file handles
Upgrade React 17 to 18 | upgrade to React 18
Upgrade React to version 18 | React 18.0 upgrade
Limit uploads to 10 MB | limit upload size to ten megabytes
Learn twenty Spanish words | learn 20 Spanish words
Migrate from MySQL to PostgreSQL | move our MySQL database to Postgres
Deploy staging on Kubernetes | bring staging to k8s
Write tests with Jest | write tests
Fix src/auth/login.ts | fix login.ts
Fix src\\auth\\login.ts | fix src/auth/login.ts
Rename getUser | rename get_user
Rename getUser | rename GetUser
Send the invoice to Anna | Send the invoice to anna
Send Anna the invoice | Anna needs the invoice, send it
Add dark mode | dark mode please
Set up CI with GitHub Actions | configure github actions for CI
Debounce the search box | search box should be debounced
Encrypt the backups | backups should be encrypted
Fix the export of reports | report export is broken
Fix the import of contacts | contacts cannot be imported
Fix import and export | export and import fix
The job adds duplicates, fix it | remove the duplicates that the job adds
Prevent duplicate jobs | do not run a job twice
Stream downloads instead of buffering | stream downloads, do not buffer them
Stream downloads without buffering | stream downloads instead of buffering
Cancel the gym membership | stop paying for the gym
Water the plants | remind me to water the plants
Book a dentist appointment | dentist appointment, please book one
Release notes for the release | write the release notes
Check the order of the middleware | order of middleware is wrong
Make the header smaller | reduce the header size
Fix the bug where the first item is skipped | first item is skipped, fix bug
Fix the broken build | build fails, fix it
Lower the price on the landing page | reduce the landing page price
Sort by date ascending | sort ascending by date
Add a lock to the scheduler | scheduler needs a lock
Show errors in the form | display form errors
Enable gzip | turn on gzip
Turn gzip on | activate gzip
Add a test for the parser, not the lexer | parser test, not the lexer
Test the parser before the deploy | before deploying, test the parser
Fix memory leak in resizer | resizer leaks memory
Speed up the nightly backup | make the backup faster
Plan the trip to Lisbon in May | plan May trip to Lisbon
Write the summary in English | English summary
Fix The Login Timeout On Slow Networks | fix login timeout on slow networks
What did we decide about caching? | caching decision
Use OAuth2 for sign in | sign in with OAuth2
Serve assets from S3 | S3 for assets
Add the "Save" button | add a Save button
Retry failed calls up to 3 times | retry failed calls three times
Add rate limiting to the API | rate limit the API to 100 calls
Split the big file | break the large file apart
 | 
add | 
`;

const pairs = (table: string) =>
  table
    .split('\n')
    .filter((line) => line.includes('|'))
    .map(
      (line) =>
        line.split('|').map((text) => text.trim().replaceAll('\\\\', '\\')) as [string, string],
    );

describe('similar sentences that are different tasks', () => {
  it.each(pairs(FORBIDDEN))('keeps "%s" and "%s" apart, either way round', (a, b) => {
    expect(vetoOf(a, b).vetoed).toBe(true);
    expect(vetoOf(b, a).vetoed).toBe(true);
  });
});

describe('the same task in other words', () => {
  it.each(pairs(ALLOWED))('lets "%s" and "%s" be one, either way round', (a, b) => {
    expect(vetoOf(a, b)).toEqual({ vetoed: false });
    expect(vetoOf(b, a)).toEqual({ vetoed: false });
  });
});

describe('the reason of a veto', () => {
  it.each([
    ['Add the index', 'Drop the index', 'opposite actions: add / drop'],
    ['Cache it well', 'Do not cache it well', 'one of them says not: cache'],
    ['Set it to 3', 'Set it to 5', 'different numbers: 3 / 5'],
    ['Use Redis', 'Use Memcached', 'different things: redis / memcached'],
    ['Fix a.ts', 'Fix b.ts', 'different files: a.ts / b.ts'],
    ['Set "dark"', 'Set "light"', 'different quoted texts: dark / light'],
    ['Convert X to Y', 'Convert Y to X', 'opposite directions: x, y'],
    ['Invite Anna today', 'Invite Peter today', 'different names: anna / peter'],
    ['Make it public soon', 'Make it private soon', 'opposites: public / private'],
  ])('for "%s" against "%s" is said in words', (a, b, reason) => {
    expect(vetoOf(a, b)).toEqual({ vetoed: true, reason });
  });

  it('is found in a long text within its first 2,000 characters alone', () => {
    const filler = 'word '.repeat(500);
    expect(vetoOf(`Add it ${filler}`, `Drop it ${filler}`).vetoed).toBe(true);
    expect(vetoOf(`${filler} Add it`, `${filler} Drop it`).vetoed).toBe(false);
  });
});
