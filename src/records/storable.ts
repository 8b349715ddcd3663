/** What PostgreSQL's JSON takes. */

/**
 * The value without what PostgreSQL refuses in JSON text: U+0000 goes, half of a surrogate pair
 * becomes U+FFFD. Keys of objects are text too.
 */
export function withoutNul<T>(value: T): T {
  if (typeof value === 'string') return cleanText(value) as T;
  if (Array.isArray(value)) return value.map(withoutNul) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [cleanText(key), withoutNul(inner)]),
    ) as T;
  }
  return value;
}

function cleanText(text: string): string {
  const whole = /\p{Cs}/u.test(text) ? text.replace(/\p{Cs}/gu, '\ufffd') : text;
  return whole.includes('\u0000') ? whole.replaceAll('\u0000', '') : whole;
}
