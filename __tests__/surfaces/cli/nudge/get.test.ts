/** `nudge get` by its short way: it asks and tells what the whole command does, or leaves it to that one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HintServer, makeStage, type Stage, startHintServer } from './nudge.js';

let server: HintServer;
let stage: Stage;
beforeAll(async () => {
  server = await startHintServer();
  stage = makeStage(server);
  await stage.nudge('set', 'api', 'port', '8080', '--ttl', 'P1D');
  await stage.nudge('set', 'api', 'port', '8081', '--ttl', 'P1D', '--scope-branch', 'dev');
  await stage.nudge('set', 'api', 'pin', 'x7 y8', '--ttl', 'P1D', '--sensitivity', 'secret');
});
afterAll(async () => {
  stage.remove();
  await server.close();
});

describe('the short way of nudge get', () => {
  it.each([
    ['a key', ['api', 'port']],
    ['a key as JSON', ['--json', 'api', 'port']],
    ['its value alone', ['api', 'pin', '--raw']],
    ['a secret', ['api', 'pin']],
    ['several, with reasons', ['api', 'port', '--limit', '3', '--explain']],
    [
      'where it is said to be',
      ['api', 'port', '--branch', 'dev', '--repo', 'git:org/api', '--os', 'MINGW64_NT-10.0'],
    ],
    [
      'with lists',
      ['api', 'port', '--env', 'A=1', '--env', 'B=2', '--files-open', 'a,b', '--cwd', '/srv'],
    ],
    ['a key that is not there', ['api', 'nothing']],
    ['a component that is not there, as JSON', ['nothing', 'port', '--json']],
    ['what the command refuses', ['api', 'port', '--raw', '--json']],
    ['a system that does not exist', ['api', 'port', '--os', 'beos']],
    ['a variable without a value', ['api', 'port', '--env', 'A']],
    ['a database that nobody serves', ['api', 'port', '--data-dir', 'none']],
    ['a port where nobody listens', ['api', 'port', '-p', '1', '--json']],
  ])('asks and tells of %s as the whole command', async (_what, args) => {
    const asked = (from: number) =>
      server.calls.slice(from).map(({ method, params }) => ({ method, params }));
    let from = server.calls.length;
    const quick = await stage.quick('get', ...args);
    const calls = asked(from);
    from = server.calls.length;
    const whole = await stage.nudge('get', ...args);
    expect({ ended: inNumbers(quick), calls }).toEqual({
      ended: inNumbers(whole),
      calls: asked(from),
    });
  });

  it.each([
    ['help', ['--help']],
    ['one word', ['api']],
    ['three words', ['api', 'port', 'now']],
    ['an option that there is not', ['api', 'port', '--colour']],
    ['a value that is attached', ['api', 'port', '--limit=2']],
    ['a value that is missing', ['api', 'port', '--limit']],
    ['a value that looks like an option', ['api', 'port', '--branch', '-x']],
    ['a number that is none', ['api', 'port', '--limit', 'many']],
    ['a port that is none', ['api', 'port', '-p', '0']],
    ['a port and a database', ['api', 'port', '-p', '1', '--data-dir', 'db']],
    ['what stands behind --', ['--', 'api', 'port']],
  ])('leaves %s to the whole command', async (_what, args) => {
    expect(await stage.quick('get', ...args)).toBeNull();
  });
});

/** Without what every use of a hint changes. */
function inNumbers(ended: Awaited<ReturnType<Stage['quick']>>): unknown {
  const out = ended?.out.replaceAll(/("use_count"|"score"|score)(: )[\d.]+/g, '$1$2n');
  return { ...ended, out };
}
