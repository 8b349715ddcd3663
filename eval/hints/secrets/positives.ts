/**
 * Hints with a secret. Every one is drawn here and put together from parts, so that nothing in this
 * file has the form of a secret and no scanner takes the repository for a leak.
 */
import { ASSIGNED } from './assigned.js';
import { command, join as j, type SecretCase } from './cases.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const BASE62 = LOWER.toUpperCase() + LOWER + DIGITS;
const URL64 = `${BASE62}-_`;
const BASE64 = `${BASE62}+/`;
const HEX = `${DIGITS}abcdef`;
const BASE32 = `${LOWER.toUpperCase()}234567`;

let state = 20240317;
/** The same characters in every run (a linear congruential generator). */
function draw(alphabet: string, length: number): string {
  let out = '';
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    out += alphabet[Math.floor((state / 2 ** 32) * alphabet.length)];
  }
  return out;
}
const mixed = (length: number) => draw(BASE62, length);
const urlSafe = (length: number) => `a${draw(URL64, length - 2)}Z`;
const hex = (length: number) => draw(HEX, length);
const base64 = (length: number) => draw(BASE64, length);
const upper = (length: number) => draw(BASE32, length);
const digits = (length: number) => draw(DIGITS, length);

const jwt = (head = 'eyJhbGciOiJIUzI1NiJ9') =>
  j(head, '.', 'eyJzdWIi', urlSafe(30), '.', urlSafe(43));
const pem = (kind: string, lines = 4) =>
  j(
    '-----BEGIN ',
    kind,
    '-----\n',
    Array.from({ length: lines }, () => base64(64)).join('\n'),
    '\n-----END ',
    kind,
    '-----',
  );

const json = (data: Record<string, unknown>): SecretCase => ({
  value: { type: 'json', data: JSON.parse(JSON.stringify(data)) },
});
const template = (body: string, defaults?: Record<string, string>): SecretCase => ({
  value: { type: 'template', format: 'mustache', body, ...(defaults ? { defaults } : {}) },
});

export const POSITIVES: readonly SecretCase[] = [
  // The seed's own three.
  j('AKIA', upper(16)),
  command(j('AWS_ACCESS_KEY_ID=', 'ASIA', upper(16), ' aws s3 ls')),
  j('aws_secret_access_key = ', base64(40)),
  command(j('aws configure set aws_secret_access_key ', base64(40))),
  json({ profile: 'dev', secretAccessKey: base64(40) }),
  json({ aws: { keys: [{ id: j('AKIA', upper(16)) }] } }),
  hex(32),
  hex(40),
  hex(64),
  hex(48).toUpperCase(),
  command(j('curl https://api.example.com/v1/jobs?key=', hex(32))),
  command(j('./deploy.sh --apikey ', hex(40))),
  `X-Auth-Key: ${hex(37)}`,
  json({ signing: hex(64) }),
  template('./run.sh {{key}}', { key: hex(32) }),
  jwt(),
  command(j('curl -H "Authorization: Bearer ', jwt(), '" http://localhost:3000/me')),
  json({ session: jwt() }),
  command(j('curl -b "auth=', jwt(), '" http://localhost:3000')),
  jwt('ewogICJhbGciOiAiUlMyNTYiCn0'),
  // Tokens of providers.
  j('ghp', '_', mixed(36)),
  command(j('GH_TOKEN=', 'gho', '_', mixed(36), ' gh pr list')),
  command(
    j('git clone https://x-access-token:', 'ghs', '_', mixed(36), '@github.com/acme/router.git'),
  ),
  j('github', '_pat_', mixed(22), '_', mixed(59)),
  command(j('git push https://', 'ghp', '_', mixed(36), '@github.com/acme/router.git main')),
  j('glpat', '-', urlSafe(20)),
  command(
    j(
      'curl --header "PRIVATE-TOKEN: ',
      'glpat',
      '-',
      urlSafe(20),
      '" https://gitlab.example.com/api',
    ),
  ),
  j('gldt', '-', urlSafe(20)),
  j('xoxb', '-', digits(12), '-', digits(12), '-', mixed(24)),
  json({
    slack: { bot: j('xoxp', '-', digits(12), '-', digits(12), '-', digits(12), '-', hex(32)) },
  }),
  command(
    j(
      'curl -X POST https://hooks.slack',
      '.com/services/T',
      upper(8),
      '/B',
      upper(8),
      '/',
      mixed(24),
    ),
  ),
  j('sk', '_live_', mixed(24)),
  command(j('stripe listen --api-key ', 'rk', '_test_', mixed(99))),
  json({ webhookSecret: j('whsec', '_', mixed(32)) }),
  j('sk', '-', mixed(20), 'T3Blbk', 'FJ', mixed(20)),
  command(j('OPENAI_API_KEY=', 'sk', '-proj-', urlSafe(80), ' npm start')),
  j('sk', '-svcacct-', urlSafe(60)),
  j('sk', '-ant-api03-', urlSafe(93), 'AA'),
  template(j('curl -H "x-api-key: ', 'sk', '-ant-api03-', urlSafe(93), 'AA" {{url}}')),
  j('AI', 'za', 'Sy', urlSafe(33)),
  command(j('curl "https://maps.example.com/api?key=', 'AI', 'za', 'Sy', urlSafe(33), '"')),
  j('ya29', '.', urlSafe(60)),
  j('GOCSPX', '-', urlSafe(28)),
  j('1', '//0', urlSafe(40)),
  j('npm', '_', mixed(36)),
  command(j('npm config set //packages.example.org/:_authToken ', 'npm', '_', mixed(36))),
  j('//packages.example.org/:_authToken=', mixed(36)),
  command(j('twine upload -u __token__ -p ', 'pypi', '-AgEIcHlwaS5vcmc', urlSafe(80), ' dist/*')),
  j('SG', '.', urlSafe(22), '.', urlSafe(43)),
  j('SK', hex(32)),
  json({ account: j('AC', hex(32)), auth_token: hex(32) }),
  j('dop', '_v1_', hex(64)),
  j('hf', '_', mixed(34)),
  command(j('huggingface-cli login --token ', 'hf', '_', mixed(34))),
  command(
    j('az login --service-principal -u app -p ', mixed(3), '8Q~', urlSafe(34), ' --tenant dev'),
  ),
  j(
    'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=',
    base64(86),
    '==;EndpointSuffix=core.example.net',
  ),
  j('https://acme.blob.example.net/c/f.zip?sv=2022-11-02&sig=', mixed(40), '%3D'),
  j(
    'Endpoint=sb://acme.servicebus.example.net/;SharedAccessKeyName=root;SharedAccessKey=',
    base64(43),
    '=',
  ),
  j('shpat', '_', hex(32)),
  j('lin', '_api_', mixed(40)),
  j('dckr', '_pat_', urlSafe(27)),
  j('hvs', '.', urlSafe(90)),
  j('gsk', '_', mixed(52)),
  j('PMAK', '-', hex(24), '-', hex(34)),
  j('dapi', hex(32)),
  j(digits(9), ':AA', urlSafe(33)),
  j('r8', '_', mixed(37)),
  j('pplx', '-', mixed(48)),
  j('xai', '-', mixed(80)),
  j('nvapi', '-', urlSafe(64)),
  j('glsa', '_', mixed(32), '_', hex(8)),
  j('glc', '_', base64(60), '='),
  j('NRAK', '-', upper(27)),
  j('sntrys', '_', base64(80)),
  j('sqp', '_', hex(40)),
  j('figd', '_', urlSafe(40)),
  j('ntn', '_', mixed(46)),
  j('ATATT3', 'xFf', urlSafe(180)),
  j('dp.pt', '.', mixed(43)),
  j('pscale', '_pw_', urlSafe(43)),
  j('sbp', '_', hex(40)),
  j('rubygems', '_', hex(48)),
  j('cio', mixed(32)),
  j('oy2', draw(LOWER + DIGITS, 43)),
  j('pul', '-', hex(40)),
  j(mixed(14), '.atlasv1.', urlSafe(67)),
  j('ops', '_eyJ', mixed(200)),
  j('tskey', '-auth-', mixed(16), '-', mixed(32)),
  j('bkua', '_', hex(40)),
  j('AKCp', mixed(69)),
  j('key', '-', hex(32)),
  j(hex(32), '-us12'),
  j('xkeysib', '-', hex(64), '-', mixed(16)),
  j('re', '_', mixed(8), '_', mixed(24)),
  j('sk.', 'eyJ1Ijoi', mixed(40), '.', mixed(22)),
  j('SWMTKN', '-1-', draw(LOWER + DIGITS, 50), '-', draw(LOWER + DIGITS, 25)),
  j('https://discord', '.com/api/webhooks/', digits(18), '/', urlSafe(68)),
  j('M', mixed(23), '.', mixed(6), '.', urlSafe(38)),
  j('AGE-SECRET-KEY', '-1', upper(58)),
  j('EAA', mixed(150)),
  j('LTAI', mixed(20)),
  j('fo1', '_', urlSafe(43)),
  j('nfp', '_', mixed(36)),
  j('lsv2', '_pt_', hex(32), '_', hex(10)),
  j('pcsk', '_', mixed(6), '_', mixed(60)),
  j('CFPAT', '-', urlSafe(43)),
  j('phx', '_', mixed(43)),
  // Key blocks.
  pem('RSA PRIVATE KEY'),
  pem('PRIVATE KEY'),
  pem('EC PRIVATE KEY', 2),
  pem('OPENSSH PRIVATE KEY', 6),
  pem('ENCRYPTED PRIVATE KEY'),
  pem('PGP PRIVATE KEY BLOCK'),
  json({ type: 'service_account', private_key: pem('PRIVATE KEY') }),
  command(j("printf '", pem('RSA PRIVATE KEY').replaceAll('\n', '\\n'), "' > key.pem")),
  template(j('{{name}}:\n', pem('EC PRIVATE KEY', 2))),
  command(
    `echo ${Buffer.from(pem('RSA PRIVATE KEY', 2)).toString('base64')} | base64 -d > key.pem`,
  ),
  // Connection strings and addresses.
  j('postgres://app:', 's3cr3tPw', '@db.internal:5432/shop'),
  command(j('DATABASE_URL=postgresql://root:', 'letmein', '@localhost/shop npm run migrate')),
  j('mysql://root:', 'hunter2', '@127.0.0.1:3306/shop'),
  j('mongodb+srv://ci:', 'Winter24', '@cluster0.example.net/shop'),
  j('redis://:', 'abc123', '@cache:6379/0'),
  j('amqps://guest:', 'rabbit77', '@mq/'),
  command(j('curl https://admin:', 'Tr0ub4dor', '@ci.example.com/job/router/build')),
  command(j('git remote add up https://me:', 'tok3nValue', '@git.example.com/r.git')),
  j('jdbc:mysql://db/shop?user=app&password=', 'hunter22', '&useSSL=false'),
  j('Server=db;Database=shop;User Id=sa;Password=', 'Str0ng!Pass', ';'),
  j('host=db user=app password=', 's3cretpw', ' dbname=shop'),
  json({ database: { url: j('postgres://app:', 's3cr3tPw', '@db/shop') } }),
  template('psql {{url}}', { url: j('postgres://app:', 's3cr3tPw', '@db/shop') }),
  j('ftp://deploy:', 'upl0ad', '@files.example.com/releases'),
  j('https://', hex(32), ':', hex(32), '@errors.example.com/12'),
  // Assignments, flags and headers.
  j('password=', 'hunter22'),
  j('password: ', 'Summer#2024'),
  command(j('PGPASSWORD=', 'Postgres1!', ' psql -h db shop')),
  command(j('mysql -u root -p', 'sup3rS3cret', ' shop')),
  command(j('mysqldump --password=', 'sup3rS3cret', ' shop')),
  command(j('docker login -u ci -p ', 'Reg1stryPw', ' ghcr.io')),
  command(j('sshpass -p ', 'Dep10yMe', ' ssh deploy@host')),
  command(j('redis-cli -h cache -a ', 'c4chePass', ' ping')),
  command(j('mongosh -u admin -p ', 'M0ngoPw', ' db1')),
  command(j('curl -u admin:', 'adm1nPw', ' https://ci.example.com')),
  command(j('wget --user=ci --password=', 'ftpS3cret', ' https://files.example.com/a')),
  command(j('ldapsearch -D cn=admin -w ', 'ld4pS3cret', ' -b dc=example')),
  command(j('openssl pkcs12 -in a.p12 -passin pass:', 'p12S3cret')),
  command(j('sqlcmd -S db -U sa -P ', 'Str0ngPass!', ' -i a.sql')),
  command(j('keytool -list -storepass ', 'k3yst0re!')),
  command(j('curl -H "Authorization: Bearer ', mixed(40), '" https://api.example.com')),
  command(j("http GET :3000/me 'Authorization: Token ", mixed(32), "'")),
  command(
    j(
      'curl -H "Authorization: Basic ',
      Buffer.from('admin:adm1nPw').toString('base64'),
      '" http://h',
    ),
  ),
  command(j('curl -H "X-Api-Key: ', mixed(32), '" https://api.example.com')),
  command(j('API_KEY=', mixed(32), ' npm start')),
  command(j('export SERVICE_TOKEN=', urlSafe(40))),
  command(j('SECRET_KEY_BASE=', hex(128), ' bin/rails s')),
  command(j('DJANGO_SECRET_KEY="', mixed(30), '!@#', mixed(15), '" python manage.py runserver')),
  command(j('ENCRYPTION_KEY=', base64(43), '= npm start')),
  command(j('DB_PASS=', 'hunter22', ' npm run migrate')),
  command(j('SESSION_SALT=', mixed(24), ' npm start')),
  command(j('$env:API_KEY = "', mixed(32), '"; npm start')),
  command(j('set API_TOKEN=', mixed(28), ' && npm start')),
  command(j('docker run -e JWT_SECRET=', mixed(32), ' router:dev')),
  command(j('kubectl create secret generic db --from-literal=password=', 'Pr0dPassw0rd')),
  command(j('helm upgrade router . --set auth.token=', mixed(32))),
  command(j('gh secret set DEPLOY_KEY --body ', mixed(40))),
  command(j('terraform apply -var db_password=', 'Pr0dPassw0rd')),
  command(j("curl -d '", '{"user":"a","password":"', 'hunter22', '"}', "' http://localhost/login")),
  json({ user: 'admin', password: 'hunter22' }),
  json({ list: [{ deep: { client_secret: mixed(32) } }] }),
  json({ env: { STRIPE_KEY: j('sk', '_test_', mixed(24)) } }),
  template('login {{user}} {{password}}', { user: 'admin', password: 'Adm1nPw!' }),
  template(j('TOKEN=', mixed(32), ' ./deploy {{env}}')),
  // Where nobody looks.
  { key: 'password', value: 'hunter22' },
  { component: 'db', key: 'env.DB_PASSWORD', value: 'Winter!2024' },
  { key: 'api_key', value: mixed(24) },
  { meta: { reason: j('works with ', 'ghp', '_', mixed(36)) } },
  { meta: { tags: ['build', j('AKIA', upper(16))] } },
  { meta: { added_by: j('agent:', 'sk', '-ant-api03-', urlSafe(93), 'AA') } },
  { meta: { scope: { env_match: { API_TOKEN: mixed(32) } } } },
  { meta: { scope: { env_match: { CI: ['true', j('glpat', '-', urlSafe(20))] } } } },
  { meta: { scope: { repo: j('https://me:', 'tok3nValue', '@git.example.com/r.git') } } },
  { component: j('xoxb', '-', digits(12), '-', mixed(24)) },
  { key: j('ghp', '_', mixed(36)) },
  json({ [j('ghp', '_', mixed(36))]: true }),
  { value: { type: 'path', abs: j('/srv/', 'hf', '_', mixed(34), '/app') } },
  j('try ', 'ghp', '_\u200b', mixed(18), '\u200b', mixed(18)),
  j('// secretlint-disable\n', 'ghp', '_', mixed(36)),
  // Drawn at random, of nobody we know.
  mixed(40),
  command(j('./notify.sh ', mixed(36))),
  j('acme', '_', mixed(40)),
  j('zt', '-live-', mixed(32)),
  json({ anything: urlSafe(43) }),
  base64(40),
  j('ATBB', mixed(28), hex(4).toUpperCase()),
  // Added after looking at what the first rules missed.
  j('sk', '-ant-oat01-', mixed(60)),
  j('sk', '-or-v1-', hex(64)),
  j('xoxe.', 'xoxp', '-1-', mixed(120)),
  j('CCIPAT', '_', mixed(22), '_', hex(40)),
  j('sq0csp', '-', mixed(43)),
  j('FLY_API_TOKEN="FlyV1 ', 'fm2', '_', mixed(200), '"'),
  j('SA_PASSWORD=', 'Your!Pass123'),
  j('ansible-playbook -e ansible_become_pass=', 'S3cr3tPw'),
  command(j('http -a bob:', 'hunter2', ' GET :3000/me')),
  command(j('net use Z: \\\\srv\\share /user:bob ', 'Passw0rd1')),
  command(j('sudo -S make install <<< "', 'hunter22', '"')),
  command(j('echo ', 'hunter22', ' | sudo -S make install')),
  command(j('gpg --batch --passphrase ', 'S3cretPhrase', ' -d x.gpg')),
  command(j('unzip -P ', 's3cretzip', ' a.zip')),
  command(j('7z x -p', 's3cretzip', ' a.7z')),
  command(j('snmpwalk -v2c -c ', 's3cretcomm', ' switch1')),
  j('<password>', 'S3cretPw1', '</password>'),
  j('machine git.example.com login bob password ', mixed(20)),
  j('proxy-authorization is basic ', Buffer.from('bob:hunter22').toString('base64')),
  j('Cookie: sessionid=', draw(LOWER + DIGITS, 32)),
  j('https://app.example.com/cb#access_token=', mixed(32)),
  j('x-functions-key: ', mixed(54), '=='),
  ...ASSIGNED,
];
