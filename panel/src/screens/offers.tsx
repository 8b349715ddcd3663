export function Offers(_: { rest: readonly string[] }) {
  return null;
}
