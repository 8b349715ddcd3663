/** What a UUID looks like; making them is of `ids.ts`, which brings cryptography along. */

/** A UUID in lower case, in the shape elizaOS types ask for. */
export type Uuid = `${string}-${string}-${string}-${string}-${string}`;

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is Uuid {
  return typeof value === 'string' && UUID_PATTERN.test(value);
}
