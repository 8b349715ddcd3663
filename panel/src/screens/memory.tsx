export function Memory(_: { rest: readonly string[] }) {
  return null;
}
