export function Settings(_: { rest: readonly string[] }) {
  return null;
}
