import { describe, expect, it } from 'vitest';
import { SECRET_RULES } from '../../src/shared/secret-rules.js';
import { NAMED } from '../../src/shared/secret-values.js';
import { redactDeep, redactSecrets } from '../../src/shared/secrets.js';

/** Examples are put together here, so that no scanner takes this file for a leak. */
const j = (...parts: string[]) => parts.join('');
const HEX = '9f86d081884c7d659a2feaa0c55ad015';
const MIX = 'Zk3vQ9xT7mLp2RwY8sBn4HcJ6dFg1KaV';
const MIX36 = `${MIX}5uEo`;
const PEM = (kind: string) =>
  j('-----BEGIN ', kind, '-----\nMIIEpAIBAAKCAQEA7bq8\n', MIX, '\n-----END ', kind, '-----');
const JWT = j(
  'eyJhbGciOiJIUzI1NiJ9',
  '.eyJzdWIiOiIxMjM0NTY3ODkwIn0',
  '.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
);

/** What stands in the text, what is found, and what is left. */
const POSITIVES: [secret: string, kind: string, around?: [string, string]][] = [
  [j('AKIA', 'IOSFODNN7EXAMPLQ'), 'aws'],
  [j('ASIA', 'IOSFODNN7EXAMPLQ'), 'aws', ['AWS_ACCESS_KEY_ID=', '\n']],
  [j('ABIA', 'QOSFODNN7ABCDEFG'), 'aws', ['"', '"']],
  [j('wJalrXUtnFEMI/K7MDENG/', 'bPxRfiCYzzzzzzzKEY'), 'aws', ['aws_secret_access_key = ', '']],
  [j('ghp', '_', MIX36), 'github'],
  [j('gho', '_', MIX36), 'github', ['token ', ' in the log']],
  [j('ghu', '_', MIX36), 'github', ['(', ')']],
  [j('ghs', '_', MIX36), 'github', ['https://x-access-token:', '']],
  [j('ghr', '_', MIX36, MIX36), 'github'],
  [j('github', '_pat_11ABCDEFG0', MIX, '_', MIX), 'github'],
  [j('ghp', '_', MIX36), 'github', ['line\\n', '\\nnext']],
  [j('glpat', '-', MIX.slice(0, 20)), 'gitlab'],
  [j('glptt', '-', HEX, HEX.slice(0, 8)), 'gitlab'],
  [j('gldt', '-', MIX.slice(0, 20)), 'gitlab'],
  [j('glrt', '-', MIX.slice(0, 20)), 'gitlab'],
  [j('xoxb', '-123456789012-1234567890123-', MIX.slice(0, 24)), 'slack'],
  [j('xoxp', '-123456789012-123456789012-', HEX), 'slack'],
  [j('xoxe', '-1-', MIX), 'slack'],
  [j('xapp', '-1-A012ABCDE-1234567890-', HEX), 'slack'],
  [j('https://hooks.slack', '.com/services/T00000000/B00000000/', MIX.slice(0, 24)), 'slack'],
  [j('sk', '_live_', MIX.slice(0, 24)), 'stripe'],
  [j('sk', '_test_', MIX.slice(0, 24)), 'stripe'],
  [j('rk', '_live_', MIX), 'stripe', ["Stripe('", "')"]],
  [j('whsec', '_', MIX), 'stripe'],
  [j('sk', '-', MIX, MIX.slice(0, 16)), 'openai'],
  [j('sk', '-proj-', MIX, '_', MIX), 'openai', ['OPENAI_API_KEY=', '']],
  [j('sk', '-svcacct-', MIX, '-', MIX), 'openai'],
  [j('sk', '-or-v1-', HEX, HEX), 'openai'],
  [j('sk', '-ant-api03-', MIX, '-', MIX, 'AA'), 'anthropic'],
  [j('sk', '-ant-sid01-', MIX), 'anthropic', ['x-api-key: ', '']],
  [j('AI', 'zaSyD', MIX, '12'), 'google'],
  [j('ya29', '.a0AfH6SMB', MIX), 'google'],
  [j('GOCSPX', '-', MIX.slice(0, 28)), 'google'],
  [j('npm', '_', MIX36), 'npm', ['//registry.example/:_authToken=', '']],
  [j('pypi', '-AgEIcHlwaS5vcmcC', MIX, MIX), 'pypi'],
  [j('hf', '_', MIX, 'ab'), 'huggingface'],
  [j('gsk', '_', MIX, MIX), 'groq'],
  [j('dop', '_v1_', HEX, HEX), 'digitalocean'],
  [j('shpat', '_', HEX), 'shopify'],
  [j('lin', '_api_', MIX, MIX.slice(0, 8)), 'linear'],
  [j('dckr', '_pat_', MIX.slice(0, 27)), 'docker'],
  [j('PMAK', '-', HEX.slice(0, 24), '-', HEX, 'ab'), 'postman'],
  [j('dapi', HEX), 'databricks'],
  [j('SK', HEX), 'twilio'],
  [j('hvs', '.CAESI', MIX), 'vault'],
  [j('SG', '.', MIX.slice(0, 22), '.', MIX, MIX.slice(0, 11)), 'sendgrid'],
  [j('123456789', ':AA', MIX, '1'), 'telegram'],
  [JWT, 'jwt'],
  [JWT, 'jwt', ['cookie: session=', '; path=/']],
  [PEM('RSA PRIVATE KEY'), 'private_key', ['key:\n', '\nend']],
  [PEM('PRIVATE KEY'), 'private_key'],
  [PEM('EC PRIVATE KEY').replaceAll('\n', '\\n'), 'private_key', ['"', '"']],
  [PEM('OPENSSH PRIVATE KEY'), 'private_key'],
  [PEM('PGP PRIVATE KEY BLOCK'), 'private_key'],
  [j('-----BEGIN PRIVATE', ' KEY-----\nMIIEvQIBADANBgkqhkiG9w0'), 'private_key', ['', '\n# cut']],
  ['s3cr3tPw', 'password', ['postgres://app:', '@db.internal:5432/app']],
  ['hunter2', 'password', ['mysql://root:', '@localhost/shop']],
  ['letmein', 'password', ['mongodb+srv://u:', '@cluster0.example.net/?retryWrites=true']],
  ['pw!$2', 'password', ['redis://:', '@cache:6379/0']],
  ['abc123', 'password', ['amqps://guest:', '@mq']],
  ['tok3n', 'password', ['https://me:', '@git.example.com/repo.git']],
  [MIX, 'authorization', ['Authorization: Bearer ', '']],
  ['dXNlcjpwYXNzd29yZA==', 'authorization', ['Authorization: Basic ', '']],
  [MIX, 'authorization', ["headers: { 'authorization': 'Bearer ", "' }"]],
  [MIX, 'authorization', ['curl -H "Authorization: token ', '" https://api.example.com']],
  [`${MIX}.x`, 'authorization', ['sent with bearer ', ' to the gateway']],
  ['hunter2', 'password', ['password=', '']],
  ['Tr0ub4dor&3', 'password', ['password: ', '']],
  ['Summer2024!', 'password', ['DB_PASSWORD="', '"']],
  ['s3cretpw', 'password', ['{"user":"a","passwd":"', '"}']],
  ['Tr0ub4dor&3', 'password', ['the wifi password is ', '.']],
  ['83910274', 'password', ['passcode: ', '']],
  ['hunter22', 'password', ['mysql --password ', ' -h db']],
  ['hunter22', 'password', ['curl -u admin:', ' https://x.example']],
  [HEX, 'api_key', ['api_key: ', '']],
  [HEX, 'api_key', ['API-KEY = "', '"']],
  [MIX, 'api_key', ["const apiKey = '", "';"]],
  [MIX, 'api_key', ['"client_secret": "', '",']],
  [MIX, 'api_key', ['https://x.example/cb?access_token=', '&state=1']],
  [MIX, 'api_key', ['SECRET_KEY_BASE=', '']],
  [MIX, 'api_key', ['export AUTH_TOKEN=', ' && deploy']],
  [MIX, 'api_key', ['deploy --token ', ' --yes']],
  [MIX, 'api_key', ['AccountKey=', ';EndpointSuffix=core']],
  ['sup3rS3cret', 'password', ['mysql -p', ' db']],
  ['hunter', 'password', ['mysqldump -u root -p', ' shop > shop.sql']],
  ['hunter', 'password', ["mariadb -p'", "' shop"]],
  ['geheim123456', 'password', ['Passwort: ', '']],
  ['geheim123456', 'password', ['Das Kennwort ist ', '.']],
  ['ouvre12345', 'password', ['mot de passe : ', '']],
  ['abrete12345', 'password', ['La contraseña es ', '']],
  ['abrete12345', 'password', ['clave: ', '']],
  ['apriti12345', 'password', ["parola d'ordine: ", '']],
  ['abre12345', 'password', ['SENHA=', '']],
  ['abre12345', 'password', ['A palavra-passe é ', '']],
  ['open12345', 'password', ['wachtwoord is ', '']],
  [MIX, 'api_key', ['API-Schlüssel: ', '']],
  [MIX, 'api_key', ['clé API : ', '']],
  [MIX, 'api_key', ['jeton: ', '']],
  [MIX, 'api_key', ['chiave API: ', '']],
  [MIX, 'api_key', ['chave de API: ', '']],
  [MIX, 'api_key', ['clave de API: ', '']],
  [MIX, 'api_key', ['sleutel: ', '']],
  ['Hello@123', 'password', ['password: ', '']],
  ['Admin@123', 'password', ['password: ', '.']],
  ['Winter!2024', 'password', ['the password is ', '']],
  ['Summer#99', 'password', ['DB_PASSWORD=', '\n']],
  ['Postgres@1', 'password', ['PGPASSWORD=', ' psql']],
  ['Qwerty!234', 'password', ['password="', '"']],
  ['Welcome*1', 'password', ["pwd: '", "'"]],
  ['Hello%20World', 'password', ['login?password=', '&page=2']],
  ['hunter2', 'password', ['password=', '&user=bob']],
  ['Hello@123', 'password', ['redis://u:', '@h']],
  ['@bc@@123', 'password', ['redis://u:', '@h:6379/0']],
  ['p@ss#1?x', 'password', ['amqp://u:', '@mq']],
  ['pw@12', 'password', ['https://u:', '@host?email=a@b.example']],
];

const NEGATIVES = [
  'mysql -p shop',
  'mysql -u root -p$DB_PASSWORD shop',
  'mysql --port 3307 -h db2',
  'mysql -h db2 | grep -pattern1',
  'Passwort: string',
  'Das Passwort ist zu kurz.',
  'La clave primaria es id_2024',
  'le mot de passe est obligatoire',
  'a senha é curta',
  'Schlüssel: user_id_2024',
  'clé étrangère: orders.customer_id1',
  '👩\u200d💻 shipped it',
  'zero\u200bwidth in prose',
  '',
  'ok',
  'Fixed the login bug in src/auth.ts',
  '550e8400-e29b-41d4-a716-446655440000',
  'token: 550e8400-e29b-41d4-a716-446655440000',
  'id=6f1d9c0e-6f0a-5d52-9a55-c0e000000001',
  'commit 1839ce1',
  'commit e83c5163316f89bfbde7d9ab23ca2e25604af290',
  'git checkout 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '"integrity": "sha512-9Hx2vXUvYb8cHJ7v4yLQp1u3d8hJ6C9wXzv4cX3y5zN2m7Q1bRk0aTg5eWs8UoPq=="',
  'integrity sha1-VldK/deR9UqOmyeFwFgqLSYhD6c=',
  'color: #ff8800',
  'background: #1a2b3c4d;',
  '/home/dev/projects/app/src/token/refresh-token.ts',
  'C:/Users/dev/AppData/Local/secrets.json',
  'src/shared/secrets.ts and __tests__/shared/secrets.test.ts',
  'node_modules/.pnpm/react@18.2.0/node_modules/react/index.js',
  'the password field must not be empty',
  'password is required',
  'The password is too short.',
  'your password is incorrect, try again',
  'Reset password: the link goes to the user',
  'password: string',
  'password: z.string().min(8)',
  'password = req.body.password',
  'password: user.password2',
  'const password = await promptForPassword1();',
  'const token = getToken();',
  'token: Token',
  'token = jwt.sign(payload, secret)',
  'token: null',
  'secret: undefined',
  'secret = process.env.JWT_SECRET',
  j('SECRET_KEY=$', '{SECRET_KEY}'),
  'password: $DB_PASSWORD',
  'api_key: <your-api-key>',
  'API_KEY=your_api_key_goes_here_1234',
  'api_key: "xxxxxxxxxxxxxxxxxxxx"',
  'password=********',
  'password: "[redacted:password]"',
  j('token: $', '{{ secrets.GITHUB_TOKEN }}'),
  'token: {{ .Values.token }}',
  'token=%s',
  'apiKey: import.meta.env.VITE_API_KEY_1',
  'api_key = os.environ["SERVICE_API_KEY_1"]',
  'max_tokens: 4096',
  'max_tokens=200000',
  'total_tokens: 1234567890123456',
  'tokenCount: 150',
  'token_type: bearer',
  'The bearer token authentication middleware',
  'Bearer authentication is used for all internal services',
  'Authorization: Bearer <token>',
  'Authorization: Bearer YOUR_TOKEN',
  'Authorization: Bearer accessToken',
  j('Authorization: Bearer $', '{token}'),
  'use Basic authentication',
  'postgres://localhost:5432/app',
  'postgres://app@localhost:5432/app',
  j('postgres://$', '{USER}:$', '{PASS}@host/db'),
  'mongodb://<user>:<password>@host',
  'http://localhost:3000/@scope/pkg',
  'https://example.com:8443/a@2x.png',
  'http://[::1]:3000/cue/memories',
  'git@github.com:org/repo.git',
  'ssh://git@example.com:22/repo.git',
  'npm install @scope/pkg@1.2.3',
  'mailto:someone@example.com',
  'sk-learn is a library',
  'sk-this-is-a-branch-name-with-words',
  'task-force-of-people-who-work',
  'risk-assessment-2024-report-final-version',
  'ghp_short',
  'github_pattern_matching_is_hard_work',
  'glpat is the prefix of tokens there',
  'xoxb- is how they begin',
  'AKIA is the prefix',
  'AKIAIOSFODNN7EXAMPLEWITHMORELETTERS',
  'AIzaShort',
  'npm_config_registry=https://example.com',
  'npm_lifecycle_event_name_of_the_script_that_runs',
  'hf_hub_download is a function',
  'eyJ',
  'eyJhbGciOiJIUzI1NiJ9',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBg\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host',
  'the private key is kept in the vault',
  'primary_key: user_id_2024',
  'cache_key = "user:profile:v2:12345678"',
  'idempotency key 9f86d081884c7d659a2feaa0c55ad015',
  'foreign_key: orders.customer_id1',
  'keyboard: qwertz1234567890abc',
  'secret santa is on the 24th',
  'the secret of good tests: short ones',
  'secrets: inherit',
  'secret_name: my-app-secret-2024',
  'tokenizer: o200k_base',
  'access_token_url: https://example.com/oauth/token',
  'api_key_header: x-api-key',
  'docker run -u 1000:1000 image',
  'curl -u "$USER:$PASS" https://example.com',
  'curl https://example.com/v1/users?page=2',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  '2024-11-22T01:28:24.123Z',
  '+49 170 1234567',
  'version 1.7.2-beta.20241122',
  'ERR_MODULE_NOT_FOUND in dist/index.js:12:34',
  'mem_9f86d081884c7d659a2feaa0c55ad015',
  'trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7',
  'etag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
  'UserPasswordResetTokenExpiredException was thrown',
  'password_reset_timeout_ms=3600000',
  'PASSWORD_MIN_LENGTH=12',
  'password: my-key-2024',
  'password: user_name.v2-2024',
  'password: someone@example2.com',
  'password: argon2@0.31.1',
  'password: @types/bcrypt@5.0.2',
  'password: https://example.com/reset?id=12',
  'password: /reset?step=2',
  'password: acme/app#12',
  'password: "^[A-Za-z0-9]{8,64}$"',
  'password: /^[a-z0-9]{8,64}$/',
  j('password: app-$', '{ENV2}-x'),
  j('password=`app-$', '{index2}`'),
  'password: "app-#{index2}"',
  'forgot_password=true&page=2',
  'redis://u:@h:6379/0',
];

describe('secrets', () => {
  it.each(POSITIVES.map(([secret, kind, around], n) => ({ n, secret, kind, around })))(
    'takes out $kind, case $n',
    ({ secret, kind, around: [before, after] = ['use ', ' here'] }) => {
      expect(redactSecrets(`${before}${secret}${after}`)).toEqual({
        text: `${before}[redacted:${kind}]${after}`,
        found: [{ kind, count: 1 }],
      });
    },
  );

  it.each(NEGATIVES)('leaves alone: %j', (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] });
  });

  it('finds what characters of no width were put into, and leaves those of the rest', () => {
    const hidden = [...j('ghp', '_', MIX36)].join('\u200b');
    expect(redactSecrets(`👩\u200d💻 uses ${hidden} and pass\u2060word: hun\ufeffter2`)).toEqual({
      text: '👩\u200d💻 uses [redacted:github] and password: [redacted:password]',
      found: [
        { kind: 'github', count: 1 },
        { kind: 'password', count: 1 },
      ],
    });
    const half = `${j('ghp', '_', MIX)}\u200b5uEo`;
    expect(redactSecrets(half).text).toBe('[redacted:github]');
  });

  it('has enough of both kinds of examples', () => {
    expect(POSITIVES.length).toBeGreaterThanOrEqual(60);
    expect(NEGATIVES.length).toBeGreaterThanOrEqual(100);
  });

  it('counts by kind and finds nothing the second time', () => {
    const once = redactSecrets(`password=hunter2, AKIA${'IOSFODNN7EXAMPLQ'} and password=hunter3`);
    expect(once).toEqual({
      text: 'password=[redacted:password], [redacted:aws] and password=[redacted:password]',
      found: [
        { kind: 'aws', count: 1 },
        { kind: 'password', count: 2 },
      ],
    });
    expect(redactSecrets(once.text)).toEqual({ text: once.text, found: [] });
  });

  it('goes through nested data, judges by the name of a property, and leaves the original', () => {
    const given = {
      note: 'password=hunter2',
      list: [j('ghp', '_', MIX36), 7, null],
      config: { password: 'hunter2', api_key: HEX, user: 'hunter2', tokens: 12 },
    };
    const copy = structuredClone(given);
    expect(redactDeep(given)).toEqual({
      value: {
        note: 'password=[redacted:password]',
        list: ['[redacted:github]', 7, null],
        config: {
          password: '[redacted:password]',
          api_key: '[redacted:api_key]',
          user: 'hunter2',
          tokens: 12,
        },
      },
      found: [
        { kind: 'password', count: 2 },
        { kind: 'github', count: 1 },
        { kind: 'api_key', count: 1 },
      ],
    });
    expect(given).toEqual(copy);
  });

  it('judges passwords in data with marks in them, and those that are numbers', () => {
    const given = {
      password: 'Hello@123',
      DB_PASSWORD: 'hunter2!x',
      passcode: 48291734,
      pwd: [48291734n, 12, -48291734, 1.5e300, 1234567.5],
      max_password: 128,
      password_changed_at: 1732233600000,
      api_key: 1234567890123456,
      memory: 48291734,
    };
    expect(redactDeep(given)).toEqual({
      value: {
        ...given,
        password: '[redacted:password]',
        DB_PASSWORD: '[redacted:password]',
        passcode: '[redacted:password]',
        pwd: ['[redacted:password]', 12, -48291734, 1.5e300, 1234567.5],
      },
      found: [{ kind: 'password', count: 4 }],
    });
  });

  it('takes each of many keys that begin inside another one, and the last to its end', () => {
    const begin = j('-----BEGIN PRIVATE', ' KEY-----\n');
    const text = `${begin.repeat(35_000)}MIIE\n${begin.replace('BEGIN', 'END')}end`;
    expect(redactSecrets(text)).toEqual({
      text: `${'[redacted:private_key]\n'.repeat(35_000)}end`,
      found: [{ kind: 'private_key', count: 35_000 }],
    });
  });

  it('has no unbounded quantifier in what is tried at every character', () => {
    // With bounded heads and sticky one-class tails, steps are at most a constant times the length.
    for (const head of [NAMED, ...SECRET_RULES.map((one) => one.head)]) {
      const outsideClasses = head.source.replace(/\\./g, 'x').replace(/\[(?:[^\]])*\]/g, 'C');
      expect(outsideClasses, head.source).not.toMatch(/[*+]|\{\d+,\}/);
    }
    for (const { tail } of SECRET_RULES) if (tail) expect(tail.sticky).toBe(true);
  });

  it('gets through a megabyte of the worst beginnings', () => {
    const beginnings = [
      'a',
      '-----BEGIN PRIVATE KEY-----',
      'eyJhbGciOiJIUz-',
      'password="',
      'https://a:',
      'curl -u ',
      'AKIA',
      'bearer ',
    ];
    for (const beginning of beginnings) {
      const text = beginning.repeat(Math.ceil(1_000_000 / beginning.length));
      expect(redactSecrets(text).text.length).toBeGreaterThan(0);
    }
  });
});
