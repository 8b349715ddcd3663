/** `npm start`: Cue on this machine, with the web UI of Eliza, ready to talk to. */
import { prepareEnvironment, StartError } from './environment.js';
import { EXAMPLE_FLAG, exampleIndex } from './example.js';
import { chooseModel } from './models.js';

const USAGE = `Usage: npm start [-- ${EXAMPLE_FLAG}]

Builds what has changed, starts an Eliza server with Cue on this machine, and says where to open its web chat.

  ${EXAMPLE_FLAG}    with a small /when index to try
  -h, --help   print this

Settings and models: docs/start.md
`;

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  if (asked.includes('--help') || asked.includes('-h')) {
    process.stdout.write(USAGE);
    return;
  }
  const unknown = asked.find((word) => word !== EXAMPLE_FLAG);
  if (unknown !== undefined) throw new StartError(`I do not know "${unknown}".\n\n${USAGE}`);
  const place = await prepareEnvironment();
  if (process.argv.includes(EXAMPLE_FLAG)) {
    process.env.CUE_WHEN_INDEX ||= exampleIndex(place.dataDir);
  }
  const startedMs = Date.now() - process.uptime() * 1_000;
  const model = await chooseModel(process.env);
  tell('Model', model.description);
  tell('Host', 'loading elizaOS');
  const { startServer } = await import('./server.js');
  // The host keeps the process alive after such an error and says nothing.
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  const running = await startServer(place, model, tell);

  const onSignal = () => {
    running.closeConnections();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);

  const lines = [
    '',
    `Cue is ready after ${((Date.now() - startedMs) / 1_000).toFixed(1)} s.`,
    `  Web UI    ${running.url}`,
    `  Panel     ${running.url}/cue/panel`,
    `  Model     ${running.model}`,
    `  Embedding ${running.embedding}`,
    `  Knowledge ${running.knowledge}`,
    place.postgresUrl === undefined
      ? `  Data      ${place.dataDir} (PGlite in ${place.databaseDir})`
      : `  Data      PostgreSQL (POSTGRES_URL); secret salt in ${place.dataDir}`,
    `  Agent     ${running.agentId}`,
    '  Stop      Ctrl-C',
  ];
  if (running.url !== place.wantedUrl) {
    lines.push(`  Note      ${place.wantedUrl} is taken, this is the next free port`);
  }
  if (!isLoopback(place.host) && !process.env.ELIZA_SERVER_AUTH_TOKEN) {
    lines.push(
      `  Warning   SERVER_HOST=${place.host} and no ELIZA_SERVER_AUTH_TOKEN: whoever reaches this machine can use the agent`,
    );
  }
  console.log(`${lines.join('\n')}\n`);
}

/** What is being done, while it is. */
function tell(step: string, what: string): void {
  console.log(`${step.padEnd(10)} ${what}`);
}

function report(error: unknown): void {
  console.error('Unexpected error, the server goes on:', error);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

try {
  await main();
} catch (error) {
  // The plugin names what is wrong with a setting; where it was thrown helps nobody.
  const plain =
    error instanceof StartError || (error instanceof Error && error.message.startsWith('cue: '));
  console.error(plain ? `\n${error.message}` : error);
  process.exit(1);
}
