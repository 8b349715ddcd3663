/** Whether a text is a command, what it runs, and whether that only looks. Pure. */

export interface Command {
  /** As it was written. */
  text: string;
  program: string;
  /** Subcommand and arguments, in their order. */
  words: readonly string[];
  flags: readonly string[];
}

/** Programs that a command can begin with; none is an English word. */
const PROGRAMS = new Set(
  (
    'npm npx pnpm yarn bun bunx deno tsc git gh docker docker-compose podman kubectl helm terraform ansible ' +
    'pip pip3 pipx poetry uv python python3 cargo rustup gradle mvn bundle gem composer php dotnet brew apt ' +
    'apt-get apk yum curl wget rm mv cp mkdir chmod chown sed awk ssh scp rsync psql mysql redis-cli prisma ' +
    'drizzle-kit knex alembic rake rails aws gcloud az vercel netlify fly heroku systemctl pm2 eslint prettier ' +
    'jest vitest webpack vite rollup esbuild sudo'
  ).split(' '),
);
/** Written like the rest, but words of English too: they need what only a command has. */
const WORDY =
  /^(?:go (?:get|build|run|install|mod|test|generate)|make [\w-]+$|node \S+\.[cm]?[jt]s)\b/;
/** What only looks, checks or lists is done over and over and is no attempt at anything. */
const HARMLESS =
  /^(?:git (?:status|log|diff|show|branch|fetch|blame)|(?:npm|pnpm|yarn|bun) (?:(?:run )?(?:test|t|lint|check|typecheck|type-check)|ls|list|outdated|view|why|audit(?! fix))\b|(?:docker|kubectl|helm) (?:ps|logs|get|describe|images|list)|cargo (?:test|check|clippy)|go test|ls|cat|grep|rg|find|head|tail|less|pwd|which|echo|wget|(?:npx )?(?:jest|vitest|tsc|eslint|prettier|mocha|pytest)|pytest|wc)\b/i;
const MOST_TOKENS = 60;

/** Whether all of a text is a command. */
export function isCommand(said: string): boolean {
  const text = said.trim().replace(/^cd \S+ && /, '');
  const [program = '', next = ''] = text.split(/\s+/);
  if (WORDY.test(text)) return true;
  // A program's name in lower case with something behind it that it could take.
  return (
    PROGRAMS.has(program) &&
    /^[-\w@./]/.test(next) &&
    !/^(?:is|are|was|has|does|can|should)$/.test(next)
  );
}

/** `null` for what has no program. Quotes are taken off; so are `sudo` and settings before the program. */
export function readCommand(text: string): Command | null {
  const [first = ''] = text.trim().split(/\s*(?:&&|\|\||[|;\n])\s*/);
  const tokens = (first.match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
    .slice(0, MOST_TOKENS)
    .map((token) => token.replace(/^(["'])(.*)\1$/, '$2'));
  while (/^(?:sudo|env|time|npx|bunx|[A-Z_][A-Z0-9_]*=.*)$/.test(tokens[0] ?? '')) tokens.shift();
  const program = (tokens.shift() ?? '').toLowerCase();
  if (!/^[\w./@-]+$/.test(program) || tokens.length === 0) return null;
  const flags = tokens.filter((token) => token.startsWith('-'));
  const words = tokens
    .filter((token) => !token.startsWith('-'))
    .map((token) => token.replace(/[.,!?]$/, ''));
  return { text: text.trim(), program, words, flags };
}

/** Whether running it attempts nothing: it looks, lists, tests or checks. */
export function isHarmless({ program, words, flags, text }: Command): boolean {
  if (flags.includes('--help') || flags.includes('--version')) return true;
  if (program === 'sed') return !flags.some((flag) => flag.startsWith('-i'));
  if (program === 'find') return !flags.some((flag) => /^-(?:delete|exec)/.test(flag));
  if (program === 'curl')
    return !/\s(?:-X|--request)[ =]?(?!GET|HEAD)\w|\s(?:-d|-F|--data)/.test(text);
  return HARMLESS.test(`${program} ${words.join(' ')}`);
}
