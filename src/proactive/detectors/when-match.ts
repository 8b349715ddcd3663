/**
 * `/when` entries that answer the moment (DESIGN §9): the command is offered before anybody asks for
 * it. What is relevant their module says; here it is decided what may be shown, and to whom.
 */
import { canRead } from '../../records/index.js';
import { derivedId, type Uuid } from '../../shared/ids.js';
import { pathKeys } from '../../shared/paths.js';
import type { RelevantEntry } from '../../when/index.js';
import { printedCommand } from '../text/layouts.js';
import type { Detector, ShownEntry, SlotInput, Suppressed } from '../types.js';
import { type DetectorContext, defineDetector } from './detection.js';

/**
 * What an offer tells of an entry. Its id is also that of a recall (`ProactiveService.observer`), and
 * who works on its file has acted upon the offer.
 */
export type WhenEntry = Omit<RelevantEntry, 'confidence' | 'reasons'>;

/** What the module of `/when` does for offers. */
export interface WhenPort {
  /**
   * Best first, only what is sure enough to be said unasked. `text` is '' where files are only touched:
   * then an entry counts whose own words or section name one of them.
   */
  relevant(
    moment: { text: string; files: readonly string[] },
    limit: number,
  ): Promise<readonly RelevantEntry[]>;
  /** Those of these that still are, as they are now. */
  current(ids: readonly Uuid[]): Promise<readonly WhenEntry[]>;
}

const KIND = 'whenMatch';
/** Asked for beside those that are shown, since some may not be shown here. */
const SPARE = 3;

/**
 * @param port looked up at each question, since modules start side by side; `null`: there is none (yet),
 * and nothing is said; what it throws is a failure of the detector
 */
export function createWhenMatch(
  context: DetectorContext,
  port: () => WhenPort | null,
): Detector<SlotInput> {
  const detector = defineDetector(
    context,
    KIND,
    ({ text, files }: SlotInput) => text.trim() || (files[0] ?? ''),
    async (input, question) => {
      const { config, subject, reader } = question;
      if (subject === '') return question.nothing(['neither words nor files']);
      const source = port();
      if (source === null) return question.nothing(['no /when index']);
      const text = input.text.trim();
      const moment = { text, files: input.files };
      const found = await source.relevant(moment, config.max_results + SPARE);
      const readable = found.filter(({ scope }) => canRead(reader, scope));
      const open = new Set(input.files.flatMap((file) => pathKeys(file)));
      const least = config.confidence_threshold === 'auto' ? 0 : config.confidence_threshold;
      const suppressed: Suppressed[] = [];
      const fitting = readable.filter((entry) => {
        const reason = whyNot(entry, open, least);
        if (reason === null) return true;
        const memoryId = printedCommand(entry.command) ?? entry.id;
        suppressed.push({ memoryId, detector: KIND, reason });
        return false;
      });
      const memories = fitting.slice(0, config.max_results).map(shownOf);
      const [first] = memories;
      if (!first) return question.nothing(['no entry for it'], { suppressed });
      return question.notifying(
        { kind: KIND, subject, isFile: text === '', memories },
        memories,
        { strength: first.score, evidence: first.reasons },
        { suppressed },
      );
    },
  );
  return {
    ...detector,
    async revisions(ids) {
      const source = port();
      if (source === null) return null;
      return new Map((await source.current(ids)).map((entry) => [entry.id, revisionOf(entry)]));
    },
  };
}

/** @param open keys of the files that are named or touched */
function whyNot(entry: RelevantEntry, open: ReadonlySet<string>, least: number): string | null {
  if (printedCommand(entry.command) === undefined) return 'its command cannot be printed as it is';
  if (entry.confidence < least) return `confidence ${entry.confidence.toFixed(2)} below ${least}`;
  // Who reads the file has its sections in front of them.
  const [file] = pathKeys(entry.file);
  return file !== undefined && open.has(file) ? 'its file is the one that is named' : null;
}

function shownOf(entry: RelevantEntry): ShownEntry {
  const { id, command, header, description, file, confidence, reasons, scope } = entry;
  return {
    id,
    memoryId: command,
    revision: revisionOf(entry),
    score: confidence,
    reasons,
    scope,
    files: [file],
    header,
    description,
  };
}

/** From what is shown of it: entries lie in files, which count nothing. */
function revisionOf({ command, header, description, file }: WhenEntry): number {
  const digest = derivedId('when entry as shown', command, header, description, file);
  return Number.parseInt(digest.slice(0, 8), 16) + 1;
}
