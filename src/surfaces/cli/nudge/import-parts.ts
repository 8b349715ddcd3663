/** A document that is too large for one call, in parts that are documents of their own. Pure. */

/** Of one call; a server takes 2 MiB with what is around it. */
export const MOST_BYTES = 1_500_000;

type Fields = Record<string, unknown>;
type Part = Record<string, { hints: Fields; variants?: Fields }>;

export function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** A key and its variants stay together. What is no document of hints is one part, for the server to judge. */
export function partsOf(payload: object): object[] {
  const { components, ...head } = payload as Fields;
  const keys = isFields(components) ? keysOf(components) : null;
  if (keys === null) return [payload];
  const parts: Part[] = [];
  let part: Part = {};
  let bytes = 0;
  for (const { component, key, hint, variants } of keys) {
    const more = byteLength([component, key, hint, key, variants]) + 50;
    if (bytes + more > MOST_BYTES && bytes > 0) {
      parts.push(part);
      part = {};
      bytes = 0;
    }
    const here = Object.hasOwn(part, component) ? part[component] : undefined;
    const hints = { ...here?.hints, ...(hint === undefined ? {} : { [key]: hint }) };
    const several = { ...here?.variants, ...(variants === undefined ? {} : { [key]: variants }) };
    define(part, component, { hints, variants: several });
    bytes += more;
  }
  parts.push(part);
  return parts.map((one) => ({ ...head, components: one }));
}

interface Key {
  component: string;
  key: string;
  hint?: unknown;
  variants?: unknown;
}

/** `null`: not of the shape that can be divided. */
function keysOf(components: Fields): Key[] | null {
  const keys: Key[] = [];
  for (const [component, held] of Object.entries(components)) {
    if (!isFields(held) || !isFields(held.hints)) return null;
    const { hints, variants = {} } = held;
    if (!isFields(variants)) return null;
    for (const key of new Set([...Object.keys(hints), ...Object.keys(variants)])) {
      keys.push({ component, key, hint: own(hints, key), variants: own(variants, key) });
    }
  }
  return keys;
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A name like `__proto__` is one like any other; the server refuses it. */
function define(part: Part, name: string, value: Part[string]): void {
  Object.defineProperty(part, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
