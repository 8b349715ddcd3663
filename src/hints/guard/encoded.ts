/** Text in base64: what it says counts, not how it looks. */

const RUN = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,16384}={0,2}/g;
const PRINTABLE = /^[\t\n\r -~]{10,}$/;

/** The text that the run is base64 of; `null`: it is something else. */
export function decodedText(run: string): string | null {
  // Twelve characters decide for nearly everything that is no text.
  const start = Buffer.from(run.slice(0, 16), 'base64').toString('latin1');
  if (!PRINTABLE.test(start)) return null;
  const text = Buffer.from(run, 'base64').toString('latin1');
  return PRINTABLE.test(text) ? text : null;
}

/** The text with every encoded run replaced for which `replacement` gives something. */
export function replaceEncoded(
  text: string,
  replacement: (decoded: string) => string | null,
): string {
  return text.replace(RUN, (run) => {
    const decoded = decodedText(run);
    return decoded === null ? run : (replacement(decoded) ?? run);
  });
}
