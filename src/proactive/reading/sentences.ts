/** A chat message taken apart: what somebody says, the commands in it, and what is only pasted. Pure. */

/** Characters that are read of a message. */
const MAX_CHARS = 8_000;
const MAX_SENTENCES = 40;

const SHELL_FENCE =
  /^(?:sh|bash|zsh|shell|console|terminal|powershell|pwsh|cmd|fish|shell-session)$/i;
const PASTED = [
  /^\s*at\s\S.*[:)]/, // Stack frames.
  /^\s*File ".*", line \d+/,
  /^Traceback \(/,
  /^\s*[\^~]+\s*$/,
  /^\s*>?\s*\d+ \|/,
  /^(?:diff --git|index [0-9a-f]{6,}|@@ |\+\+\+ |--- )/,
  /^[+-](?=\S)(?!\d+\b)[^\s].*[;{}()]\s*$/,
  /^\[?\d{4}-\d\d-\d\d[T ]\d/, // Log lines.
  /^(?=.*[=(){}]).*[;{}]\s*$/, // Code.
];
const COMMAND =
  /^(?:sudo )?(?:git|npm|npx|yarn|pnpm|bun|bunx|deno|node|docker|docker-compose|podman|kubectl|helm|terraform|make|cmake|cargo|rustup|go|pip3?|poetry|uv|python3?|pytest|rm|mv|cp|ln|chmod|chown|curl|wget|psql|mysql|sqlite3|redis-cli|systemctl|service|brew|apt|apt-get|gradle|\.\/gradlew|mvn|dotnet|php|composer|bundle|rails|rake|ssh|scp|rsync|kill|killall|tsc|tsx|vite|vitest|jest|eslint|biome|prettier|aws|gcloud|az|vercel|flyctl|heroku|prisma|supabase|alembic|flask|sed|tar|openssl)\s+\S/;
const PROSE_WORD =
  /(?:^|\s)(?:the|a|an|is|are|was|were|to|for|of|my|our|we|i|you|please|it|sure|should|so|ahead|that|this|and|does|doesn't|can't|fails|failed|works|me|in|on|up)(?:\s|$|[,.?!])/i;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|no|approx|cf|incl|fig)\.$/i;

export interface Parts {
  sentences: Sentence[];
  /** Commands of a shell, as they would be typed. */
  commands: string[];
}
export interface Sentence {
  /** Without the mark at its end and without backticks. */
  text: string;
  question: boolean;
}

/** The first 8,000 characters, at most 40 sentences. Quotes of others, code and traces are left out. */
export function partsOf(text: string): Parts {
  const commands: string[] = [];
  const lines: string[] = [];
  let fence: { shell: boolean; untagged: boolean } | null = null;
  for (const line of text.slice(0, MAX_CHARS).replace(/[’‘]/g, "'").split(/\r?\n/)) {
    const mark = /^\s*(?:```|~~~)\s*([\w-]*)/.exec(line);
    if (mark) {
      const language = mark[1] ?? '';
      fence = fence ? null : { shell: SHELL_FENCE.test(language), untagged: language === '' };
      lines.push('');
      continue;
    }
    const prompted = /^\s*(?:\$|PS>|❯|➜)\s+(\S.*)$/.exec(line)?.[1];
    const bare = line.replaceAll('`', '').trim();
    if (prompted !== undefined) commands.push(prompted.trim());
    else if (fence) {
      const shell = fence.shell
        ? bare !== '' && !bare.startsWith('#')
        : fence.untagged && isCommand(bare);
      if (shell) commands.push(bare);
    } else if (isCommand(bare)) commands.push(bare);
    else if (!/^\s*>/.test(line) && !PASTED.some((pasted) => pasted.test(line))) {
      lines.push(line);
      continue;
    }
    lines.push('');
  }
  return { sentences: sentencesOf(lines), commands };
}

/** A line that is typed into a shell, not said to somebody. */
function isCommand(line: string): boolean {
  return (
    line.length <= 400 &&
    COMMAND.test(line) &&
    !PROSE_WORD.test(line) &&
    !/[?!:]$|\bERR!/.test(line)
  );
}

function sentencesOf(lines: readonly string[]): Sentence[] {
  const sentences: Sentence[] = [];
  let paragraph = '';
  const flush = () => {
    if (paragraph !== '') cut(paragraph, sentences);
    paragraph = '';
  };
  for (const line of lines) {
    const item = /^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6}|\[[ x]\])\s+/.exec(line);
    const words = line
      .slice(item?.[0].length ?? 0)
      .replace(/^\[[ x]\]\s+/i, '')
      .trim();
    // A line wrapped by an editor goes on in small letters.
    const goesOn =
      item === null && /^[a-z(]/.test(words) && /[\w,]$/.test(paragraph) && paragraph.length > 50;
    if (!goesOn) flush();
    paragraph = goesOn ? `${paragraph} ${words}` : words;
  }
  flush();
  return sentences.slice(0, MAX_SENTENCES);
}

function cut(paragraph: string, into: Sentence[]): void {
  let start = 0;
  for (const { 0: mark, index } of paragraph.matchAll(/[.!?…]+["')\]]*(?=\s|$)/g)) {
    if (mark === '.' && ABBREVIATION.test(paragraph.slice(Math.max(start, index - 10), index + 1)))
      continue;
    add(paragraph.slice(start, index), mark.includes('?'), into);
    start = index + mark.length;
  }
  add(paragraph.slice(start), false, into);
}

function add(raw: string, question: boolean, into: Sentence[]): void {
  const text = raw
    .replaceAll('`', '')
    .replace(/\*\*|__(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'(*_~–—-]+/, '')
    .trim();
  if (/[\p{L}]/u.test(text)) into.push({ text, question });
}
