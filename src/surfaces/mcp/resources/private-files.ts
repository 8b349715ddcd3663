/** Files that hold secrets by their very purpose. Pure. */

/** Of a file or folder, in lower case. */
const NAMES =
  /^(?:\.env.*|\.(?:ssh|gnupg|aws|azure|kube|docker|git|netrc|npmrc|yarnrc(?:\.yml)?|pypirc|pgpass|my\.cnf|git-credentials|htpasswd|vault-token)|_netrc|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!\.pub$)(?:\..*)?|.*\.(?:key|p8|p12|pfx|ppk|der|jks|keystore|kdbx))$/;

/** Also in JSON, where a line break is written out. A text that only names the mark holds no key. */
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\r?\n|\\[nr])/;

/** @param parts names of folders and of the file */
export function isPrivateFile(parts: readonly string[]): boolean {
  return parts.some((part) => NAMES.test(part.toLowerCase()));
}

export function holdsPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}
