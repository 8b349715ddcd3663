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

export function isFileEnding(ending: string): boolean {
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
export function isProduct(name: string): boolean {
  return PRODUCTS.has(name.toLowerCase()) || PROPER_PRODUCTS.has(name);
}
