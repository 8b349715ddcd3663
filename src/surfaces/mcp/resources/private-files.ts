/** Files that hold secrets by their very purpose, by their names alone. Pure. */

/** Folders with all that lies in them, and files of such: names one below the other, wherever. */
const PLACES = [
  String.raw`\.(?:ssh|gnupg|aws|azure|kube|docker|git|password-store|terraform\.d|mozilla)`,
  String.raw`\.config\/(?:gcloud|gh|glab-cli|hub|op|rclone|doctl|sops|configstore|google-chrome|chromium)`,
  // Memories of agents, also as PostgreSQL lays them out wherever they are, and how they are reached.
  String.raw`\.eliza|\.elizadb|\.cue\/(?:db|cue)|pg_(?:wal|xact|multixact|logical)|base\/\d+\/\d+(?:_(?:fsm|vm|init))?`,
  String.raw`\.claude|\.codex|\.gemini`,
  // What systems keep passwords in.
  String.raw`\.local\/share\/(?:keyrings|kwalletd)|library\/keychains|microsoft\/(?:credentials|protect|vault)`,
  String.raw`\.m2\/settings(?:-security)?\.xml|\.gradle\/gradle\.properties`,
];

/** What is of the machine, and what a container was given. */
const SYSTEM = String.raw`(?:proc|sys|dev|(?:var\/)?run\/secrets|etc\/(?:g?shadow-?|sudoers|ssl\/private))`;

const DATA = String.raw`(?:\.(?:json|ya?ml|toml|ini|txt|xml|properties|conf|cfg|csv|db|enc))?`;

/** Files, by their whole names. */
const FILES = [
  // Environments.
  String.raw`\.env.*|.*\.env|\.dev\.vars.*|.*\.tfvars(?:\.json)?|.*\.tfstate|local\.settings\.json`,
  // Named for what they hold. Programs, too: small ones have it written in them.
  String.raw`(?:secrets?|credentials?)(?:\..*)?|.*[-_.](?:secrets?|credentials?)${DATA}`,
  String.raw`.*client[-_]secret.*\.json|.*service[-_]?account.*\.json|.*firebase-adminsdk.*\.json`,
  // Of package managers, databases and other programs.
  String.raw`[._]netrc|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.dockercfg|\.terraformrc|terraform\.rc`,
  String.raw`\.pgpass|pgpass\.conf|\.my(?:login)?\.cnf|\.git-credentials|\.?htpasswd|\.s3cfg|\.boto`,
  String.raw`\.vault-token|\.?vault[-_]pass(?:word)?(?:\.txt)?|auth\.json|wp-config\.php`,
  String.raw`(?:.*\.)?kubeconfig(?:\..*)?|\.[a-z_]+_history`,
  // Of coding agents, whose servers are given keys there, and the files that name a server and its key.
  String.raw`\.?mcp(?:_config)?\.json|\.claude\.json|claude_desktop_config\.json|server(?:-[0-9a-f]+)?\.pid`,
  // Keys and stores of them.
  String.raw`id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!\.pub$)(?:\..*)?|ssh_host_.*_key`,
  String.raw`.*\.(?:key|pem|p8|p12|pfx|ppk|der|jks|bks|keystore|kdbx?|ovpn)`,
];

const PLACE = new RegExp(`(?:\\/(?:${PLACES.join('|')})|^\\/${SYSTEM})(?:\\/|$)`);
const FILE = new RegExp(`^(?:${FILES.join('|')})$`);
/** What programs put behind the name of a file that they keep as it was. */
const COPY = /(?:~|\.(?:bak|backup|cue-backup-\d+|old|orig|save|swp|tmp|copy|\d+))+$/;

/** Also in JSON, where a line break is written out. A text that only names the mark holds no key. */
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\r?\n|\\[nr])/;

/** @param path absolute, of either kind of system */
export function isPrivateFile(path: string): boolean {
  const plain = path.replaceAll('\\', '/').toLowerCase();
  const name = plain.slice(plain.lastIndexOf('/') + 1);
  return PLACE.test(plain) || FILE.test(name) || FILE.test(name.replace(COPY, ''));
}

export function holdsPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}
