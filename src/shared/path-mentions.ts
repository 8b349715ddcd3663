/**
 * Files that a text talks about: a person's message, an agent's answer, a stack trace, a diff. Prose
 * with slashes and dots in it ("and/or", "24/7", "Node.js"), addresses, versions, packages and calls
 * are none. Pure, and linear in the length of the text.
 */

import { looksLikePath, normalizePath } from './paths.js';

/** Characters that are read; a longer text is data. */
const MAX_CHARS = 20_000;
const MAX_PATHS = 20;
const MAX_WORD = 1_024;
const MAX_SPACED = 260;

const ADDRESS = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"'`]*|\b(?:www\.|mailto:|data:)[^\s<>"'`]*/gi;
const LINK = /\[([^\]\n]{0,200})\]\(([^()\s]{1,1024})\)/g;
const QUOTED = /`([^`\n]{1,260})`|"([^"\n]{1,260})"|“([^”\n]{1,260})”/g;
const WORD = /[^\s"'`<>‘’“”„«»‹›…|;,—–→←⇒，。、；：！？（）「」『』【】《》]+/g;
/** All that can make a word a path; most words of prose have none of it. */
const MAY_NAME = /[./\\](?=\S)|[Ff]ile|[A-Z]{6}|gradlew|mvnw/;
const CJK =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}';
const AFTER_ENDING = new RegExp(`^(.*\\.[a-z][a-z0-9]{0,9})[${CJK}].*$`, 'u');
const BEFORE_FOLDER = new RegExp(`^[${CJK}]+(?=[a-z]+[\\\\/])`, 'u');

/** Route folders of web frameworks: `app/(shop)/page.tsx`, `[id].tsx`, `[...slug]/route.ts`. */
const ROUTE_PARTS =
  /^(?:[^()[\]{}]|\([\w.-]{1,60}\)(?=[\\/])|\[{1,2}(?:\.{3})?[\w-]{1,60}\]{1,2}(?=[\\/.]))+$/;
const HTTP_METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/;
/** A host before a path without a scheme: `github.com/x/y`, `10.0.0.1/a.html`. */
const HOST =
  /^(?:[\w-]+\.)+(?:com|org|net|io|dev|app|ai|co|edu|gov|info|me|tv|so|xyz|cloud|tech|site|uk|de|fr|eu|us|ca|in|jp|cn|ru|pl|it|es|nl|ch|at|be|se|no|au|br)$|^\d+(?:\.\d+){3}$|^localhost$/i;
/** Where files without an ending live on a machine. */
const SYSTEM_ROOT = /^\/(?:etc|usr|var|opt|srv|root|mnt|tmp|bin|sbin|Library|Users|home)\//;
/** Folders of this kind hold programs without an ending. */
const PROGRAM_FOLDER = /^(?:bin|sbin|scripts|hooks|\.husky|\.githooks)$/;
const PROGRAM = /^[A-Za-z][\w-]*$/;

/**
 * Files named in the text, in order, each once, at most 20; what stands behind the first 20,000
 * characters is not read. As written, but without quotes, brackets, link syntax, line numbers,
 * anchors, `file://`, and what only says from where (`./`, `../`, `@` of a mention, `$HOME/`, `a/` of
 * a diff). A folder is no file: `src/auth/` and `src/auth` are not returned; a path without an ending
 * counts only where such files live (`bin/run`, `scripts/deploy`, `/etc/hosts`). A bare name needs a known
 * ending and must not be a product.
 */
export function pathsIn(text: string): string[] {
  const found: { at: number; path: string }[] = [];
  const blank = (whole: string) => ' '.repeat(whole.length);
  const rest = text
    .slice(0, MAX_CHARS)
    .replace(LINK, (whole, label: string, target: string, at: number) => {
      const [path] = /^(?!file:)[a-z][a-z0-9+.-]*:/i.test(target) ? [] : inWord(target, '', at);
      if (path === undefined) return ` ${label}${blank(whole).slice(label.length + 1)}`;
      found.push({ at, path: path.path });
      return blank(whole);
    })
    .replace(ADDRESS, (whole) =>
      /^file:/i.test(whole) ? `       ${whole.slice(7)}` : blank(whole),
    )
    .replace(QUOTED, (whole, code?: string, straight?: string, curly?: string, at = 0) => {
      const path = spacedPath(code ?? straight ?? curly ?? '');
      if (path === null) return whole;
      found.push({ at, path });
      return blank(whole);
    });
  let before = '';
  for (const { 0: word, index } of rest.matchAll(WORD)) {
    if (word.length <= MAX_WORD && MAY_NAME.test(word)) found.push(...inWord(word, before, index));
    before = word;
  }
  found.sort((a, b) => a.at - b.at);
  const distinct = new Map<string, string>();
  for (const { path } of found) {
    const normal = normalizePath(path);
    if ('finding' in normal || distinct.has(normal.path)) continue;
    distinct.set(normal.path, path);
    if (distinct.size === MAX_PATHS) break;
  }
  return [...distinct.values()];
}

/** Files in what has no spaces: `error:src/a.ts:12:5`, `--config=a.json`, `import(a.ts)`. */
function inWord(word: string, before: string, at: number): { at: number; path: string }[] {
  if (word.startsWith('#!')) return [];
  const bare = unwrapped(word);
  if (/[\^*{}]/.test(bare)) return []; // A pattern or a template.
  if (/^\/.+\/[dgimsuvy]*$/.test(bare)) return []; // A regular expression, or a folder.
  const found: { at: number; path: string }[] = [];
  for (const { text, called } of piecesOf(bare)) {
    if (called || (text.startsWith('/') && HTTP_METHOD.test(before))) continue;
    for (const path of alternatives(text)) {
      const file = fileOf(path, before);
      if (file !== null) found.push({ at, path: file });
    }
  }
  return found;
}

const BRACKETS = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
] as const;

/** Without emphasis, brackets and punctuation around it. */
function unwrapped(word: string): string {
  if (/^[A-Za-z0-9.][^()[\]{}*~]*[A-Za-z0-9]$/.test(word)) return word;
  let text = word;
  for (let round = 0; round < 6; round += 1) {
    const before = text;
    text = text.replace(/^(?:[#•·!?,:;=>]|~~)+/, '').replace(/[.,:;!?~]+$/, '');
    for (const mark of ['**', '__', '*', '_', '~~'] as const) {
      if (text.length > 2 * mark.length && text.startsWith(mark) && text.endsWith(mark)) {
        text = text.slice(mark.length, -mark.length);
      }
    }
    for (const [open, close] of BRACKETS) {
      const [opened, closed] = [countOf(text, open), countOf(text, close)];
      if (text.startsWith(open) && (opened > closed || text.endsWith(close))) {
        text = text.slice(1, opened > closed ? undefined : -1);
      } else if (text.endsWith(close) && closed > opened) text = text.slice(0, -1);
    }
    if (text === before) break;
  }
  return text;
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (const each of text) if (each === character) count += 1;
  return count;
}

/** A word cut where no path goes on. `called`: an opening bracket follows, as behind a function. */
function piecesOf(word: string): { text: string; called: boolean }[] {
  const mark = word.slice(1).search(/[#?]/) + 1;
  const main = mark > 0 ? word.slice(0, mark) : word;
  const drive = /^[a-z]:[\\/]/i.test(main) ? main.slice(0, 2) : '';
  const pieces: { text: string; called: boolean }[] = [];
  for (const [index, part] of main
    .slice(drive.length)
    .split(/[:=&!]/)
    .entries()) {
    const text = index === 0 ? drive + part : part;
    if (index > 0 && /^\d+[\\/]/.test(text)) break; // A port.
    if (!/[()[\]]/.test(text)) pieces.push({ text, called: false });
    else if (/[\\/.]/.test(text) && ROUTE_PARTS.test(text)) pieces.push({ text, called: false });
    else pieces.push(...betweenBrackets(text));
  }
  return pieces;
}

function betweenBrackets(text: string): { text: string; called: boolean }[] {
  const parts = text.split(/([()[\]])/);
  return parts.flatMap((part, index) => {
    const closed = index > 0 && /[)\]]/.test(parts[index - 1] ?? '');
    if (index % 2 === 1 || part === '' || (closed && /^[./\\]/.test(part))) return [];
    const called = parts[index + 1] === '(' && !/^\d/.test(parts[index + 2] ?? '');
    return [{ text: part, called }];
  });
}

/** "auth.ts/login.ts" is two files. */
function alternatives(text: string): string[] {
  const parts = text.split('/');
  const all = parts.length > 1 && parts.every((part) => isFileName(part, false));
  return all ? parts : [text];
}

/** The path without what only says from where; `null` when it is no file. */
function fileOf(text: string, before: string): string | null {
  let path = text.replace(BEFORE_FOLDER, '').replace(AFTER_ENDING, '$1');
  path = path.replace(/^-+(?=[\w./])/, '').replace(/[.,:;!?)\]-]+$/, '');
  if (path.startsWith('@')) path = path.slice(path.startsWith('@/') ? 2 : 1);
  path = path.replace(/^(?:\.{1,3}[\\/])+/, '').replace(/^(?:\$\w+|%\w+%)[\\/]/, '');
  path = withoutDiffSide(path, before);
  const ending = /\.([a-z][a-z0-9]{0,9})(?:\.[A-Z][a-z]+|-[a-z]+)$/.exec(path);
  // "auth.ts.Then", "auth.ts-related"
  if (ending?.[1] !== undefined && isFileEnding(ending[1]) && !isFileName(lastOf(path), false)) {
    path = path.slice(0, ending.index + 1 + ending[1].length);
  }
  return isFile(path) ? path : null;
}

function withoutDiffSide(path: string, before: string): string {
  if (!/^[ab]\/[^/]/.test(path)) return path;
  const rest = path.slice(2);
  const inDiff = /^(?:---|\+\+\+|--git|[ab]\/.*)$/.test(before);
  return inDiff || looksLikePath(`${rest.split('/')[0] ?? ''}/x`) ? rest : path;
}

function isFile(path: string): boolean {
  if (path === '' || /[|?"<>^\0]|(?!^)\\[.\\]|:\/\//.test(path)) return false;
  const parts = path.split(/[\\/]/);
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  // "me@example.sh", "git@host", "node@20/…"; "icon@2x.png" is a file.
  if (/@(?!\d+x\.)/.test(first)) return false;
  if (parts.length === 1) return isFileName(last, false);
  if (HOST.test(first) || isProduct(first)) return false;
  const usual = first !== '' && /^[\w.-]+$/.test(first) && looksLikePath(`${first}/x`);
  if (isProduct(last) && !usual && parts.every((part) => /^[A-Z]/.test(part))) return false;
  if (isFileName(last, true)) return true;
  if (usual && /^[\w.@+-]+\.[a-z][a-z0-9]{0,7}$/.test(last) && !/\.\./.test(last)) return true;
  if (!PROGRAM.test(last)) return false;
  if (PROGRAM_FOLDER.test(parts.at(-2) ?? '')) return parts.length === 2 || usual || first === '';
  return SYSTEM_ROOT.test(path) && parts.length > (/^\/(?:home|Users)\//.test(path) ? 4 : 2);
}

function lastOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/**
 * What stands in quotes, when all of it is one path with spaces: a folder comes first, only the last
 * word ends like a file, and no other path begins behind a space ("bin/run src/a.ts" is a command).
 */
function spacedPath(quoted: string): string | null {
  const text = quoted.trim();
  if (!text.includes(' ') || text.length > MAX_SPACED || /[*{}|;=]|:\/\/| -/.test(text))
    return null;
  const words = text.split(/\s+/);
  const [first = ''] = words;
  if (words.length > 8 || !/[\\/]/.test(first) || /^\.{1,2}[\\/]|^(?:bin|scripts)\//.test(first)) {
    return null;
  }
  const others = words.slice(1);
  const begins = others.some((word) => /[\\/]/.test(word) && looksLikePath(word) && isUsual(word));
  if (begins || words.slice(0, -1).some((word) => isFileName(lastOf(word), true))) return null;
  const path = text.replace(/^@/, '');
  return isFileName(lastOf(path), true) ? path : null;
}

function isUsual(word: string): boolean {
  const first = word.split(/[\\/]/)[0] ?? '';
  return first === '' || (first === first.toLowerCase() && looksLikePath(`${first}/x`));
}

/** What a file is called when its name stands alone in a sentence: endings, names, and their doubles. */

/** What a file is called when its name stands alone in a sentence: endings, names, and their doubles. */

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Endings that mean a file wherever they stand. */
const ENDINGS = set(
  `ts tsx mts cts js jsx mjs cjs vue svelte astro coffee
   json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf config properties xml xsd xsl plist
   html htm xhtml css scss sass less styl hbs ejs pug mustache liquid njk jinja j2 tmpl tpl
   md mdx markdown rst txt adoc tex bib csv tsv parquet avro sql prisma graphql gql proto
   py pyi pyx ipynb rb erb rake gemspec php phtml twig java kt kts groovy gradle scala sbt clj cljs edn
   go rs c h cc cpp cxx hpp hh hxx cs csproj sln fsproj vb vbproj swift mm dart lua r rmd jl exs erl hrl
   hs lhs elm mli nim zig vhd sol asm wat wasm pl sh bash zsh fish ps1 psm1 bat awk tf tfvars hcl bicep
   nix dockerfile editorconfig pem crt cer csr png jpg jpeg gif svg webp avif ico bmp tiff psd fig
   pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub mp3 mp4 wav ogg webm mov avi mkv flac
   ttf otf woff woff2 eot zip tar gz tgz bz2 xz 7z rar jar war whl exe dll dylib deb rpm apk dmg iso
   sqlite sqlite3 patch diff po pot resx xaml xib storyboard cmake mk lock log env db ml ex`,
);

/** Endings that are something else as often; they mean a file only behind a folder. */
const FOLDER_ENDINGS = set(
  's t v m d fs sc rest http strings mod sum work feature service timer socket pub pm cmd key data out bin ' +
    'in map so snap test spec bak orig tmp local example sample dist crdownload zst br onnx gguf pt pkl npy',
);

/** `console.log`, `process.env`, `res.json`: what has members is no file, whatever they are called. */
const OWNERS: Readonly<Record<string, ReadonlySet<string>>> = {
  log: set('console logger math log winston pino git np numpy torch tf ctx cy window fastify req'),
  env: set('process meta import deno bun ctx context cypress platform config c'),
  json: set('res resp response req request r c ctx reply body'),
  db: set('ctx req mongo client conn c context'),
  lock: set('mutex thread threading asyncio obj fs db table'),
  config: set('axios app module request window vue webpack next'),
  text: set('res response'),
  sql: set('spark db'),
  html: set('document'),
  css: set('jquery'),
  patch: set('axios http client app router api request'),
  tar: set('fs'),
  go: set('history ready'),
  md: set('ph'),
  so: set('if'),
};
/** Never the name of a file before its ending. */
const NO_STEMS = set('this self super e.g i.e a.k.a d3 pd');

/** Places and tools whose name ends like a file's, in any letter case. */
const PRODUCTS = set(
  `node.js nodejs.org vue.js next.js nuxt.js react.js angular.js ember.js nest.js backbone.js express.js d3.js
   three.js p5.js discord.js moment.js day.js alpine.js ethers.js web3.js electron.js tensorflow.js ml5.js
   transformers.js socket.io asp.net gatsby.js meteor.js sails.js koa.js fastify.js adonis.js feathers.js
   preact.js solid.js svelte.js remix.js phaser.js pixi.js babylon.js leaflet.js jquery.js hono.js
   docs.rs lib.rs bun.sh brew.sh deno.land deno.js notion.so cal.com about.me`,
);
/** The same for names that are also words: only as a proper name. */
const PROPER_PRODUCTS = set(
  `Chart.js Video.js Paper.js Fabric.js Matter.js Tone.js Brain.js Require.js Underscore.js Mustache.js
   Handlebars.js Knockout.js Commander.js Polymer.js Stencil.js Lit.js Astro.js Hyper.js Hapi.js Mocha.js
   Chai.js Sinon.js Inferno.js Stimulus.js Prism.js Highlight.js Marked.js Reveal.js Anime.js Howler.js
   Swiper.js Popper.js Rough.js Peer.js Winston.js Passport.js Bull.js`,
);

/** Names without an ending. Those that are words, too, count only in capitals. */
const WHOLE_NAMES =
  /^(?:makefile|dockerfile|containerfile|jenkinsfile|procfile|rakefile|gemfile|pipfile|vagrantfile|brewfile|justfile|taskfile|podfile|fastfile|caddyfile|tiltfile|earthfile|gradlew|mvnw|go\.(?:mod|sum|work)|(?:dockerfile|makefile)\.[a-z][\w-]*)$/i;
const CAPITAL_NAMES =
  /^(?:README|LICENSE|CHANGELOG|CODEOWNERS|CONTRIBUTING|NOTICE|AUTHORS|BUILD\.bazel)$/;
const DOT_FILES =
  /^\.(?:env(?:\.[a-z][\w.-]*)?|envrc|[a-z]{3,}rc|[a-z]{2,}ignore|git(?:attributes|modules|keep|config)|editorconfig|profile|bash_profile|bash_aliases|zshenv|zprofile|htaccess|htpasswd|mailmap|(?:node|python|ruby|java|go|terraform)-version|tool-versions|DS_Store|babelrc|browserslistrc|clang-format|flowconfig|watchmanconfig|dev\.vars|npmrc)$/i;

/** Whether a name with an ending that may be one has it as one: `Then` and `JS` in prose do not. */
function plainEnding(ending: string): boolean {
  return ending === ending.toLowerCase() || ending === ending.toUpperCase() || ending === 'Rmd';
}

function isFileEnding(ending: string): boolean {
  return ENDINGS.has(ending.toLowerCase()) && plainEnding(ending);
}

/**
 * Whether a name (the last part of a path) is that of a file. `inFolder`: a folder stands before it,
 * which settles most doubts.
 */
export function isFileName(name: string, inFolder: boolean): boolean {
  if (WHOLE_NAMES.test(name) || CAPITAL_NAMES.test(name) || DOT_FILES.test(name)) return true;
  const dot = name.lastIndexOf('.');
  // ".ts" is a kind of file, not a file; ".eslintrc.json" is one.
  if (dot <= 0 || name.startsWith('..')) return false;
  const stem = name.slice(0, dot);
  const ending = name.slice(dot + 1);
  const lower = ending.toLowerCase();
  if (!plainEnding(ending)) return false;
  if (inFolder) return ENDINGS.has(lower) || FOLDER_ENDINGS.has(lower);
  if (lower === 'map') return /\.(?:[cm]?js|css)$/i.test(stem);
  if (lower === 'so') return stem.startsWith('lib');
  if (!ENDINGS.has(lower) || NO_STEMS.has(stem.toLowerCase())) return false;
  if (ending.length === 1 && (stem.length < 2 || /^[\d.]+$|^[A-Z.]+$/.test(stem))) return false;
  if (PRODUCTS.has(name.toLowerCase()) || PROPER_PRODUCTS.has(name)) return false;
  const owner = stem.slice(stem.lastIndexOf('.') + 1).toLowerCase();
  return OWNERS[lower]?.has(owner) !== true;
}

/** Whether a name is that of a product, which people write with a slash between two of them. */
function isProduct(name: string): boolean {
  return PRODUCTS.has(name.toLowerCase()) || PROPER_PRODUCTS.has(name);
}
