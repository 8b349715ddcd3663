export function Knowledge(_: { rest: readonly string[] }) {
  return null;
}
