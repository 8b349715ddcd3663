export function Triggers(_: { rest: readonly string[] }) {
  return null;
}
