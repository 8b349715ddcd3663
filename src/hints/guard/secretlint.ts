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

/** What a rule asks of whoever runs it. */
interface RuleContext {
  sharedOptions: object;
  createTranslator(): (messageId: PropertyKey) => RuleMessage;
  report(found: { message: { messageId: string }; range: readonly [number, number] }): void;
  ignore(): void;
}

/** The text of the message is left empty: a rule would write the secret into it. */
interface RuleMessage {
  message: string;
  messageId: string;
  data: undefined;
}

/** What a rule asks of a text; only the filter asks for lines and columns, too. */
interface RuleSource {
  hasBOM: boolean;
  content: string;
  contentType: 'text' | 'binary' | 'unknown';
  ext: string;
  filePath: string | undefined;
  physicalFilePath: string | undefined;
  getFilePath(): string | undefined;
  getPhysicalFilePath(): string | undefined;
}

interface Rule {
  create(
    context: RuleContext,
    options: object,
  ): { file?(source: RuleSource): void | Promise<void> };
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

async function run(rules: readonly Rule[], text: string): Promise<LintedSecret[]> {
  const found: { rule: string; range: readonly [number, number] }[] = [];
  const context: RuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({
      message: '',
      messageId: String(messageId),
      data: undefined,
    }),
    report: ({ message, range }) => found.push({ rule: message.messageId, range }),
    ignore: () => {},
  };
  const source = sourceOf(text);
  for (const rule of rules) await rule.create(context, {}).file?.(source);
  return found
    .filter(({ rule }) => !ALLOWED.includes(rule))
    .sort((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1])
    .map(({ rule, range }) => ({ rule, start: range[0] }));
}

function sourceOf(content: string): RuleSource {
  return {
    hasBOM: false,
    content,
    contentType: 'text',
    ext: '.txt',
    filePath: FILE,
    physicalFilePath: undefined,
    getFilePath: () => FILE,
    getPhysicalFilePath: () => undefined,
  };
}
