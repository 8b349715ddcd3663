/** Several values under one key, in the order in which they came. */

/** Puts a value at the end of its key's list, which is made when missing. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
