/** What people and agents wrote may hold secrets; names, numbers and ids of ours do not. */
import { redactSecrets } from '../../shared/secrets.js';
import type { OfferData } from '../offer-types.js';
import type { ChangeDetails } from './offer-life.js';

type Written = Pick<OfferData, 'subject' | 'text' | 'sources' | 'why'>;

/** The offer without secrets in any text of it. */
export function redactOffer<Data extends Written>(data: Data): Data {
  const { subject, text, sources, why } = data;
  return {
    ...data,
    subject: redacted(subject),
    text: redacted(text),
    sources: sources.map((source) => ({
      ...source,
      reasons: source.reasons.map(redacted),
      ...(source.files === undefined ? {} : { files: source.files.map(redacted) }),
    })),
    why: {
      ...why,
      evidence: why.evidence.map(redacted),
      suppressed: why.suppressed.map((left) => ({ ...left, reason: redacted(left.reason) })),
    },
  };
}

export function redactDetails(details: ChangeDetails): ChangeDetails {
  const { reason, how } = details;
  return {
    ...details,
    ...(reason === undefined ? {} : { reason: redacted(reason) }),
    ...(how === undefined ? {} : { how: redacted(how) }),
  };
}

function redacted(text: string): string {
  return redactSecrets(text).text;
}
