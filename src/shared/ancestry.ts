/** Whether `id` is the ancestor or below it, at whatever depth; a circle of parents ends the search. */
export async function descendsFrom<Id>(
  id: Id,
  ancestor: Id,
  parentOf: (id: Id) => Promise<Id | null>,
): Promise<boolean> {
  const seen = new Set<Id>();
  let current: Id | null = id;
  while (current !== null && !seen.has(current)) {
    if (current === ancestor) return true;
    seen.add(current);
    current = await parentOf(current);
  }
  return false;
}
