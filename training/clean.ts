/** Takes markup, addresses and marks of tools out of a text. Pure. */

/** Words of two letters and more: a text with few of them says little. */
export function wordCount(text: string): number {
  return text.match(/[A-Za-z]{2,}/g)?.length ?? 0;
}

/** The first so many words of a text, in one line. */
export function firstWords(text: string, most: number): string {
  return text.split(/\s+/).filter(Boolean).slice(0, most).join(' ');
}

/** A text without addresses, numbers of issues, hashes and mail addresses, in one line. */
export function plain(text: string): string {
  return text
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/<[^<>@ ]*@[^<> ]*>/g, ' ')
    .replace(/\(?(?:GH-|gh-|PR )?#\d+\)?/g, ' ')
    .replace(/\b[0-9a-f]{8,40}\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A text without the markup of Markdown, reStructuredText and AsciiDoc, in one line. */
export function prose(text: string): string {
  return plain(
    text
      .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
      .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
      .replace(/\{[{%][^}]*[%}]\}/g, ' ')
      .replace(/<[^>]{1,200}>/g, ' ')
      .replace(/:[a-z:+-]+:`([^`<]*)[^`]*`/g, '$1')
      .replace(/\{#[^}]*\}/g, '')
      .replace(/[*`|>]+/g, ' '),
  ).replace(/^[ #=~-]+|[ #=~-]+$/g, '');
}
