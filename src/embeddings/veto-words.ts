/** The word lists of the veto rules. Words are in lower case and in their base form. */

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** What is done to a thing, and what undoes it. A word may stand in several pairs. */
export const OPPOSITE_ACTIONS: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  [
    set('add create introduce insert include make build implement provision keep restore append'),
    set('remove delete drop destroy erase purge exclude discard eliminate'),
  ],
  [
    set('enable activate allow permit unblock'),
    set('disable deactivate forbid block prohibit deny'),
  ],
  [set('start launch begin resume unpause restart'), set('stop halt kill terminate pause suspend')],
  [set('upgrade'), set('downgrade')],
  [set('encrypt'), set('decrypt')],
  [set('encode serialize marshal'), set('decode deserialize unmarshal')],
  [set('compress zip pack'), set('decompress unzip unpack extract')],
  [set('increase raise enlarge grow extend lengthen'), set('decrease reduce lower shrink shorten')],
  [set('install'), set('uninstall')],
  [set('import upload push'), set('export download pull')],
  [set('upload'), set('download')],
  [set('subscribe'), set('unsubscribe')],
  [set('register'), set('unregister deregister')],
  [set('merge'), set('revert')],
  [set('deploy release publish'), set('revert undeploy unpublish withdraw')],
  [set('commit apply'), set('revert undo')],
  [set('show display reveal'), set('hide conceal')],
  [set('open reopen'), set('close')],
  [set('lock'), set('unlock')],
  [set('mount'), set('unmount')],
  [set('connect attach link'), set('disconnect detach unlink')],
  [set('grant'), set('revoke')],
  [set('accept approve confirm'), set('reject decline refuse')],
  [set('buy purchase'), set('sell')],
  [set('hire'), set('fire dismiss')],
  [set('pin'), set('unpin')],
  [set('freeze'), set('unfreeze thaw')],
  [set('archive'), set('restore unarchive')],
  [set('minimize'), set('maximize')],
  [set('expand'), set('collapse')],
  [set('mute'), set('unmute')],
  [set('follow'), set('unfollow')],
  [set('split'), set('join merge combine')],
  [set('book reserve order'), set('cancel')],
  [set('save'), set('discard delete')],
  [set('lend'), set('borrow')],
  [set('send'), set('receive')],
  [set('login'), set('logout')],
  [set('load'), set('unload')],
  [set('wrap'), set('unwrap')],
  [set('check tick'), set('uncheck untick')],
  [set('mask'), set('unmask')],
];

/**
 * Words that are nouns or adjectives as often as verbs ("at start", "open issues", "the release"):
 * they are actions only where a command stands.
 */
export const AMBIGUOUS = set(
  'start stop open close lock show display release import export upload download push pull block pause ' +
    'order book fire link load check lower save restore make build pin archive split order publish commit ' +
    'pack extract apply join check receive send restart mask follow tick kill drop grow keep include ' +
    'login logout wrap mount include lower extend',
);

/** Opposites that describe rather than act; they count between sentences of one build only. */
export const OPPOSITE_STATES: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  [set('succeed pass work'), set('fail break')],
  [set('success'), set('failure')],
  [set('public'), set('private')],
  [set('ascending'), set('descending')],
  [set('before'), set('after')],
  [set('always'), set('never')],
  [set('first'), set('last')],
  [set('next'), set('previous last')],
  [set('client frontend'), set('server backend')],
  [set('read'), set('write')],
  [set('left'), set('right')],
  [set('top'), set('bottom')],
  [set('old'), set('new')],
  [set('input'), set('output')],
  [set('source'), set('target destination')],
  [set('internal'), set('external')],
  [set('sync synchronous'), set('async asynchronous')],
  [set('light'), set('dark')],
  [set('horizontal'), set('vertical')],
  [set('minimum min'), set('maximum max')],
  [set('morning'), set('evening')],
  [set('incoming inbound'), set('outgoing outbound')],
];

/** They turn a verb around: "scale up" and "scale down". */
export const OPPOSITE_PARTICLES: readonly (readonly [string, string])[] = [
  ['up', 'down'],
  ['on', 'off'],
  ['in', 'out'],
];

/** Things of which a task means one and not another. */
export const ALTERNATIVES: readonly ReadonlySet<string>[] = [
  set('react vue angular svelte solidjs preact ember'),
  set('mysql postgresql sqlite mongodb mariadb oracle dynamodb cassandra redis memcached mssql'),
  set('jest mocha vitest jasmine ava playwright cypress selenium pytest junit'),
  set('npm pnpm yarn bun'),
  set('webpack vite rollup esbuild parcel'),
  set('aws azure gcp heroku vercel netlify cloudflare'),
  set('linux windows macos ubuntu debian'),
  set('android ios'),
  set('javascript typescript python java kotlin golang rust ruby php swift scala'),
  set(
    'english german french spanish italian portuguese polish dutch russian chinese japanese korean',
  ),
  set('monday tuesday wednesday thursday friday saturday sunday'),
  set('january february march april june july august september october november december'),
  set('staging production development'),
  set('chrome firefox safari edge'),
  set('github gitlab bitbucket'),
  set('slack discord telegram whatsapp'),
  set('csv json xml yaml pdf'),
  set('rest graphql grpc'),
  set('kafka rabbitmq sqs nats'),
  set('nginx apache caddy'),
  set('openai anthropic ollama gemini'),
  set('breakfast lunch dinner'),
];

/** One word for what has several. */
export const SAME_WORD: ReadonlyMap<string, string> = new Map([
  ['postgres', 'postgresql'],
  ['mongo', 'mongodb'],
  ['k8s', 'kubernetes'],
  ['js', 'javascript'],
  ['ts', 'typescript'],
  ['py', 'python'],
  ['prod', 'production'],
  ['dev', 'development'],
  ['osx', 'macos'],
  ['mac', 'macos'],
  ['yml', 'yaml'],
  ['mon', 'monday'],
  ['tue', 'tuesday'],
  ['wed', 'wednesday'],
  ['thu', 'thursday'],
  ['fri', 'friday'],
  ['removal', 'remove'],
  ['deletion', 'delete'],
  ['creation', 'create'],
  ['activation', 'activate'],
  ['deactivation', 'deactivate'],
  ['encryption', 'encrypt'],
  ['decryption', 'decrypt'],
  ['installation', 'install'],
  ['succeeded', 'succeed'],
  ['success', 'succeed'],
  ['failure', 'fail'],
  ['broken', 'break'],
  ['sold', 'sell'],
  ['bought', 'buy'],
  ['hid', 'hide'],
  ['hidden', 'hide'],
  ['shown', 'show'],
]);

/** Phrases read as one action. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bget rid of\b/g, 'remove'],
  [/\btake out\b/g, 'remove'],
  [/\b(?:turn|switch)(?:ed)? on\b/g, 'enable'],
  [/\b(?:turn|switch)(?:ed)? off\b/g, 'disable'],
  [/\b(?:turn|switch)(?:ed)? (the |my )?([\w ]{1,20}?) on\b/g, 'enable $1$2'],
  [/\b(?:turn|switch)(?:ed)? (the |my )?([\w ]{1,20}?) off\b/g, 'disable $1$2'],
  [/\bscale (the [\w]+ )?up\b/g, 'increase $1'],
  [/\bscale (the [\w]+ )?down\b/g, 'decrease $1'],
  [/\b(?:roll|rolled) back\b|\brollback\b/g, 'revert'],
  [/\bshut down\b|\bshutdown\b/g, 'stop'],
  [/\b(?:log|sign) (?:in|on)\b/g, 'login'],
  [/\b(?:log|sign) (?:out|off)\b/g, 'logout'],
  [/\bopt in\b/g, 'enable'],
  [/\bopt out\b/g, 'disable'],
  [/\bset up\b/g, 'setup'],
  [/\bback ?up\b/g, 'backup'],
];

/** What denies the word after it. */
export const NEGATIONS = set(
  "not don't dont doesn't didn't never without avoid cannot can't won't shouldn't isn't aren't no",
);

/** Words that carry nothing when two sentences are laid side by side. */
export const FILLERS = set(
  'a an and are as at be been by can could do does for from had has have how i if into is it its just me my ' +
    'of or our please shall should so some that the their them then there these they this those to us was we ' +
    'were what when which who will would you your need want let make any all also',
);

export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  (
    'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
    'eighteen nineteen twenty'
  )
    .split(' ')
    .map((word, at) => [word, String(at + 2)]),
);
