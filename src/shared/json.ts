/** JSON that somebody else has written: nothing of its shape is known. */

/** An object, no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object or a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** `undefined`: the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined` also of what is no object. */
export function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && key in value ? value[key] : undefined;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the keys that have no value. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Defined<T>;
}

/** How deep a value is nested. JSON is parsed however deep it is; whoever walks it by recursion runs out of stack. */

/** Of messages and bodies: deeper ones are refused as they come in. */
export const MAX_JSON_DEPTH = 1_000;

/** Whether objects and lists lie more than so many levels deep; level by level, whatever the depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isRecord);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    level = level.flatMap((one) => Object.values(one)).filter(isRecord);
  }
  return false;
}
