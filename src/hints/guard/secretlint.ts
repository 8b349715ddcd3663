/**
 * The maintained detector beside our own rules: secretlint's recommended rules on plain text. It is
 * loaded with the first check, so that a process that stores no hint never pays for it.
 *
 * The rules are run here and not by `@secretlint/core`: that one marks every step on the process's
 * performance timeline, keeps all marks for ever and searches them for each new one.
 */

export interface LintedSecret {
  /** Name of the message: `GITHUB_TOKEN`. */
  rule: string;
  start: number;
}

/** What is found, in the order of the text. */
export type Lint = (text: string) => Promise<LintedSecret[]>;

/** What is used of a rule; its own types lie in a package that is not ours to import. */
interface Rule {
  create(context: object, options: object): { file?(source: object): void | Promise<void> };
}

interface Report {
  message: { messageId: string };
  range: readonly [start: number, end: number];
}

/** Comments that switch rules off are for source files: in a hint they would be a way around. */
const LEFT_OUT = /filter-comments$/;
/** Some rules look only into files of certain names; this is none of them. */
const FILE = 'hint.txt';
/** Numbers of accounts are no secrets. */
const ALLOWED = ['AWSAccountID'];

let loading: Promise<Lint> | undefined;

export function loadSecretlint(): Promise<Lint> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Lint> {
  const preset = await import('@secretlint/secretlint-rule-preset-recommend');
  const rules: Rule[] = preset.rules.filter(({ meta }) => !LEFT_OUT.test(meta.id));
  return (text) => run(rules, text);
}

async function run(rules: readonly Rule[], content: string): Promise<LintedSecret[]> {
  const found: Report[] = [];
  const context = {
    sharedOptions: {},
    // The text of the message is left empty: a rule would write the secret into it.
    createTranslator: () => (messageId: PropertyKey) => ({
      message: '',
      messageId: String(messageId),
      data: undefined,
    }),
    report: (report: Report) => found.push(report),
    ignore: () => {},
  };
  const source = {
    ...{ hasBOM: false, content, contentType: 'text', ext: '.txt' },
    ...{ filePath: FILE, physicalFilePath: undefined },
    getFilePath: () => FILE,
    getPhysicalFilePath: () => undefined,
  };
  for (const rule of rules) await rule.create(context, {}).file?.(source);
  return found
    .filter(({ message }) => !ALLOWED.includes(message.messageId))
    .sort((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1])
    .map(({ message, range }) => ({ rule: message.messageId, start: range[0] }));
}
